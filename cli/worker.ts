import { once } from 'node:events';

import { INTERRUPTED } from './exit-codes.ts';
import type { WorkerOptions } from './options/worker-options.ts';
import { packageVersion } from './version.ts';

/**
 * Joins a load fleet until SIGINT or SIGTERM; a second signal ends the process at once.
 * @returns the exit code
 * @throws {FleetError} where Redis can't be reached, or another worker has the name
 */
export async function runWorker({ redis, name }: WorkerOptions): Promise<number> {
  const { startFleetWorker } = await import('../load/fleet/worker.ts');
  const interrupted = nextSignal();
  const worker = await startFleetWorker({
    url: redis,
    option: '--redis',
    name,
    version: packageVersion(),
    say,
  });
  say(`${name} is in the fleet at ${worker.address}, until Ctrl-C.`);
  await interrupted;
  process.once('SIGINT', () => process.exit(INTERRUPTED));
  process.once('SIGTERM', () => process.exit(INTERRUPTED));
  await worker.close();
  return 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function nextSignal(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}
