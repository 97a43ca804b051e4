import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import type { Share } from '../engine/share.ts';
import type { ClockOffset } from '../engine/monotonic-clock.ts';
import type { KeyJournalPart } from '../judging/key-journal.ts';
import type { Carrier } from './measure-in-shards.ts';
import type { ShardPlan } from './shard-plan.ts';
import type { ShardOutcome, ShardProgress } from './shard-run.ts';

/** Messages to the thread. */
export type ToThread =
  | {
      readonly kind: 'prepare';
      readonly plan: ShardPlan;
      readonly share: Share;
      readonly offset: ClockOffset;
    }
  /** `startsAt` is a moment of `monotonicNow()`. */
  | { readonly kind: 'begin'; readonly startsAt: number }
  /** Parts of the journal of this size have been judged. */
  | { readonly kind: 'judged'; readonly bytes: number }
  | { readonly kind: 'stop' };

/** Messages from the thread. */
export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: ShardProgress }
  | { readonly kind: 'journal'; readonly part: KeyJournalPart }
  | { readonly kind: 'done'; readonly outcome: ShardOutcome }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Runs engines on a thread of its own, one after the other, so that they do not delay anything else. It begins at a moment
 * of `monotonicNow()`.
 */
export interface EngineThread extends Omit<Carrier, 'prepare'> {
  /** As that of any carrier. @param offset of the time that all shards share */
  readonly prepare: (
    plan: ShardPlan,
    share: Share,
    offset: ClockOffset,
    onJournal: (part: KeyJournalPart) => void,
  ) => Promise<void>;
  readonly close: () => Promise<void>;
}

export function startEngineThread(): EngineThread {
  const thread = new Worker(new URL(`shard-thread${extname(import.meta.url)}`, import.meta.url));
  let progress: ShardProgress | null = null;
  let onPart: ((part: KeyJournalPart) => void) | undefined;
  let ended: Error | null = null;
  let ready = quietly(Promise.withResolvers<void>());
  let done = quietly(Promise.withResolvers<ShardOutcome>());
  const fail = (error: Error): void => {
    ready.reject(error);
    done.reject(error);
  };
  const send = (message: ToThread): void => thread.postMessage(message);
  thread.on('message', (message: FromThread) => {
    switch (message.kind) {
      case 'ready':
        ready.resolve();
        break;
      case 'progress':
        ({ progress } = message);
        break;
      case 'journal':
        onPart?.(message.part);
        break;
      case 'done':
        done.resolve(message.outcome);
        break;
      case 'failed':
        fail(new Error(message.message));
        break;
    }
  });
  thread.on('error', (error) => {
    ended = error instanceof Error ? error : new Error(String(error));
    fail(ended);
  });
  thread.on('exit', () => {
    ended ??= new Error('The thread of the engine ended');
    fail(ended);
  });
  return {
    prepare: (plan, share, offset, onJournal) => {
      progress = null;
      onPart = onJournal;
      ready = quietly(Promise.withResolvers());
      done = quietly(Promise.withResolvers());
      if (ended === null) {
        send({ kind: 'prepare', plan, share, offset });
      } else {
        fail(ended);
      }
      return ready.promise;
    },
    begin: (startsAt) => {
      send({ kind: 'begin', startsAt });
      return done.promise;
    },
    progress: () => progress,
    judged: (bytes) => send({ kind: 'judged', bytes }),
    stop: () => send({ kind: 'stop' }),
    close: async () => {
      await thread.terminate();
    },
  };
}

/** A promise that may be rejected while nobody waits for it. */
function quietly<Value>(resolvers: PromiseWithResolvers<Value>): PromiseWithResolvers<Value> {
  resolvers.promise.catch(() => {});
  return resolvers;
}
