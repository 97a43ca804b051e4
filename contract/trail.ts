import type { Plan } from './plans.ts';

/** A stretch of a key, as `String.slice` takes it; the whole key without both ends. */
export interface KeyPiece {
  /** Number of the key in its trail, from 1. */
  readonly key: number;
  readonly from?: number;
  readonly to?: number;
  /** How the stretch is altered: in another letter-case, backwards, or by another character in its place. */
  readonly as?: 'upper' | 'lower' | 'swapped' | 'backwards' | 'changed';
}

type TextPart = string | KeyPiece;

/** A text that may present a key: then it is in parts. */
export type KeyText = string | readonly (TextPart | { readonly base64: readonly TextPart[] })[];

/** A key that a trail takes. */
export interface TrailKey {
  /** As the run called it, such as `free#1`. */
  readonly label: string;
  readonly plan: Plan;
  /** `null` if they are not known. */
  readonly perMinute: number | null;
  readonly perDay: number | null;
  /** Requests that count as made today already. */
  readonly usedToday: number;
  /** Whether it was issued for the trail, so that nobody had used it before. */
  readonly issued: boolean;
  /** Set if it had been revoked before. */
  readonly revoked?: true;
}

type Field = readonly [name: string, value: string];

/** Answers that followed one another and have the same status. */
export interface TrailAnswer {
  /** `null` if no response came. */
  readonly status: number | null;
  readonly times: number;
  /** The fields that tell something, of the first and the last of them. */
  readonly first: readonly Field[];
  readonly last: readonly Field[];
}

/** A request of a trail, sent so many times. */
export interface TrailRequest {
  readonly method: string;
  /** Relative to the base address. */
  readonly path: KeyText;
  /** Its Authorization fields. */
  readonly authorization: readonly KeyText[];
  /** Its other fields. */
  readonly headers: readonly (readonly [name: string, value: KeyText])[];
  /** `null` without one; in base64 if it is no text. */
  readonly body: string | null;
  readonly isBase64?: true;
  /** The documented operation that it is meant for, or `null`. */
  readonly operation: string | null;
  /** Number of the key that it counts on, or `null`. */
  readonly key: number | null;
  readonly times: number;
  readonly answers: readonly TrailAnswer[];
  /** Set if the violation rests on one of its answers. */
  readonly proves?: true;
}

/** An entry of the inventory; numbers are decimal digits, since they may be wider than a double. */
export interface TrailItem {
  readonly petId: string;
  readonly quantity: string;
  readonly status: string;
}

/** What was done; `at` is in milliseconds of the target's time since the trail began. */
export type TrailStep =
  | { readonly do: 'issue key'; readonly at: number; readonly key: number }
  | { readonly do: 'revoke key'; readonly at: number; readonly key: number }
  | { readonly do: 'replace inventory'; readonly at: number; readonly items: readonly TrailItem[] }
  | {
      readonly do: 'wait';
      readonly at: number;
      readonly seconds: number;
      /** Set if that was how long the last refusal of this key had asked to wait. */
      readonly told?: number;
      /** Set if the last refusal of this key had asked to wait less: repeated, the wait is no shorter than that. */
      readonly outlasts?: number;
    }
  | {
      readonly do: 'send';
      readonly at: number;
      /** 1: one after the other, on one connection; more: at once, over so many connections. */
      readonly connections: number;
      readonly requests: readonly TrailRequest[];
    };

/** What led to a finding, so that it can be done again. Keys are numbered, and no key stands in it. */
export interface Trail {
  readonly keys: readonly TrailKey[];
  /** Unix seconds of the target's clock at which it began, or `null` if that is not known. */
  readonly startedAt: number | null;
  readonly steps: readonly TrailStep[];
  /** Set if the oracle or a monitor found it, which judges what is sent again as well. */
  readonly isOracles?: true;
  /** Set if no single response shows it, so that the requests before it and the waits say why it is wrong. */
  readonly takesSeveral?: true;
  /** How often the trail may have to be sent until the fault shows: more than once for what depends on chance. */
  readonly attempts: number;
}

/** What a trail sends, in order. */
export function requestsOfTrail({ steps }: Pick<Trail, 'steps'>): readonly TrailRequest[] {
  return steps.flatMap((step) => (step.do === 'send' ? step.requests : []));
}

/** How many requests that are, each as often as it is sent. */
export function requestsInTrail(trail: Pick<Trail, 'steps'>): number {
  return requestsOfTrail(trail).reduce((sum, { times }) => sum + times, 0);
}

/** The parts of a text, also if it presents no key. */
export function partsOf(text: KeyText): Exclude<KeyText, string> {
  return typeof text === 'string' ? (text === '' ? [] : [text]) : text;
}

/** The text as it may be shown: a key by its label. @param keys those of the trail, in the order of their numbers */
export function showKeyText(text: KeyText, keys: readonly Pick<TrailKey, 'label'>[]): string {
  const show = (part: ReturnType<typeof partsOf>[number]): string => {
    if (typeof part === 'string') {
      return part;
    }
    if ('base64' in part) {
      return `base64(${part.base64.map(show).join('')})`;
    }
    const { key, from, to, as } = part;
    const ends = from === undefined && to === undefined ? '' : `[${from ?? 0}:${to ?? ''}]`;
    return `${keyLabel(keys, key)}${ends}${as === undefined ? '' : ` ${as}`}`;
  };
  return partsOf(text).map(show).join('');
}

/** The label of the key of that number. */
export function keyLabel(keys: readonly Pick<TrailKey, 'label'>[], number: number): string {
  return keys[number - 1]?.label ?? `key#${number}`;
}

/** The variable from which scripts and command lines take the key of a label: `KEY_FREE_1` for `free#1`. */
export function keyVariable(label: string): string {
  return `KEY_${label.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}
