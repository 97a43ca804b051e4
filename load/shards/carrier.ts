import type { EngineRun } from '../engine/engine-run.ts';
import type { RecordedSecond } from '../figures/recorder.ts';
import type { OutcomeCounts } from '../judging/circuit-breaker.ts';
import type { RecordedJudgement } from './recorded-judgements.ts';
import type { ClockOffset } from '../engine/monotonic-clock.ts';
import type { Share } from '../engine/load-model.ts';
import type { KeyJournalPart } from '../judging/key-journal.ts';
import type { ShardPlan } from './divided-load.ts';

/** How far a shard is. */
export interface ShardProgress {
  /** How its requests ended so far. */
  readonly outcomes: OutcomeCounts;
  /** The last second that is over. */
  readonly latest: RecordedSecond | null;
}

/** What a shard has measured. */
export interface ShardOutcome {
  readonly run: EngineRun;
  readonly notes: readonly RecordedJudgement[];
  readonly spent: number;
  /** When it really began, by the time that all shards share, in milliseconds, and by how much that may be wrong. */
  readonly beganAt: number;
  readonly uncertainty: number;
}

/** Carries one shard of a load after the other: a thread of this process, or a worker of a fleet. */
export interface Carrier {
  /**
   * Resolves when it is ready to begin.
   * @param onJournal takes what happens to the keys of the shard
   * @throws {Error} if it cannot carry the shard
   */
  readonly prepare: (
    plan: ShardPlan,
    share: Share,
    onJournal: (part: KeyJournalPart) => void,
  ) => Promise<void>;
  /** @param startsAt moment of the time that all carriers share. @throws {Error} if the shard is lost */
  readonly begin: (startsAt: number) => Promise<ShardOutcome>;
  /** How far the shard is that has begun. */
  readonly progress: () => ShardProgress | null;
  /** Takes note that parts of its journal of this size have been judged. */
  readonly judged: (bytes: number) => void;
  /** Ends the shard early; what it has until then is its outcome. */
  readonly stop: () => void;
}

/** What a carrier is told. */
export type ToCarrier =
  | {
      readonly kind: 'prepare';
      readonly plan: ShardPlan;
      readonly share: Share;
      /** Of the time that all shards share; left out if that is `monotonicNow()`. */
      readonly offset?: ClockOffset;
    }
  | { readonly kind: 'begin'; readonly startsAt: number }
  | { readonly kind: 'judged'; readonly bytes: number }
  | { readonly kind: 'stop' };

/** What a carrier says. */
export type FromCarrier =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: ShardProgress }
  | { readonly kind: 'journal'; readonly part: KeyJournalPart }
  | { readonly kind: 'done'; readonly outcome: ShardOutcome }
  | { readonly kind: 'failed'; readonly message: string };

/** A carrier that messages reach, whichever way they take. */
export interface LinkedCarrier extends Carrier {
  /** Takes what the carrier says. */
  readonly hear: (message: FromCarrier) => void;
  /** Nothing more is heard of it. */
  readonly lose: (error: Error) => void;
}

/** @param post tells the carrier something */
export function linkCarrier(post: (message: ToCarrier) => void): LinkedCarrier {
  let progress: ShardProgress | null = null;
  let onPart: ((part: KeyJournalPart) => void) | null = null;
  let ready = quietly(Promise.withResolvers<void>());
  let done = quietly(Promise.withResolvers<ShardOutcome>());
  const lose = (error: Error): void => {
    ready.reject(error);
    done.reject(error);
  };
  return {
    prepare: (plan, share, onJournal) => {
      progress = null;
      onPart = onJournal;
      ready = quietly(Promise.withResolvers());
      done = quietly(Promise.withResolvers());
      post({ kind: 'prepare', plan, share });
      return ready.promise;
    },
    begin: (startsAt) => {
      post({ kind: 'begin', startsAt });
      return done.promise;
    },
    progress: () => progress,
    judged: (bytes) => post({ kind: 'judged', bytes }),
    stop: () => post({ kind: 'stop' }),
    hear: (message) => {
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
          lose(new Error(message.message));
          break;
      }
    },
    lose,
  };
}

/** A promise that may be rejected while nobody waits for it. */
function quietly<Value>(resolvers: PromiseWithResolvers<Value>): PromiseWithResolvers<Value> {
  resolvers.promise.catch(() => {});
  return resolvers;
}
