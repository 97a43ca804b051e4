import { once } from 'node:events';

import { EXIT_INTERRUPTED } from './exit-codes.ts';
import type { Progress } from './output/progress.ts';

/** Ctrl-C, a polite request to end, and a terminal that was closed. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Work that can be ended in an orderly way. */
const underWay = new Set<AbortController>();

/**
 * Does work that a signal interrupts in an orderly way; one more signal ends the process at once.
 * @param onInterruption tells the user what goes on until the end
 * @param work stops early once its signal is aborted
 * @param beforeInterruption what a first signal does, if it does not interrupt yet
 * @returns the exit code of the work, or that of an interrupted program if it fails after it was interrupted
 */
export async function runInterruptibly(
  onInterruption: () => void,
  work: (signal: AbortSignal) => Promise<number>,
  beforeInterruption?: () => void,
): Promise<number> {
  const controller = new AbortController();
  const { signal } = controller;
  const steps = [
    ...(beforeInterruption === undefined ? [] : [beforeInterruption]),
    () => {
      onInterruption();
      controller.abort(new Error('The run was interrupted.'));
    },
  ];
  const onSignal = (): void => {
    const next = signal.aborted ? undefined : steps.shift();
    if (next === undefined) {
      process.exit(EXIT_INTERRUPTED);
    }
    next();
  };
  ENDING_SIGNALS.forEach((name) => process.on(name, onSignal));
  underWay.add(controller);
  try {
    return await work(signal);
  } catch (error) {
    if (signal.aborted) {
      return EXIT_INTERRUPTED;
    }
    throw error;
  } finally {
    underWay.delete(controller);
    ENDING_SIGNALS.forEach((name) => process.off(name, onSignal));
  }
}

/**
 * Does work whose progress is shown until its end, and that a signal interrupts.
 * @param interruption tells the user what goes on until then
 */
export async function runWithProgress(
  progress: Pick<Progress, 'note' | 'stop'>,
  interruption: string,
  work: (signal: AbortSignal) => Promise<number>,
  beforeInterruption?: () => void,
): Promise<number> {
  try {
    return await runInterruptibly(() => progress.note(interruption), work, beforeInterruption);
  } finally {
    progress.stop();
  }
}

/** Interrupts all work under way because of an error that nothing caught. @returns whether there was any */
export function endAfterError(error: unknown): boolean {
  const ending = [...underWay].filter(({ signal }) => !signal.aborted);
  ending.forEach((controller) => controller.abort(error));
  return ending.length > 0;
}

/** Resolves at SIGINT, SIGTERM or SIGHUP; a second signal then ends the process at once. */
export async function nextSignal(): Promise<void> {
  const settled = new AbortController();
  const waits = ENDING_SIGNALS.map((signal) => once(process, signal, settled));
  await Promise.race(waits);
  settled.abort();
  await Promise.allSettled(waits);
}
