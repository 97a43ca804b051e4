import { hostname } from 'node:os';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { Subcommand, CommandCall } from '../shared/options/command.ts';
import { list, optional, readOptions, type Flags, type Surroundings } from '../shared/options/option-rows.ts';
import { asRedisUrl, ofForm } from '../shared/options/values.ts';
import { EXIT_INTERRUPTED } from '../shared/exit-codes.ts';
import { ENDING_SIGNALS, nextSignal } from '../shared/interruption.ts';
import { packageVersion } from '../library/version.ts';

/** The options of `stockcheck worker`. */
const WORKER_OPTIONS = {
  redis: optional('<url>', 'Redis of the fleet: redis://HOST:PORT', asRedisUrl),
  allowTarget: list('<host>', 'a host other than this machine to which it may send requests', readHost),
  name: optional(
    '<name>',
    'name in the fleet (default: host and process)',
    ofForm(/^[\w.-]{1,60}$/, '1 to 60 letters, digits, dots, hyphens and underscores'),
  ),
};

/** `stockcheck worker`. */
export const WORKER: Subcommand = {
  summary: 'join a load fleet',
  description:
    'Joins a load fleet and sends its share of each load that `stockcheck load --fleet` starts, until SIGINT or SIGTERM.',
  options: { 'Options:': WORKER_OPTIONS },
  isPlain: true,
  examples: `
On each machine that is to send part of the load:
  $ stockcheck worker --redis redis://10.0.0.5:6379 --allow-target staging.example

Then, once for all of them:
  $ stockcheck load https://staging.example/v1 --i-may-load staging.example --fleet redis://10.0.0.5:6379`,
  run: runWorker,
};

/** @throws {ConfigurationError} that names the option */
export function readWorkerOptions(flags: Flags<keyof typeof WORKER_OPTIONS>, surroundings: Surroundings) {
  const { redis, name, allowTarget } = readOptions(WORKER_OPTIONS, flags, surroundings);
  if (redis === null) {
    throw new ConfigurationError('worker needs --redis redis://HOST:PORT');
  }
  return { redis, name: name ?? `${hostname()}-${process.pid}`, allowTarget };
}

function readHost(text: string, named: string): string {
  const { hostname } = URL.parse(`http://${text}`) ?? {};
  if (hostname !== text.toLowerCase() || hostname.includes('*')) {
    throw new ConfigurationError(
      `${named} ${text} is not a host; give its name or address alone, such as staging.example`,
    );
  }
  return hostname;
}

/**
 * Joins a load fleet until SIGINT or SIGTERM; a second signal ends the process at once.
 * @returns the exit code
 * @throws {InconclusiveError} if Redis cannot be reached, or another worker has the name
 */
async function runWorker({ flags, surroundings }: CommandCall): Promise<number> {
  const { redis, name, allowTarget: allowedTargets } = readWorkerOptions(flags, surroundings);
  const { importFleet } = await import('../../load/index.ts');
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
