import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import type { ClientCommand } from './environment.ts';
import { processNames } from './process-session.ts';

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
const POLL_MILLISECONDS = 20;

/** Marks a client, so that a child in a session of its own is found again (on systems with /proc). */
export function markDescendants(client: ClientCommand): MarkedClient {
  const mark = randomUUID();
  const kill = (): void => void signalMarked(mark, 'SIGKILL');
  process.once('exit', kill);
  return {
    client: { ...client, environment: { ...client.environment, [MARK]: mark } },
    end: async () => {
      process.off('exit', kill);
      const deadline = performance.now() + GRACE_MILLISECONDS;
      let isLeft = signalMarked(mark, 'SIGTERM');
      while (isLeft && performance.now() < deadline) {
        await delay(POLL_MILLISECONDS);
        isLeft = signalMarked(mark, 0);
      }
      kill();
    },
  };
}

/** @returns whether anything with that mark runs */
function signalMarked(mark: string, signal: NodeJS.Signals | 0): boolean {
  const marked = processNames().filter((name) => readEnvironment(name).includes(`${MARK}=${mark}`));
  return marked.map((name) => signalProcess(Number(name), signal)).includes(true);
}

function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** What a process was started with; empty for one of somebody else, and for one that was not reaped yet. */
function readEnvironment(name: string): string {
  try {
    return readFileSync(`/proc/${name}/environ`, 'latin1');
  } catch {
    return '';
  }
}
