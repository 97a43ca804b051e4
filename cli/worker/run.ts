import { importFleet } from '../../load/index.ts';
import { EXIT_INTERRUPTED } from '../shared/exit-codes.ts';
import { ENDING_SIGNALS, nextSignal } from '../shared/interruption.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { readWorkerOptions } from './command.ts';
import { packageVersion } from '../library/version.ts';

/**
 * Joins a load fleet until SIGINT or SIGTERM; a second signal ends the process at once.
 * @returns the exit code
 * @throws {InconclusiveError} if Redis cannot be reached, or another worker has the name
 */
export async function runWorker({ flags, surroundings }: CommandCall): Promise<number> {
  const { redis, name, allowTarget: allowedTargets } = readWorkerOptions(flags, surroundings);
  const { startFleetWorker } = await importFleet('stockcheck worker');
  const interrupted = nextSignal();
  const worker = await startFleetWorker({
    url: redis,
    option: '--redis',
    name,
    version: packageVersion(),
    allowedTargets,
    say,
    warn: (line) => process.stderr.write(`stockcheck: ${line}\n`),
  });
  say(`${name} is in the fleet at ${worker.address}, until Ctrl-C.`);
  await interrupted;
  ENDING_SIGNALS.forEach((name) => process.once(name, () => process.exit(EXIT_INTERRUPTED)));
  await worker.close();
  return 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
