import { setImmediate as nextTurn } from 'node:timers/promises';

import { startStorm, type RunningStorm, type Storm } from './storm.ts';

/** Who follows a storm while it is played. */
export interface StormFollower {
  /** @param seconds virtual time until which it was played */
  readonly onProgress: (seconds: number, served: number) => void;
  /** Aborting it ends the storm. */
  readonly signal: AbortSignal;
}

const REQUESTS_A_TURN = 50_000;

/**
 * Plays a storm to its end, and leaves room for signals and progress.
 * @throws the reason of the signal if it is aborted
 */
export async function playStorm(storm: Storm, { onProgress, signal }: StormFollower): Promise<RunningStorm> {
  const running = startStorm(storm);
  while (running.advance(REQUESTS_A_TURN)) {
    onProgress(running.seconds(), running.served());
    await nextTurn();
    signal.throwIfAborted();
  }
  return running;
}
