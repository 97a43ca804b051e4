import { readInventoryItem, type InventoryItem } from '../../../contract/inventory.ts';
import { asInteger, isJsonObject } from '../../../contract/json/index.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../../contract/plans.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { BodyForm, TrailExpectation } from '../../../contract/trail.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import { jsonOf, listOf, outcomeOfWrite, type Exchange, type TimeSpan } from '../../oracle/index.ts';

/** An answer of a trail that was sent. */
export interface GivenAnswer {
  /** `null` without a response. */
  readonly status: number | null;
  readonly headers: readonly HeaderField[];
  readonly operation: string | null;
  /** With its body; `null` if it was not kept. */
  readonly exchange: Exchange | null;
  /** When it was given by the target's clock, in Unix seconds; `undefined` if that is not known. */
  readonly now: TimeSpan | undefined;
  /** Milliseconds of the timekeeper. */
  readonly sentAt: number;
  readonly endedAt: number;
}

const GRACE_SECONDS = 2;

/** Whether answers are as expected. What cannot be told of them is no fault. @param answers in the order of their numbers */
export function isAsExpected(
  expectation: TrailExpectation,
  answers: readonly (GivenAnswer | undefined)[],
): boolean {
  const at = (number: number): GivenAnswer | undefined => answers[number - 1];
  const within = (rows: readonly (readonly [number, number])[]): readonly GivenAnswer[] =>
    rows.flatMap(([from, to]) => answers.slice(from - 1, to).filter((answer) => answer !== undefined));
  switch (expectation.expect) {
    case 'response':
      return at(expectation.answer)?.status !== null;
    case 'status':
      if ('oneOf' in expectation) {
        return within(expectation.answers).every((answer) => isOneOf(answer, expectation.oneOf));
      }
      return (
        (expectation.refused !== undefined && !isOneOf(at(expectation.refused), REFUSALS)) ||
        !isOneOf(at(expectation.answer), expectation.noneOf, false)
      );
    case 'field':
      return (expectation.answer === null ? answers : [at(expectation.answer)]).every(
        (answer) => answer === undefined || hasField(answer, expectation),
      );
    case 'number': {
      const answer = at(expectation.answer);
      const value = numberOf(answer, expectation.name);
      const { least, most } = expectation;
      const bound = typeof most === 'string' ? numberOf(answer, most) : most;
      return value === undefined || (value >= least && (bound === undefined || value <= bound));
    }
    case 'granted': {
      const given = within(expectation.answers);
      const granted = given.filter(isGranted);
      const { least = 0, most = Infinity, within: seconds = Infinity, isOneWindow = false } = expectation;
      const mayBeTwoWindows = isOneWindow && secondsBetweenResets(granted) >= seconds - 1;
      const isProof = secondsOf(given) < seconds && !mayBeTwoWindows;
      return granted.length >= least && (granted.length <= most || !isProof);
    }
    case 'limited':
      return within(expectation.answers).filter(({ status }) => status === 429).length <= expectation.most;
    case 'fall':
      return falls(at(expectation.from), at(expectation.to), expectation.most);
    case 'different remaining': {
      const seen = within(expectation.answers)
        .filter((answer) => isGranted(answer) && numberOf(answer, REMAINING) !== undefined)
        .map((answer) => `${numberOf(answer, REMAINING)} ${numberOf(answer, RESET)}`);
      return new Set(seen).size === seen.length;
    }
    case 'near reset':
      return isResetNear(at(expectation.answer), expectation.perDay);
    case 'form':
      return answers.every((answer) => answer === undefined || hasForm(answer, expectation.form));
    case 'pet': {
      const { granted, refused = [] } = expectation;
      const isSet = granted === undefined || within(granted).some(isGranted);
      const isLeft = within(refused).every(({ status }) => outcomeOfWrite(status) === 'refused');
      return !(isSet && isLeft) || standsAs(at(expectation.answer), expectation);
    }
  }
}

const REFUSALS = ['401', '403', '429'];
const LIMIT = 'X-RateLimit-Limit';
const REMAINING = 'X-RateLimit-Remaining';
const RESET = 'X-RateLimit-Reset';

/** @param unless what holds if there was no response */
function isOneOf(answer: GivenAnswer | undefined, patterns: readonly string[], unless = true): boolean {
  const status = answer?.status ?? null;
  return status === null ? unless : patterns.some((pattern) => matches(status, pattern));
}

function matches(status: number, pattern: string): boolean {
  return pattern.endsWith('xx') ? String(status).startsWith(pattern.charAt(0)) : String(status) === pattern;
}

function isGranted({ status }: GivenAnswer): boolean {
  return status !== null && status >= 200 && status < 300;
}

function numberOf(answer: GivenAnswer | undefined, name: string): number | undefined {
  const [value] = headerValues(answer?.headers ?? [], name);
  return value !== undefined && /^-?\d+$/.test(value) ? Number(value) : undefined;
}

function hasField(
  { status, headers, operation }: GivenAnswer,
  {
    answer,
    statuses,
    name,
    matches: pattern,
    isOptional,
  }: Extract<TrailExpectation, { readonly expect: 'field' }>,
): boolean {
  const isAsked =
    status !== null &&
    (answer !== null || operation !== null) &&
    (statuses.length === 0 || statuses.some((one) => matches(status, one)));
  const values = headerValues(headers, name);
  const isAbsent = isOptional === true && values.length === 0;
  return !isAsked || isAbsent || (values.length === 1 && new RegExp(pattern).test(values[0] ?? ''));
}

