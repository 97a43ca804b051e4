import { once } from 'node:events';

import { EXIT_INTERRUPTED } from './exit-codes.ts';

/** Ctrl-C, a polite request to end, or a terminal that was closed; a second one ends the process at once. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Listens no longer. */
  readonly release: () => void;
}

/** Ctrl-C, a polite request to end, and a terminal that was closed. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs that can be ended in an orderly way. */
const underWay = new Set<AbortController>();

/** @param onFirst tells the user what goes on until the end */
export function listenForInterruption(onFirst: () => void): Interruption {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      process.exit(EXIT_INTERRUPTED);
    }
    onFirst();
    controller.abort(new Error('The run was interrupted.'));
  };
  ENDING_SIGNALS.forEach((name) => process.on(name, onSignal));
  underWay.add(controller);
  return {
    signal: controller.signal,
    release: () => {
      underWay.delete(controller);
      ENDING_SIGNALS.forEach((name) => process.off(name, onSignal));
    },
  };
}

/** Ends what is under way as Ctrl-C does, because of an error that nothing caught. @returns whether something was */
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
