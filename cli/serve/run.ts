import { nextSignal } from '../shared/interruption.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { readServeOptions } from './options.ts';
import { describeServer, startServer } from './start-server.ts';

/**
 * Runs the reference server until SIGINT or SIGTERM; a second signal ends the process at once.
 * @returns the exit code
 * @throws {ConfigurationError} if it cannot listen, or cannot use its store
 */
export async function runServe({ flags, surroundings }: CommandCall): Promise<number> {
  const options = readServeOptions(flags, surroundings);
  const interrupted = nextSignal();
  const server = await startServer(options);
  process.stdout.write(describeServer(server, options));
  await interrupted;
  await server.close();
  return 0;
}
