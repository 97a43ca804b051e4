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
  /** Of the last one, cut to a readable length. */
  readonly body: string;
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

/** The forms that a body can be asked for. */
export const BODY_FORMS = [
  'json',
  'list',
  'unique pets',
  'item',
  'petId',
  'quantity',
  'status',
  'code',
  'message',
  'error status',
  'texts',
] as const;

export type BodyForm = (typeof BODY_FORMS)[number];

/** Answers by their number in the trail, from 1: the first and the last of a row. */
type AnswerRow = readonly [from: number, to: number];

/** What answers of a trail have to be; anything else is the fault that the trail shows. */
export type TrailExpectation =
  /** A response comes. */
  | { readonly expect: 'response'; readonly answer: number }
  /** Its status is one of these, or none of those; `5xx` stands for all from 500 on. */
  | {
      readonly expect: 'status';
      readonly answers: readonly AnswerRow[];
      readonly oneOf: readonly string[];
    }
  | {
      readonly expect: 'status';
      readonly answer: number;
      readonly noneOf: readonly string[];
      /** It shows something only if this answer is a refusal: what follows it waited as that asked. */
      readonly refused?: number;
    }
  /** The field stands there once, with a value that matches a POSIX extended regular expression. */
  | {
      readonly expect: 'field';
      /** `null` for every answer to a documented operation that has one of these statuses. */
      readonly answer: number | null;
      /** No matter which if there is none. */
      readonly statuses: readonly string[];
      readonly name: string;
      readonly matches: string;
      /** Set if it need not be there. */
      readonly isOptional?: true;
    }
  /** A field of this answer is a number within these bounds, if it is there. */
  | {
      readonly expect: 'number';
      readonly answer: number;
      readonly name: string;
      readonly least: number;
      readonly most: number | string;
    }
  /** So many of them are accepted; with `within`, if they were sent in less than so many seconds. */
  | {
      readonly expect: 'granted';
      readonly answers: readonly AnswerRow[];
      readonly least?: number;
      readonly most?: number;
      readonly within?: number;
      /** Set if it shows nothing once their X-RateLimit-Reset are a window of that length apart. */
      readonly isOneWindow?: true;
    }
  /** At most so many of them are answered 429. */
  | { readonly expect: 'limited'; readonly answers: readonly AnswerRow[]; readonly most: number }
  /** X-RateLimit-Remaining falls by one from an answer to another, and by up to so many, unless a window began. */
  | { readonly expect: 'fall'; readonly from: number; readonly to: number; readonly most: number }
  /** No two accepted ones show the same X-RateLimit-Remaining and X-RateLimit-Reset. */
  | { readonly expect: 'different remaining'; readonly answers: readonly AnswerRow[] }
  /** X-RateLimit-Reset is within the window that X-RateLimit-Limit names; `perDay` is the key's limit of a day. */
  | { readonly expect: 'near reset'; readonly answer: number; readonly perDay: number | null }
  /** Every answer whose body is documented to have that form has it. */
  | { readonly expect: 'form'; readonly form: BodyForm }
  /** The body, an item or a list of items, holds the pet with one of these quantities and statuses; or it does not. */
  | {
      readonly expect: 'pet';
      readonly answer: number;
      readonly petId: string;
      readonly isThere: boolean;
      readonly quantities?: readonly string[];
      readonly status?: string;
      /** It shows something only if one of these answers is granted. */
      readonly granted?: readonly AnswerRow[];
      /** It shows something only if all of these answers are refusals. */
      readonly refused?: readonly AnswerRow[];
    };

/** What led to a finding, so that it can be done again. Keys are numbered, and no key stands in it. */
export interface Trail {
  readonly keys: readonly TrailKey[];
  /** Unix seconds of the target's clock at which it began, or `null` if that is not known. */
  readonly startedAt: number | null;
  readonly steps: readonly TrailStep[];
  /** Pets of the target itself that it wrote to, as they stood before. */
  readonly wrote: readonly TrailItem[];
  /** `null` if the answers alone do not tell. */
  readonly expectation: TrailExpectation | null;
  /** Set if there is no expectation and the oracle found it: then it tells as well if the trail is sent again. */
  readonly isOracles?: true;
  /** How often the trail may have to be sent until the fault shows: more than once for what depends on chance. */
  readonly attempts: number;
  /** Where it stands in the whole run, of which a report tells if other checks may have had a part in the finding. */
  readonly inWholeRun?: PlaceInWholeRun;
}

/** What all checks of a run did, in order; only of what they were answered it tells little. */
export type WholeRun = Pick<Trail, 'keys' | 'startedAt' | 'steps' | 'wrote'>;

/** Where a finding stands in a whole run. */
export interface PlaceInWholeRun {
  /** Number of the answer, from 1, that shows it; what was sent after its step does not matter. */
  readonly until: number;
  /** By the numbers of the whole run; `null` if the answers alone do not tell. */
  readonly expectation: TrailExpectation | null;
  /** Set if there is no expectation and the oracle found it. */
  readonly isOracles?: true;
}

// Which of several requests comes first differs from one sending to the next.
const WHOLE_RUN_ATTEMPTS = 3;

/** What a run did until a finding, as a trail: what was sent at once with its answer is part of it. */
export function trailInWholeRun(
  { steps, ...run }: WholeRun,
  { until, expectation, isOracles }: PlaceInWholeRun,
): Trail {
  let sent = 0;
  const taken = steps.filter((step) => {
    const isTaken = sent < until;
    sent += step.do === 'send' ? step.requests.reduce((sum, { times }) => sum + times, 0) : 0;
    return isTaken;
  });
  return {
    ...run,
    steps: taken,
    expectation,
    ...(isOracles === undefined ? {} : { isOracles }),
    attempts: WHOLE_RUN_ATTEMPTS,
  };
}

/** The parts of a text, also if it presents no key. */
export function partsOf(text: KeyText): Exclude<KeyText, string> {
  return typeof text === 'string' ? (text === '' ? [] : [text]) : text;
}

/** The text as it may be shown: a key by its name. */
export function showKeyText(text: KeyText): string {
  return partsOf(text).map(showPart).join('');
}

function showPart(part: ReturnType<typeof partsOf>[number]): string {
  if (typeof part === 'string') {
    return part;
  }
  if ('base64' in part) {
    return `base64(${part.base64.map(showPart).join('')})`;
  }
  const { key, from, to, as } = part;
  const ends = from === undefined && to === undefined ? '' : `[${from ?? 0}:${to ?? ''}]`;
  return `KEY_${key}${ends}${as === undefined ? '' : ` ${as}`}`;
}

/** Whether the moments of a trail matter: it shows what was granted too soon, so that nothing may come later. */
export function keepsPace({ expectation }: Pick<Trail, 'expectation'>): boolean {
  return expectation?.expect === 'granted' && expectation.within !== undefined;
}
