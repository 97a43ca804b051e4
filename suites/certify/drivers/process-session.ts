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
  const groups = new Set<number>();
  let isTold = false;
  for (const name of processNames()) {
    const stat = readStat(name);
    isTold ||= stat !== undefined;
    if (stat?.session === session && stat.state !== 'Z' && stat.state !== 'X') {
      groups.add(stat.group);
    }
  }
  return isTold ? [...groups] : undefined;
}

/** Names of the folders in /proc that stand for processes; none if there is no /proc. */
export function processNames(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Of proc_pid_stat(5): what stands behind the name of the program, which may itself hold anything. */
function readStat(
  name: string,
): { readonly state: string; readonly group: number; readonly session: number } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${name}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  const [state, , group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return state === undefined || group === undefined || session === undefined
    ? undefined
    : { state, group: Number(group), session: Number(session) };
}
