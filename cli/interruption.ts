import { INTERRUPTED } from './exit-codes.ts';

/** Ctrl-C, or a polite request to end; a second one ends the process at once. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Listens no longer. */
  readonly release: () => void;
}

/** @param onFirst tells the user what goes on until the end */
export function listenForInterruption(onFirst: () => void): Interruption {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      process.exit(INTERRUPTED);
    }
    onFirst();
    controller.abort(new Error('The run was interrupted.'));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
