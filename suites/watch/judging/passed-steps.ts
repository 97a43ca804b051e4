import type { TrafficFindings } from '../judge-recordings.ts';
import type { PassedRequest, PassedResponse } from '../proxy/forward.ts';
import type { BaseAddress } from '../traffic/base-address.ts';
import type { PlanKey } from '../traffic/callers.ts';

/** What passed, in the order in which it happened; moments are Unix milliseconds. */
export type PassedStep =
  | { readonly step: 'began'; readonly id: number; readonly request: PassedRequest }
  | {
      readonly step: 'ended';
      readonly id: number;
      readonly response: PassedResponse | null;
      readonly endedAt: number;
    }
  /** So many requests began, and so many ended, that nobody judges. */
  | { readonly step: 'missed'; readonly at: number; readonly begun: number; readonly ended: number };

/** What the thread that judges is started with. */
export interface JudgingOrder {
  readonly base: BaseAddress;
  readonly keys: readonly PlanKey[];
  readonly isExclusive: boolean;
  /** What is hidden from the start, with the labels that stand for it. */
  readonly secrets: readonly (readonly [secret: string, label: string])[];
}

/** What was judged so far. */
export type JudgedTraffic = Omit<TrafficFindings, 'others'>;

/** Messages to the thread. */
export type ToJudge =
  | { readonly kind: 'steps'; readonly steps: readonly PassedStep[] }
  /** Nothing comes any more. */
  | { readonly kind: 'end' };

/** Messages from the thread. */
export type FromJudge =
  /** It takes steps now, and this is what is known before the first. */
  | { readonly kind: 'ready'; readonly judged: JudgedTraffic }
  /** The steps of the oldest message are judged. */
  | { readonly kind: 'done' }
  | { readonly kind: 'judged'; readonly judged: JudgedTraffic }
  /** All is judged; keys that were met have to be hidden from now on, too. */
  | { readonly kind: 'ended'; readonly judged: JudgedTraffic; readonly secrets: JudgingOrder['secrets'] };
