import type { KillMatrix, Source, TrialResult } from '../model/kill-matrix.ts';
import { countText } from '../wording/subject-text.ts';

/** The columns of what each source caught. */
export const SOURCE_COLUMNS = ['Source', 'Caught', 'By it alone'] as const;

/** The sources in words. */
export const SOURCE_WORDS: Readonly<Record<Source, string>> = {
  checks: 'checks',
  oracle: 'oracle over what checks send',
  explore: 'random sequences',
  watch: 'traffic of an ordinary client',
};

/** For each source the faults that it caught by the requirement that they break, and those that no other source caught. */
export function sourceRows({
  trials,
  by,
}: Pick<KillMatrix, 'trials' | 'by'>): readonly (readonly [name: string, caught: number, alone: number])[] {
  return by.map((source) => {
    const caught = trials.filter(({ caughtBy }) => caughtBy.includes(source));
    const alone = caught.filter(({ caughtBy }) => caughtBy.length === 1);
    return [SOURCE_WORDS[source], caught.length, alone.length];
  });
}

/** How the servers were explored, or `null` if they were not. */
export function exploredText({ explored, trials }: Pick<KillMatrix, 'explored' | 'trials'>): string | null {
  if (explored === null) {
    return null;
  }
  const median = medianLength(trials);
  const shown =
    median === null ? '' : `; what was found takes ${countText(median, 'request')} to show (median)`;
  return `Explored with ${countText(explored.requests, 'request')} to each server, seed ${explored.seed}${shown}`;
}

/** Requests of the shortest sequence in the middle of all that were found, or `null` if there is none. */
function medianLength(trials: readonly TrialResult[]): number | null {
  const lengths = trials.flatMap(({ shrunkTo }) => shrunkTo ?? []).toSorted((a, b) => a - b);
  return lengths[Math.floor((lengths.length - 1) / 2)] ?? null;
}
