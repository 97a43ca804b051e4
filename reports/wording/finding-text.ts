import type { FindingStep, Tally } from '../../contract/verdict.ts';
import { formatNumber } from './number-text.ts';
import { printableLine } from './printable.ts';

/** How often a failure was seen, such as `Seen in 245 of 3,700 responses, 1 in 15.` */
export function tallyText({ violated, judged, of }: Tally): string {
  const seen = formatNumber(violated);
  if (judged === null) {
    return violated === 1 ? 'Seen once.' : `Seen ${seen} times.`;
  }
  const { one, many } = NOUNS[of];
  const all = `${formatNumber(judged)} ${judged === 1 ? one : many}`;
  if (violated === judged) {
    return judged === 1 ? `Seen in the only ${one}.` : `Seen in all ${all}.`;
  }
  const share = Math.round(judged / violated);
  return `Seen in ${seen} of ${all}${share > 1 ? `, 1 in ${formatNumber(share)}` : ''}.`;
}

/** What is said of a failure that another one explains. */
export function followsText(root: string): string {
  return `It probably follows from ${printableLine(root)}.`;
}

const NOUNS: Readonly<Record<Tally['of'], { readonly one: string; readonly many: string }>> = {
  responses: { one: 'response', many: 'responses' },
  judgements: { one: 'try', many: 'tries' },
  scenarios: { one: 'scenario', many: 'scenarios' },
};

const FIELD_NAMES: Readonly<Record<string, string>> = {
  'x-ratelimit-limit': 'Limit',
  'x-ratelimit-remaining': 'Remaining',
  'x-ratelimit-reset': 'Reset',
};

const BODY_LIMIT = 200;

/** A step in one line, such as `+12 ms  60 × GET http://h/v1/inventory (Bearer free#1) → 200, Remaining 59 … 0`. */
export function stepText(step: FindingStep): string {
  const { method, url, authorization, body, status, headers, count, atMilliseconds, omittedBefore } = step;
  const omitted = omittedBefore === undefined ? '' : `(${formatNumber(omittedBefore)} more before) `;
  const times = count === 1 ? '' : `${formatNumber(count)} × `;
  const sent = body === null || body === '' ? '' : ` ${printableLine(body, BODY_LIMIT)}`;
  const as = authorization === null ? 'no key' : printableLine(authorization);
  const fields = headers.map(
    ([name, value]) => `, ${FIELD_NAMES[name.toLowerCase()] ?? printableLine(name)} ${printableLine(value)}`,
  );
  const answer = status === null ? 'no response' : `${status}`;
  return `+${formatNumber(Math.round(atMilliseconds))} ms ${omitted}${times}${printableLine(method)} ${printableLine(url)}${sent} (${as}) → ${answer}${fields.join('')}`;
}
