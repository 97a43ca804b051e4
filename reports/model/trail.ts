import { headerValues, RATE_LIMIT_HEADERS } from '../../contract/rate-limit-headers.ts';
import {
  keyLabel,
  showKeyText,
  type Trail,
  type TrailAnswer,
  type TrailItem,
  type TrailKey,
  type TrailRequest,
  type TrailStep,
} from '../../contract/trail.ts';
import { countText, formatNumber, printableLine } from './words.ts';

/** One line of a trail. */
export interface TrailRow {
  /** Milliseconds of the target's time since it began. */
  readonly at: number;
  readonly kind: 'control' | 'wait' | 'request';
  /** What was done. */
  readonly text: string;
  /** How requests were answered. */
  readonly answers: readonly AnswerText[];
  /** Requests of this line were under way together with those of the next one. */
  readonly isAtOnce: boolean;
  readonly requests: number;
}

interface AnswerText {
  readonly status: number | null;
  readonly text: string;
}

/** A trail in lines, the oldest first. */
export function trailRows({ keys, steps }: Trail): readonly TrailRow[] {
  return steps.flatMap((step): readonly TrailRow[] => {
    if (step.do !== 'send') {
      return [rowOfStep(step, keys)];
    }
    return step.requests.map((request) => {
      const { times, answers } = request;
      return rowOfRequests({ step, text: sentText(request, keys), times, answers });
    });
  });
}

/** The line of a step that sends nothing. */
export function rowOfStep(
  step: Exclude<TrailStep, { readonly do: 'send' }>,
  keys: readonly TrailKey[],
): TrailRow {
  const none = { at: step.at, answers: [], isAtOnce: false, requests: 0 };
  switch (step.do) {
    case 'issue key':
      return { kind: 'control', text: issuedText(keys[step.key - 1]), ...none };
    case 'revoke key':
      return { kind: 'control', text: `${printableLine(keyLabel(keys, step.key))} is revoked`, ...none };
    case 'replace inventory':
      return { kind: 'control', text: `the inventory is replaced by ${petsText(step.items)}`, ...none };
    case 'wait': {
      const told = step.told === undefined ? '' : `, as ${printableLine(keyLabel(keys, step.told))} was told`;
      return { kind: 'wait', text: `wait ${formatNumber(step.seconds)} s${told}`, ...none };
    }
  }
}

/** The line of requests that were sent in one step. */
export function rowOfRequests({
  step,
  text,
  times,
  answers,
}: {
  readonly step: Extract<TrailStep, { readonly do: 'send' }>;
  readonly text: string;
  readonly times: number;
  readonly answers: readonly TrailAnswer[];
}): TrailRow {
  return {
    at: step.at,
    kind: 'request',
    text,
    answers: answers.map(answerText),
    isAtOnce: step.connections > 1,
    requests: times,
  };
}

function petsText(items: readonly TrailItem[]): string {
  const [first] = items;
  return items.length === 1 && first !== undefined
    ? `pet ${first.petId} with ${first.quantity} ${first.status}`
    : countText(items.length, 'pet');
}

function issuedText(key: TrailKey | undefined): string {
  if (key === undefined) {
    return 'a key';
  }
  const { label, plan, perMinute, perDay, usedToday, issued } = key;
  const limits =
    perMinute === null || perDay === null
      ? ''
      : `, ${formatNumber(perMinute)} a minute and ${formatNumber(perDay)} a day`;
  const used = usedToday === 0 ? '' : `, ${formatNumber(usedToday)} used today`;
  return `${printableLine(label)}${issued ? ' is issued' : ''}: plan ${plan}${limits}${used}`;
}

const BODY_LIMIT = 80;

/** What was sent, such as `60 × GET /inventory (free#1)`. */
export function sentText(
  { method, path, authorization, key, body, times }: TrailRequest,
  keys: readonly TrailKey[],
): string {
  const count = times === 1 ? '' : `${formatNumber(times)} × `;
  const shown = authorization.map((value) => showKeyText(value, keys)).join(' | ');
  const label = key === null ? null : keyLabel(keys, key);
  const isPlain = label !== null && shown === `Bearer ${label}`;
  const as = authorization.length === 0 ? 'no key' : printableLine(isPlain ? label : shown);
  const sent = body === null ? '' : ` ${body === '' ? '(empty body)' : printableLine(body, BODY_LIMIT)}`;
  return `${count}${printableLine(method)} ${printableLine(showKeyText(path, keys))}${sent} (${as})`;
}

function answerText({ status, times, first, last }: TrailAnswer): AnswerText {
  const count = times === 1 ? '' : `${formatNumber(times)} × `;
  const told = (name: string): string => {
    const [from, to] = [headerValues(first, name).join(', '), headerValues(last, name).join(', ')];
    return printableLine(from === to ? from : `${from} … ${to}`);
  };
  const [limit, remaining, reset] = RATE_LIMIT_HEADERS.map(told);
  const wait = told('Retry-After');
  const words = [
    `${count}${status ?? 'no response'}`,
    ...(limit === '' && remaining === ''
      ? []
      : [`${remaining === '' ? 'none' : remaining} of ${limit === '' ? 'none' : limit} remaining`]),
    ...(reset === '' ? [] : [`Reset ${reset}`]),
    ...(wait === '' ? [] : [`Retry-After ${wait}`]),
  ];
  return { status, text: words.join(', ') };
}

/** A row in one line, such as `+12 ms  60 × GET /inventory (free#1) → 60 × 200, Remaining 59 … 0`. */
function trailRowText({ at, text, answers, isAtOnce }: TrailRow): string {
  const answered = answers.length === 0 ? '' : ` → ${answers.map((answer) => answer.text).join('; ')}`;
  return `+${(at / 1000).toFixed(3)} s ${text}${isAtOnce ? ' at once' : ''}${answered}`;
}

/** The last of some lines, and how much is left out before them. */
export function shortRows(rows: readonly TrailRow[], most: number): readonly string[] {
  if (rows.length <= most + 1) {
    return rows.map(trailRowText);
  }
  const before = rows.slice(0, -most);
  const requests = before.reduce((sum, row) => sum + row.requests, 0);
  return [
    `… ${countText(before.length, 'step')} with ${countText(requests, 'request')}`,
    ...rows.slice(-most).map(trailRowText),
  ];
}
