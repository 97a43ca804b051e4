import { EXIT_INTERRUPTED } from '../../shared/exit-codes.ts';
import { watchFiles, type WatchedFiles } from './watch-files.ts';
import { watchKeys } from './watch-keys.ts';

/** What came of one of several runs. */
export interface Round {
  readonly exitCode: number;
  /** Whether the target answered nothing at its end. */
  readonly isGone: boolean;
}

export interface RepeatedRun {
  readonly files: WatchedFiles;
  /** Resolves once the target answers. */
  readonly ready: (signal: AbortSignal) => Promise<void>;
  /** One run, which ends early when its signal is aborted; `isStale` then tells whether another one follows. */
  readonly round: (signal: AbortSignal, isStale: () => boolean) => Promise<Round>;
  readonly note: (text: string) => void;
  /** Ends it all. */
  readonly signal: AbortSignal;
}

// What is saved or built together leads to one run.
const DEBOUNCE_MILLISECONDS = 200;

/**
 * Runs when a file has changed, on Enter, and when a target that was gone answers again, until q or an interruption. A
 * run that is under way then ends early.
 * @returns the exit code of the last run that came to its end, or that of an interrupted program
 */
export async function runOnChanges({ files, ready, round, note, signal }: RepeatedRun): Promise<number> {
  const quit = new AbortController();
  const ended = AbortSignal.any([signal, quit.signal]);
  let next = new AbortController();
  const runAgain = (why: string): void => next.abort(new Error(why));
  let timer: NodeJS.Timeout | undefined;
  const stopFiles = watchFiles(files, (path) => {
    clearTimeout(timer);
    timer = setTimeout(() => runAgain(`${path} has changed.`), DEBOUNCE_MILLISECONDS);
  });
  const stopKeys = watchKeys(process.stdin, {
    again: () => runAgain('Running again.'),
    quit: () => quit.abort(new Error('The run was ended.')),
  });
  let exitCode = 0;
  try {
    while (!ended.aborted) {
      next = new AbortController();
      const { signal: stale } = next;
      const either = AbortSignal.any([ended, stale]);
      await unlessAborted(ready(either), either);
      if (!either.aborted) {
        const done = await round(either, () => stale.aborted && !ended.aborted);
        if (ended.aborted) {
          return EXIT_INTERRUPTED;
        }
        if (!stale.aborted) {
          ({ exitCode } = done);
          note('Waiting for a change. Enter runs again, q ends.');
          await (done.isGone ? unlessAborted(ready(either), either) : aborted(either));
        }
      }
      if (stale.aborted && !ended.aborted) {
        note(stale.reason instanceof Error ? stale.reason.message : 'Running again.');
      }
    }
    return exitCode;
  } finally {
    clearTimeout(timer);
    stopFiles();
    stopKeys();
  }
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  await work.catch((error: unknown) => {
    if (!signal.aborted) {
      throw error;
    }
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    } else {
      signal.addEventListener('abort', () => resolve(), { once: true });
    }
  });
}
