import type { DividedLoad, DividedRun, Generators } from '../shards/divided-load.ts';
import { startEngineThread, type EngineThread } from '../shards/engine-thread.ts';
import { measureOnThreads } from './measure-on-threads.ts';

/** Threads of this process that share a load. */
export interface LoadThreads {
  /** So many threads as generators; those that were started before are used again. */
  readonly generators: (count: number) => Generators;
  readonly close: () => Promise<void>;
}

/** @param start starts a thread */
export function openLoadThreads(start: () => EngineThread = startEngineThread): LoadThreads {
  let threads: readonly EngineThread[] = [];
  const close = async (): Promise<void> => {
    const ended = threads;
    threads = [];
    await Promise.all(ended.map((thread) => thread.close()));
  };
  return {
    generators: (count) => {
      const lost = new AbortController();
      return {
        lost: lost.signal,
        run: async (divided: DividedLoad): Promise<DividedRun> => {
          const missing = Math.max(0, count - threads.length);
          threads = [...threads, ...Array.from({ length: missing }, () => start())];
          const run = await measureOnThreads(threads.slice(0, count), divided);
          if (run.loss !== null) {
            lost.abort(new Error(run.loss));
            // Whoever needs threads next gets new ones.
            await close();
          }
          return run;
        },
      };
    },
    close,
  };
}
