import {
  showKeyText,
  type Trail,
  type TrailAnswer,
  type TrailExpectation,
  type TrailKey,
  type TrailRequest,
} from '../../contract/trail.ts';
import { headerValues, RATE_LIMIT_HEADERS } from '../../contract/rate-limit-headers.ts';
import { formatNumber } from './number-text.ts';
import { printableLine } from './printable.ts';
import { countText } from './subject-text.ts';

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
export function trailRows({ keys, steps, expectation }: Trail): readonly TrailRow[] {
  const isAboutReset = expectation?.expect === 'near reset';
  let next = 1;
  return steps.flatMap((step): readonly TrailRow[] => {
    const { at } = step;
    const none = { answers: [], isAtOnce: false, requests: 0, number: 0 };
    switch (step.do) {
      case 'issue key':
        return [{ at, kind: 'control', text: issuedText(keys[step.key - 1], step.key), ...none }];
      case 'revoke key':
        return [{ at, kind: 'control', text: `KEY_${step.key} is revoked`, ...none }];
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
        const told = step.told === undefined ? '' : `, as KEY_${step.told} was told`;
        return [{ at, kind: 'wait', text: `wait ${formatNumber(step.seconds)} s${told}`, ...none }];
      }
      case 'send':
        return step.requests.map((request) => {
          const number = next;
          next += request.times;
          return {
            at,
            kind: 'request',
            text: requestLine(request),
            answers: request.answers.map((answer) => answerText(answer, isAboutReset)),
            isAtOnce: step.connections > 1,
            requests: request.times,
            number,
          };
        });
    }
  });
}

function issuedText(key: TrailKey | undefined, number: number): string {
  if (key === undefined) {
    return `KEY_${number}`;
  }
  const { label, plan, perMinute, perDay, usedToday, issued } = key;
  const limits =
    perMinute === null || perDay === null
      ? ''
      : `, ${formatNumber(perMinute)} a minute and ${formatNumber(perDay)} a day`;
  const used = usedToday === 0 ? '' : `, ${formatNumber(usedToday)} used today`;
  return `KEY_${number}${issued ? ' is issued' : ''}: ${printableLine(label)}, plan ${plan}${limits}${used}`;
}

const BODY_LIMIT = 80;

function requestLine({ method, path, authorization, key, body, times }: TrailRequest): string {
  const count = times === 1 ? '' : `${formatNumber(times)} × `;
  const shown = authorization.map(showKeyText).join(' | ');
  const isPlain = key !== null && shown === `Bearer KEY_${key}`;
  const as = authorization.length === 0 ? 'no key' : isPlain ? `KEY_${key}` : printableLine(shown);
  const sent = body === null ? '' : ` ${body === '' ? '(empty body)' : printableLine(body, BODY_LIMIT)}`;
  return `${count}${printableLine(method)} ${printableLine(showKeyText(path))}${sent} (${as})`;
}

function answerText({ status, times, first, last }: TrailAnswer, showsReset: boolean): AnswerText {
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
    ...(showsReset ? [`Reset ${reset === '' ? 'missing' : reset}`] : []),
    ...(wait === '' ? [] : [`Retry-After ${wait}`]),
  ];
  return { status, text: words.join(', ') };
}

/** A row in one line, such as `+12 ms  60 × GET /inventory (KEY_1) → 60 × 200, Remaining 59 … 0`. */
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

/** What the answers should have been, in a sentence. */
export function expectationText(expectation: TrailExpectation | null): string {
  switch (expectation?.expect) {
    case undefined:
      return 'Which answer is wrong, only stockcheck can tell.';
    case 'response':
      return `Request ${expectation.answer} should be answered.`;
    case 'status':
      return 'oneOf' in expectation
        ? `${answersOf(expectation.answers)} should be ${listOf(expectation.oneOf)}.`
        : `Answer ${expectation.answer} should not be ${listOf(expectation.noneOf)}${expectation.refused === undefined ? '' : ` after the refusal in answer ${expectation.refused}`}.`;
    case 'field': {
      const which = expectation.answer === null ? 'Each answer' : `Answer ${expectation.answer}`;
      const of = expectation.statuses.length === 0 ? '' : `, if it is ${listOf(expectation.statuses)},`;
      const like = expectation.matches === '' ? '' : `, as ${printableLine(expectation.matches)}`;
      return `${which}${of} should have ${printableLine(expectation.name)} once${like}.`;
    }
    case 'number':
      return `${printableLine(expectation.name)} of answer ${expectation.answer} should be between ${expectation.least} and ${printableLine(String(expectation.most))}.`;
    case 'granted': {
      const least = expectation.least === undefined ? '' : ` at least ${expectation.least}`;
      const most = expectation.most === undefined ? '' : ` at most ${expectation.most}`;
      return `Of the requests ${rowsText(expectation.answers)},${least}${most} should be granted.`;
    }
    case 'limited':
      return `Of the requests ${rowsText(expectation.answers)}, at most ${expectation.most} should be answered 429.`;
    case 'fall':
      return `X-RateLimit-Remaining should fall by one from answer ${expectation.from} to answer ${expectation.to}.`;
    case 'different remaining':
      return `No two of the answers ${rowsText(expectation.answers)} should show the same X-RateLimit-Remaining.`;
    case 'near reset':
      return `X-RateLimit-Reset of answer ${expectation.answer} should be a Unix time within the window.`;
    case 'form':
      return `Each documented body should be right in this: ${expectation.form}.`;
    case 'pet': {
      const { answer, petId, isThere, quantities, status } = expectation;
      const at = quantities === undefined ? '' : ` at ${listOf(quantities)}`;
      return `Answer ${answer} should ${isThere ? 'show' : 'not show'} pet ${printableLine(petId)}${at}${status === undefined ? '' : `, ${printableLine(status)}`}.`;
    }
  }
}

function answersOf(rows: readonly (readonly [number, number])[]): string {
  const [first, ...more] = rows;
  const isOne = first !== undefined && more.length === 0 && first[0] === first[1];
  return isOne ? `Answer ${first[0]}` : `Each of the answers ${rowsText(rows)}`;
}

const MOST_LISTED = 8;

function listOf(words: readonly string[]): string {
  const shown = words.slice(0, MOST_LISTED).map((word) => printableLine(word));
  return words.length > MOST_LISTED
    ? `${shown.join(', ')} or another of ${words.length}`
    : shown.join(' or ');
}

function rowsText(rows: readonly (readonly [number, number])[]): string {
  const shown = rows
    .slice(0, MOST_LISTED)
    .map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`));
  return `${shown.join(', ')}${rows.length > MOST_LISTED ? ' and more' : ''}`;
}
