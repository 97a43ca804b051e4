import type { TimeSpan } from '../../suites/oracle/index.ts';
import type { EngineProgress, EngineRun } from '../engine/engine-run.ts';
import type { RecordedJudgement } from './recorded-judgements.ts';
import type { ClockOffset } from '../engine/monotonic-clock.ts';
import type { DivisibleLoad, Share } from '../engine/load-model.ts';
import type { LoadTarget } from '../engine/load-request.ts';
import type { KeyJournalPart } from '../judging/key-journal.ts';

/** What all shards of a load have in common. */
export interface CommonLoad {
  readonly target: LoadTarget;
  readonly load: DivisibleLoad;
  readonly warmUpMilliseconds: number;
  readonly movesClock: boolean;
  /** Requests that all shards together may send, at most. */
  readonly budget: number;
}

/** A load as it can be posted to the generators. It holds the secrets of its keys. */
export interface ShardPlan extends CommonLoad {
  /** Secrets that must not be shown, each with its label. */
  readonly secrets: readonly (readonly [secret: string, label: string])[];
  /**
   * A moment of the time that all shards share at which the target's own clock was within the span, if that is known better
   * than from Date headers.
   */
  readonly clock: { readonly at: number; readonly span: TimeSpan } | null;
  /** By how many milliseconds whoever planned it may be wrong about the time that all shards share. */
  readonly uncertainty: number;
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
  | { readonly kind: 'progress'; readonly progress: EngineProgress }
  | { readonly kind: 'journal'; readonly part: KeyJournalPart }
  | { readonly kind: 'done'; readonly outcome: ShardOutcome }
  | { readonly kind: 'failed'; readonly message: string };

/** Carries one shard of a load after the other: a thread of this process, or a worker of a fleet. */
export type Carrier = Omit<LinkedCarrier, 'hear' | 'lose'>;

/** A carrier that messages reach, whichever way they take. */
export type LinkedCarrier = ReturnType<typeof linkCarrier>;

/** @param post tells the carrier something */
export function linkCarrier(post: (message: ToCarrier) => void) {
  let progress: EngineProgress | null = null;
  let onPart: ((part: KeyJournalPart) => void) | null = null;
  let ready = quietly(Promise.withResolvers<void>());
  let done = quietly(Promise.withResolvers<ShardOutcome>());
  const lose = (error: Error): void => {
    ready.reject(error);
    done.reject(error);
  };
  return {
    /**
     * Resolves when it is ready to begin.
     * @param onJournal takes what happens to the keys of the shard
     * @throws {Error} if it cannot carry the shard
     */
    prepare: (plan: ShardPlan, share: Share, onJournal: (part: KeyJournalPart) => void): Promise<void> => {
      progress = null;
      onPart = onJournal;
      ready = quietly(Promise.withResolvers());
      done = quietly(Promise.withResolvers());
      post({ kind: 'prepare', plan, share });
      return ready.promise;
    },
    /** @param startsAt moment of the time that all carriers share. @throws {Error} if the shard is lost */
    begin: (startsAt: number): Promise<ShardOutcome> => {
      post({ kind: 'begin', startsAt });
      return done.promise;
    },
    /** How far the shard is that has begun. */
    progress: (): EngineProgress | null => progress,
    /** Takes note that parts of its journal of this size have been judged. */
    judged: (bytes: number): void => post({ kind: 'judged', bytes }),
    /** Ends the shard early; what it has until then is its outcome. */
    stop: (): void => post({ kind: 'stop' }),
    /** Takes what the carrier says. */
    hear: (message: FromCarrier): void => {
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
    /** Nothing more is heard of it. */
    lose,
  };
}

/** A promise that may be rejected while nobody waits for it. */
function quietly<Value>(resolvers: PromiseWithResolvers<Value>): PromiseWithResolvers<Value> {
  resolvers.promise.catch(() => {});
  return resolvers;
}
