import { randomUUID } from 'node:crypto';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import type { ClientCommand } from './environment.ts';
import { signalMarked, terminate } from './process-session.ts';

/** All that descends from a client, also what has left its session. */
export interface MarkedClient {
  /** The client, whose environment marks it and its descendants. */
  readonly client: ClientCommand;
  /** Ends what is left: SIGTERM, and after a grace SIGKILL. */
  readonly end: () => Promise<void>;
}

// Outside the names that stockcheck reads its own configuration from.
const MARK = 'CERTIFIED_BY_STOCKCHECK';
const GRACE_MILLISECONDS = 500;

/**
 * Marks a client, so that a child in a session of its own is found again (on systems with /proc).
 * @throws {ConfigurationError} if there is no command
 */
export function markDescendants(client: ClientCommand): MarkedClient {
  if ((client.command[0] ?? '') === '') {
    throw new ConfigurationError('The command that starts the client is missing');
  }
  const mark = randomUUID();
  const signalAll = (signal: NodeJS.Signals | 0): boolean => signalMarked(`${MARK}=${mark}`, signal);
  const kill = (): void => void signalAll('SIGKILL');
  process.once('exit', kill);
  return {
    client: { ...client, environment: { ...client.environment, [MARK]: mark } },
    end: async () => {
      process.off('exit', kill);
      await terminate(signalAll, GRACE_MILLISECONDS);
    },
  };
}
