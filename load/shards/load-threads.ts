import { messageOf } from '../../contract/error-text.ts';
import { monotonicNow } from '../engine/monotonic-clock.ts';
import type { Generators } from './divided-load.ts';
import { startEngineThread, type EngineThread } from './engine-thread.ts';
import { measureInShards, sentenceOfLoss, type Crew } from './measure-in-shards.ts';

/** Threads of this process that share a load. */
export interface LoadThreads {
  /** So many threads as generators; those that were started before are used again. */
  readonly generators: (count: number) => Generators;
  readonly close: () => Promise<void>;
}

// All threads know of the start before it comes.
const LEAD_MILLISECONDS = 100;

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
        run: async (divided) => {
          const missing = Math.max(0, count - threads.length);
          threads = [...threads, ...Array.from({ length: missing }, () => start())];
          const crew = crewOf(threads.slice(0, count));
          const run = await measureInShards(crew, divided, (message) => lost.abort(new Error(message)));
          if (lost.signal.aborted) {
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

function crewOf(threads: readonly EngineThread[]): Crew {
  const of = threads.length;
  return {
    carriers: threads,
    called: 'threads',
    now: monotonicNow,
    uncertainty: 0,
    leadMilliseconds: LEAD_MILLISECONDS,
    describeLoss: (shard, error, start) => {
      const share = `Thread ${shard + 1} of ${of}, which had ${Math.round(100 / of)} % of the load,`;
      const when =
        start === null
          ? 'before the start'
          : `${Math.max(0, (monotonicNow() - start) / 1000).toFixed(1)} s after the start`;
      return sentenceOfLoss(`${share} ended ${when} (${messageOf(error)})`);
    },
    describeStart: ({ milliseconds }) =>
      `${of} threads began within ${milliseconds.toFixed(2)} ms of each other.`,
  };
}
