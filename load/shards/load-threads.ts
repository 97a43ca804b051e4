import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { messageOf } from '../../contract/error-text.ts';
import { monotonicNow } from '../engine/monotonic-clock.ts';
import { type FromCarrier, linkCarrier, type ToCarrier } from './carrier.ts';
import {
  type Generators,
  measureInShards,
  mostCarriers,
  sentenceOfLoss,
  type Crew,
} from './measure-in-shards.ts';

// All threads know of the start before it comes.
const LEAD_MILLISECONDS = 100;

export type LoadThreads = ReturnType<typeof openLoadThreads>;

/**
 * Threads of this process that share a load.
 * @param start starts a thread
 */
export function openLoadThreads(start: () => EngineThread = startEngineThread) {
  let threads: readonly EngineThread[] = [];
  const close = async (): Promise<void> => {
    const ended = threads;
    threads = [];
    await Promise.all(ended.map((thread) => thread.close()));
  };
  return {
    /** So many threads as generators; those that were started before are used again. */
    generators: (count: number): Generators => {
      const lost = new AbortController();
      return {
        lost: lost.signal,
        run: async (divided) => {
          const size = Math.min(count, mostCarriers(divided.load));
          const missing = Math.max(0, size - threads.length);
          threads = [...threads, ...Array.from({ length: missing }, () => start())];
          const crew = crewOf(threads.slice(0, size));
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

export type EngineThread = ReturnType<typeof startEngineThread>;

/** Runs engines on a thread of its own, one after the other, so that they do not delay anything else. */
export function startEngineThread() {
  const thread = startShardThread(
    (message) => carrier.hear(message),
    (error) => carrier.lose(error),
  );
  const carrier = linkCarrier(thread.post);
  return { ...carrier, close: thread.close };
}

export type ShardThread = ReturnType<typeof startShardThread>;

/**
 * The thread of a carrier, and the messages to it.
 * @param hear takes what the thread says
 * @param lose is told why the thread has ended, again whenever something is posted to it
 */
export function startShardThread(hear: (message: FromCarrier) => void, lose: (error: Error) => void) {
  const thread = new Worker(new URL(`shard-thread${extname(import.meta.url)}`, import.meta.url));
  let ended: Error | null = null;
  const end = (error: Error): void => {
    ended ??= error;
    lose(ended);
  };
  thread.on('message', hear);
  thread.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
  thread.on('exit', () => end(new Error('The thread of the engine ended')));
  return {
    post: (message: ToCarrier): void => (ended === null ? thread.postMessage(message) : lose(ended)),
    close: async (): Promise<void> => {
      await thread.terminate();
    },
  };
}