function secondsOf(answers: readonly GivenAnswer[]): number {
  const from = Math.min(...answers.map(({ sentAt }) => sentAt));
  const to = Math.max(...answers.map(({ endedAt }) => endedAt));
  return (to - from) / 1000;
}

function secondsBetweenResets(answers: readonly GivenAnswer[]): number {
  const resets = answers
    .map((answer) => numberOf(answer, RESET))
    .filter((reset) => reset !== undefined)
    .toSorted((one, other) => one - other);
  return (resets.at(-1) ?? 0) - (resets[0] ?? 0);
}

function falls(from: GivenAnswer | undefined, to: GivenAnswer | undefined, most: number): boolean {
  const [before, after] = [numberOf(from, REMAINING), numberOf(to, REMAINING)];
  const [limit, limitBefore] = [numberOf(to, LIMIT), numberOf(from, LIMIT)];
  const areAccepted = from !== undefined && to !== undefined && isGranted(from) && isGranted(to);
  if (!areAccepted || before === undefined || after === undefined || limit !== limitBefore) {
    return true;
  }
  const used = (limit ?? 0) - after;
  const isFresh = used >= 1 && used <= most && numberOf(from, RESET) !== numberOf(to, RESET);
  return isFresh || (before - after >= 1 && before - after <= most);
}

function isResetNear(answer: GivenAnswer | undefined, perDay: number | null): boolean {
  const reset = numberOf(answer, RESET);
  if (answer?.now === undefined || reset === undefined) {
    return true;
  }
  const isOfDay = perDay === null || numberOf(answer, LIMIT) === perDay;
  const wait = answer.status !== null && answer.status >= 400 ? (numberOf(answer, 'Retry-After') ?? 0) : 0;
  const window = Math.max(isOfDay ? DAY_SECONDS : MINUTE_SECONDS, wait);
  const { earliest, latest } = answer.now;
  return reset >= earliest - GRACE_SECONDS && reset <= latest + window + GRACE_SECONDS;
}

const ITEM_MEMBERS: ReadonlySet<string> = new Set(['petId', 'quantity', 'status']);

/** Whether a body has that form, if it is documented to. */
function hasForm({ status, operation, exchange }: GivenAnswer, form: BodyForm): boolean {
  if (exchange === null || operation === null || status === null) {
    return true;
  }
  const isList = status === 200 && operation === 'listInventory';
  const isItem = status === 200 && operation === 'updateInventory';
  const isError = status === 401 || (operation === 'updateInventory' && (status === 400 || status === 404));
  const json = jsonOf(exchange);
  const list = isList ? listOf(exchange) : undefined;
  if (form === 'json') {
    return !saysJson(exchange) || json !== undefined || listOf(exchange) !== undefined;
  }
  if (form === 'list' || form === 'unique pets') {
    const isRight = form === 'list' ? list?.problems.has('object') === false : list?.repeated === undefined;
    return !isList || isRight;
  }
  if (form === 'item') {
    return !isItem || isJsonObject(json);
  }
  if (ITEM_MEMBERS.has(form)) {
    const reading = isItem && isJsonObject(json) ? readInventoryItem(json) : undefined;
    const problems =
      reading !== undefined && 'problems' in reading ? reading.problems.map(({ member }) => member) : [];
    return (
      !problems.some((member) => member === form) &&
      ![...(list?.problems.keys() ?? [])].includes(memberOf(form))
    );
  }
  const error = isJsonObject(json) ? json : {};
  const texts = [error['code'], error['message']];
  switch (form) {
    case 'code':
      return !isError || typeof texts[0] === 'string';
    case 'message':
      return !isError || typeof texts[1] === 'string';
    case 'error status':
      return !isError || asInteger(error['status']) === BigInt(status);
    default:
      return !isError || texts.every((text) => typeof text !== 'string' || text.trim() !== '');
  }
}

function memberOf(form: BodyForm): 'object' | 'petId' | 'quantity' | 'status' {
  return form === 'petId' || form === 'quantity' || form === 'status' ? form : 'object';
}

function saysJson({ response: { headers, status } }: Exchange): boolean {
  const type = headerValues(headers, 'Content-Type')[0] ?? '';
  return /^application\/(?:[^;]*\+)?json\b/i.test(type) && ![204, 205, 304].includes(status);
}

function standsAs(
  answer: GivenAnswer | undefined,
  { petId, isThere, quantities, status }: Extract<TrailExpectation, { readonly expect: 'pet' }>,
): boolean {
  if (answer?.status !== 200 || answer.exchange === null) {
    return true;
  }
  const item = itemIn(answer.exchange, petId);
  if (item === undefined || !isThere) {
    return (item !== undefined) === isThere;
  }
  const isQuantity = quantities === undefined || quantities.includes(item.quantity.toString());
  return isQuantity && (status === undefined || item.status === status);
}

/** Of a list its entry; of an item the item, if it is the pet's. */
function itemIn(exchange: Exchange, petId: string): InventoryItem | undefined {
  const list = listOf(exchange);
  if (list !== undefined) {
    return list.items.get(petId);
  }
  const reading = readInventoryItem(jsonOf(exchange));
  return 'item' in reading && reading.item.petId.toString() === petId ? reading.item : undefined;
}
