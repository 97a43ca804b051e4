import { readdirSync, readFileSync } from 'node:fs';

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
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
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
export function processNames(): readonly string[] {
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
