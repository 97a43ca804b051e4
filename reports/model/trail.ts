import { headerValues, RATE_LIMIT_HEADERS } from '../../contract/rate-limit-headers.ts';
import {
  keyLabel,
  requestsOfTrail,
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

type Send = Extract<TrailStep, { readonly do: 'send' }>;

/** A trail in lines, the oldest first. */
export function trailRows({ keys, steps }: Trail): readonly TrailRow[] {
  return steps.flatMap((step) =>
    step.do === 'send'
      ? step.requests.map((request) => rowOfRequests(step, sentText(request, keys), request))
      : [rowOfStep(step, keys)],
  );
}

/** The line of a step that sends nothing. */
function rowOfStep(step: Exclude<TrailStep, Send>, keys: readonly TrailKey[]): TrailRow {
  const none = { at: step.at, answers: [], isAtOnce: false, requests: 0 };
  switch (step.do) {
    case 'issue key':
      return { text: issuedText(keys[step.key - 1]), ...none };
    case 'revoke key':
      return { text: `${printableLine(keyLabel(keys, step.key))} is revoked`, ...none };
    case 'replace inventory':
      return { text: `the inventory is replaced by ${petsText(step.items)}`, ...none };
    case 'wait': {
      const told = step.told === undefined ? '' : `, as ${printableLine(keyLabel(keys, step.told))} was told`;
      return { text: `wait ${formatNumber(step.seconds)} s${told}`, ...none };
    }
  }
}

/** The line of requests that were sent in one step. */
function rowOfRequests(
  { at, connections }: Send,
  text: string,
  { times, answers }: Pick<TrailRequest, 'times' | 'answers'>,
): TrailRow {
  return {
    at,
    text,
    answers: answers.map(answerText),
    isAtOnce: connections > 1,
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
const FIELD_LIMIT = 60;
const MOST_FIELDS = 3;
const ORDINARY_FIELD = 'Content-Type: application/json';

/** What was sent, such as `60 × GET /inventory (free#1)`. */
function sentText(
  { method, path, authorization, headers, key, body, times }: TrailRequest,
  keys: readonly TrailKey[],
): string {
  const count = times === 1 ? '' : `${formatNumber(times)} × `;
  const shown = authorization.map((value) => showKeyText(value, keys)).join(' | ');
  const label = key === null ? null : keyLabel(keys, key);
  const isPlain = label !== null && shown === `Bearer ${label}`;
  const as = authorization.length === 0 ? 'no key' : printableLine(isPlain ? label : shown);
  const sent = body === null ? '' : ` ${body === '' ? '(empty body)' : printableLine(body, BODY_LIMIT)}`;
  const fields = headers
    .map(([name, value]) => printableLine(`${name}: ${showKeyText(value, keys)}`, FIELD_LIMIT))
    .filter((field) => field !== ORDINARY_FIELD);
  const names = [as, ...fields.slice(0, MOST_FIELDS), ...(fields.length > MOST_FIELDS ? ['…'] : [])];
  return `${count}${printableLine(method)} ${printableLine(showKeyText(path, keys))}${sent} (${names.join(', ')})`;
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

// More pets than that say only that the inventory was filled.
const FEW_PETS = 2;

/**
 * What of a trail shows the violation: the requests that it rests on and, if a single answer does not show it, what was
 * waited for and what else was sent with its key, in one line.
 */
export function proofRows(trail: Trail): readonly TrailRow[] {
  const proof = provingOf(trail);
  const isInOne = trail.takesSeveral !== true;
  // Of several answers each says what it has to; of one, the requests before it say why it is wrong.
  const counts = !isInOne && proof.size === 1;
  const keys = new Set([...proof].map(({ key }) => key));
  const rows: TrailRow[] = [];
  // If counts matter, one request proves it, and so all others have its key.
  let others: { readonly step: Send; readonly request: TrailRequest }[] = [];
  const flush = (): void => {
    const [first] = others;
    if (first !== undefined) {
      const requests = others.map(({ request }) => request);
      rows.push(joined(first.step, requests, trail));
    }
    others = [];
  };
  const isShown = (step: TrailStep): boolean =>
    step.do === 'send'
      ? step.requests.some((request) => keys.has(request.key) && (counts || proof.has(request)))
      : isInOne
        ? setsOut(step, proof)
        : isTelling(step, keys, proof);
  for (const step of joinWaits(trail.steps.filter(isShown))) {
    if (step.do !== 'send') {
      flush();
      rows.push(rowOfStep(step, trail.keys));
      continue;
    }
    const own = step.requests.filter(({ key }) => keys.has(key));
    if (counts && step.connections > 1 && own.some((request) => proof.has(request))) {
      flush();
      rows.push(joined(step, own, trail));
      continue;
    }
    for (const request of own) {
      if (proof.has(request)) {
        flush();
        rows.push(joined(step, [request], trail));
      } else if (counts) {
        others.push({ step, request });
      }
    }
  }
  return rows;
}

/** Waits with nothing shown between them are one. */
function joinWaits(steps: readonly TrailStep[]): readonly TrailStep[] {
  const rows: TrailStep[] = [];
  for (const step of steps) {
    const last = rows.at(-1);
    if (step.do === 'wait' && last?.do === 'wait') {
      const seconds = Math.round(step.at + 1000 * step.seconds - last.at) / 1000;
      rows[rows.length - 1] = { do: 'wait', at: last.at, seconds };
    } else {
      rows.push(step);
    }
  }
  return rows;
}

/** Trails of earlier versions do not say which they are: the last one decides. */
function provingOf(trail: Trail): ReadonlySet<TrailRequest> {
  const all = requestsOfTrail(trail);
  const proving = all.filter(({ proves }) => proves === true);
  return new Set(proving.length === 0 ? all.slice(-1) : proving);
}

/** Whether it fills the inventory with what the proof asks for. */
function setsOut(step: Exclude<TrailStep, Send>, proof: ReadonlySet<TrailRequest>): boolean {
  return (
    step.do === 'replace inventory' &&
    step.items.length <= FEW_PETS &&
    [...proof].some(({ path }) => step.items.some(({ petId }) => path === `/inventory/${petId}`))
  );
}

function isTelling(
  step: Exclude<TrailStep, Send>,
  keys: ReadonlySet<number | null>,
  proof: ReadonlySet<TrailRequest>,
): boolean {
  switch (step.do) {
    case 'issue key':
      return keys.has(step.key);
    case 'replace inventory':
      return setsOut(step, proof);
    case 'revoke key':
    case 'wait':
      return true;
  }
}

/** Requests with the same key in one line. */
function joined(step: Send, requests: readonly TrailRequest[], { keys }: Trail): TrailRow {
  const [first] = requests;
  if (first !== undefined && requests.length === 1) {
    return rowOfRequests(step, sentText(first, keys), first);
  }
  const times = requests.reduce((sum, request) => sum + request.times, 0);
  const key = first?.key ?? null;
  const as = key === null ? 'no key' : printableLine(keyLabel(keys, key));
  const text = `${formatNumber(times)} requests (${as})`;
  return rowOfRequests(step, text, { times, answers: answersByStatus(requests) });
}

function answersByStatus(requests: readonly TrailRequest[]): readonly TrailAnswer[] {
  const all = new Map<number | null, TrailAnswer>();
  for (const answer of requests.flatMap(({ answers }) => answers)) {
    const known = all.get(answer.status) ?? { ...answer, times: 0 };
    all.set(answer.status, { ...known, times: known.times + answer.times, last: answer.last });
  }
  return [...all.values()];
}
