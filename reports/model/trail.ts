import { headerValues, RATE_LIMIT_HEADERS } from '../../contract/rate-limit-headers.ts';
import {
  keyLabel,
  showKeyText,
  type Trail,
  type TrailAnswer,
  type TrailKey,
  type TrailRequest,
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
  /** Number of the first answer of this line, from 1; 0 if it has none. */
  readonly number: number;
}

interface AnswerText {
  readonly status: number | null;
  readonly text: string;
}

/** A trail in lines, the oldest first. */
export function trailRows({ keys, steps }: Trail): readonly TrailRow[] {
  let next = 1;
  return steps.flatMap((step): readonly TrailRow[] => {
    const { at } = step;
    const none = { answers: [], isAtOnce: false, requests: 0, number: 0 };
    switch (step.do) {
      case 'issue key':
        return [{ at, kind: 'control', text: issuedText(keys[step.key - 1]), ...none }];
      case 'revoke key':
        return [
          { at, kind: 'control', text: `${printableLine(keyLabel(keys, step.key))} is revoked`, ...none },
        ];
      case 'replace inventory':
        return [
          {
            at,
            kind: 'control',
            text: `the inventory is replaced by ${countText(step.items.length, 'pet')}`,
            ...none,
          },
        ];
      case 'wait': {
        const told =
          step.told === undefined ? '' : `, as ${printableLine(keyLabel(keys, step.told))} was told`;
        return [{ at, kind: 'wait', text: `wait ${formatNumber(step.seconds)} s${told}`, ...none }];
      }
      case 'send':
        return step.requests.map((request) => {
          const number = next;
          next += request.times;
          return {
            at,
            kind: 'request',
            text: requestLine(request, keys),
            answers: request.answers.map(answerText),
            isAtOnce: step.connections > 1,
            requests: request.times,
            number,
          };
        });
    }
  });
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

function requestLine(
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

/** The first and the last lines of a trail, and how much is between them. */
export function shortTrail(trail: Trail, first: number, last: number): readonly string[] {
  const rows = trailRows(trail);
  if (rows.length <= first + last + 1) {
    return rows.map(trailRowText);
  }
  const between = rows.slice(first, -last);
  const requests = between.reduce((sum, row) => sum + row.requests, 0);
  return [
    ...rows.slice(0, first).map(trailRowText),
    `… ${countText(between.length, 'step')} with ${countText(requests, 'request')}`,
    ...rows.slice(-last).map(trailRowText),
  ];
}
