import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import type { ClientCommand } from './driver.ts';

const POLL_MILLISECONDS = 20;

/**
 * Ends processes: SIGTERM, and after a grace SIGKILL.
 * @param signalAll sends them a signal, or nothing for 0, and says whether any of them ran
 * @param reapingMilliseconds how long those that were killed may take to be gone
 */
export async function terminate(
  signalAll: (signal: NodeJS.Signals | 0) => boolean,
  graceMilliseconds: number,
  reapingMilliseconds = 0,
): Promise<void> {
  if (signalAll('SIGTERM') && !(await areGoneWithin(signalAll, graceMilliseconds))) {
    signalAll('SIGKILL');
    await areGoneWithin(signalAll, reapingMilliseconds);
  }
}

async function areGoneWithin(signalAll: (signal: 0) => boolean, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (signalAll(0)) {
    if (performance.now() >= deadline) {
      return false;
    }
    await delay(POLL_MILLISECONDS);
  }
  return true;
}

/**
 * Sends a signal to all processes of a process session (setsid), whichever group they are in.
 * @param signal 0 sends nothing
 * @returns whether anything ran in it; what has ended and was only not reaped yet does not run
 */
export function signalProcessSession(leader: number, signal: NodeJS.Signals | 0): boolean {
  const groups = runningGroupsOf(leader) ?? [leader];
  return groups.map((group) => signalGroup(group, signal)).includes(true);
}

/** Whether there was anything in the group that could be signalled, even if only a process that nobody reaped. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  return sendSignal(-group, signal);
}

/** `undefined` if the system has no /proc that tells. */
function runningGroupsOf(session: number): readonly number[] | undefined {
  const stats = processNames().flatMap((name) => readStat(name) ?? []);
  const running = stats.filter((stat) => isRunningIn(session, stat));
  return stats.length === 0 ? undefined : [...new Set(running.map(({ group }) => group))];
}

function isRunningIn(session: number, stat: ProcessStat | undefined): boolean {
  return stat?.session === session && stat.state !== 'Z' && stat.state !== 'X';
}

/**
 * How long a process session was ready to run and got no processor: the longest of its threads, since their start; in
 * seconds. 0 if the system does not tell.
 */
export function processorDelayOf(session: number): number {
  const tasks = processNames()
    .filter((name) => isRunningIn(session, readStat(name)))
    .flatMap((name) => namesIn(`/proc/${name}/task`).map((task) => `/proc/${name}/task/${task}`));
  // In proc_pid_schedstat(5), the second number: nanoseconds spent on a run queue.
  return Math.max(0, ...tasks.map((task) => Number(readText(`${task}/schedstat`)?.split(' ')[1] ?? 0) / 1e9));
}

/** Names of the folders in /proc that stand for processes; none if there is no /proc. */
function processNames(): readonly string[] {
  return namesIn('/proc').filter((name) => /^\d+$/.test(name));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}

const actsAtExit = new Set<() => unknown>();
const actAtExit = (): void => actsAtExit.forEach((act) => act());

/** Does something should this process exit before that is over. @returns to be called when it is */
export function onceAtExit(act: () => unknown): () => void {
  // One listener for all: Node.js warns of many.
  process.off('exit', actAtExit).once('exit', actAtExit);
  actsAtExit.add(act);
  return () => actsAtExit.delete(act);
}

// Outside the names that stockcheck reads its own configuration from.
const MARK = 'CERTIFIED_BY_STOCKCHECK';
const GRACE_MILLISECONDS = 500;

/**
 * Marks a client, so that a child in a session of its own is found again (on systems with /proc).
 * @throws {ConfigurationError} if there is no command
 */
export function markDescendants(client: ClientCommand) {
  if ((client.command[0] ?? '') === '') {
    throw new ConfigurationError('The command that starts the client is missing');
  }
  const mark = randomUUID();
  const isMarked = (name: string): boolean =>
    readText(`/proc/${name}/environ`)?.includes(`${MARK}=${mark}`) === true;
  const signalAll = (signal: NodeJS.Signals | 0): boolean =>
    processNames()
      .filter(isMarked)
      .map((name) => sendSignal(Number(name), signal))
      .includes(true);
  const isOver = onceAtExit(() => signalAll('SIGKILL'));
  return {
    /** The client, whose environment marks it and all that descends from it. */
    client: { ...client, environment: { ...client.environment, [MARK]: mark } },
    /** Ends what is left, also what has left its session: SIGTERM, and after a grace SIGKILL. */
    end: async (): Promise<void> => {
      isOver();
      await terminate(signalAll, GRACE_MILLISECONDS);
    },
  };
}

function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

interface ProcessStat {
  readonly state: string;
  readonly group: number;
  readonly session: number;
}

/** Of proc_pid_stat(5): what stands behind the name of the program, which may itself hold anything. */
function readStat(name: string): ProcessStat | undefined {
  const text = readText(`/proc/${name}/stat`) ?? '';
  const [state, , group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return state === undefined || group === undefined || session === undefined
    ? undefined
    : { state, group: Number(group), session: Number(session) };
}
