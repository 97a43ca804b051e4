import { PLAN_LIMITS, type PlanLimits } from '../../../contract/plans.ts';
import { knownForms, MOST_TRIED, triedAtLimit } from './accepted-forms.ts';
import {
  isAccepted,
  type Exchange,
  type RequestMessage,
  planningLimits,
  secondsUntilClean,
  secondsUntilFresh,
  type Key,
  type Span,
} from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import { secondsUntilOtherPhase, spanOfSeries } from './other-phase.ts';
import { listInventory, updateInventory, distinctQuantity } from '../../target/index.ts';

/** Requests sent until the minute's limit refuses one. */
export interface Burst {
  /** In the order in which they were sent. */
  readonly exchanges: readonly Exchange[];
  /** Requests beside them that got no response. */
  readonly lost: number;
  /** Requests that the same minute had granted before them. */
  readonly alreadyGranted: number;
  /** Whether as many were granted as there was room for, more or fewer; `unclear` if some may have counted or not. */
  readonly granted: 'as many' | 'more' | 'fewer' | 'unclear';
  /** The last refusal, whose Retry-After knows of all requests before it; `null` if nothing was refused. */
  readonly refusal: Exchange | null;
}

export interface BurstOptions {
  readonly manner: 'concurrent' | 'one by one' | 'all at once';
  /** Connections that `all at once` takes; as many requests are sent beyond the limit with an issued key. */
  readonly connections?: number;
  /** What is sent, in turns. All of it has to be acceptable. */
  readonly messages: readonly RequestMessage[];
  /** What is sent first when the limit is reached. */
  readonly last?: RequestMessage;
  /** Whether nothing goes beyond the limit of a configured key, or of any at once, but one by one, so that it is plain what refused it. */
  readonly endsOneByOne?: boolean;
  /** How many of a configured key are sent one by one before the others; 1 by default. */
  readonly alone?: number;
  /** Whether forms are tried beyond the limit, so that it is not only refused once or twice. */
  readonly triesForms?: boolean;
  /** Whether it goes on with the minute that the key's last answer told of. */
  readonly goesOn?: boolean;
}

// Sent at once around the limit, some of them beyond it, so that one granted too many is seen.
const TAIL = 24;
const EXCESS = 4;
const CONFIGURED_EXCESS = 1;
const LAST = 4;
// A reset that an answer names again after so long is not counted from each request.
const FIXED_SECONDS = 2.1;
const CONNECTIONS = TAIL + EXCESS;

// A list this long makes a thousand of them outlast a window.
const LONG_LIST_BYTES = 50_000;
// From here on no spelling of the list is worth its bytes either.
const HUGE_LIST_BYTES = 1_000_000;

/** The most requests that a burst makes with a key of these limits. */
export function burstRequests({ perMinute }: Pick<PlanLimits, 'perMinute'>): number {
  return perMinute + EXCESS + LAST;
}

/** Sends requests until the limit of the minute refuses. */
async function exhaustMinute(
  context: CheckContext,
  key: Key,
  options: BurstOptions,
  hasRested = false,
): Promise<Burst> {
  const limit = planningLimits(key).perMinute;
  const remaining = options.goesOn === true ? key.usage.last?.rateLimit.remaining : undefined;
  if (remaining === undefined) {
    await rest(context, key);
  }
  const alreadyGranted =
    remaining !== undefined
      ? limit - remaining
      : secondsUntilClean(key, context.now()) > 0
        ? key.usage.acceptedSinceFull
        : 0;
  const sentBefore = key.usage.sentAt.length;
  const room = limit - alreadyGranted;
  const exchanges: Exchange[] = [];
  const sendOne = async (message: RequestMessage): Promise<Exchange> => {
    const exchange = await context.send(message, { key });
    exchanges.push(exchange);
    return exchange;
  };
  if (options.manner === 'one by one') {
    for (const message of takeInTurns(options.messages, room)) {
      if (isRefusal(await sendOne(message))) {
        break;
      }
    }
  } else {
    // Of a configured key nobody knows before its first answer what was used, and which window the others are granted in.
    const alone = key.issued || room < 3 ? 0 : (options.alone ?? 1);
    for (const message of takeInTurns(options.messages, alone)) {
      await sendOne(message);
    }
    if (alone > 0 && remaining === undefined && !hasRested && isPartlyUsed(context, key)) {
      return exhaustMinute(context, key, options, true);
    }
    exchanges.push(...(await sendBeside(context, key, options, { room, alone })));
  }
  let refusal: Exchange | null = null;
  let isTold = false;
  for (const [extra, message] of takeInTurns(options.messages, LAST).entries()) {
    if (!isTold && countAccepted(exchanges) > room) {
      isTold = true;
      await context.sleep(FIXED_SECONDS, `whether ${key.label} is told of the same window still`);
    }
    const exchange = await sendOne(extra === 0 ? (options.last ?? message) : message);
    if (isRefusal(exchange)) {
      refusal = exchange;
      break;
    }
  }
  // What was sent again may have counted twice.
  const lost = key.usage.sentAt.length - sentBefore - exchanges.length;
  const granted = compare(exchanges, room, lost);
  const last =
    refusal !== null && options.triesForms === true ? await tryForms(context, key, refusal) : refusal;
  return { exchanges, lost, alreadyGranted, granted, refusal: last };
}

const FORMS_AT_LIMIT = 6;
// A key may be refused so often again, and still be refused less often than one that was banned for it.
const SPARED_REFUSALS = 3;

/**
 * In real time, sends forms at the limit of a key that no check sent there yet, if another key was refused more often before
 * it was banned. With fresh keys, `limit-over-forms` sends them all, and the ban check does if nothing bans its key. A form
 * that is granted is sent again, each time after a plain request, since no minute begins anew so often.
 * @returns the last refusal
 */
async function tryForms(context: CheckContext, key: Key, refusal: Exchange): Promise<Exchange> {
  let last = refusal;
  const isHarmless = (): boolean => {
    const endured = context.mostEndured();
    const isBelow = key.usage.refusals + SPARED_REFUSALS < endured;
    return last.response.status === 429 && isBelow && endured < MOST_TRIED;
  };
  for (let tried = 0; tried < FORMS_AT_LIMIT && !context.fullControl && isHarmless(); tried += 1) {
    const { message, over } = triedAtLimit(context).at(-context.nextTurn()) ?? {};
    if (message === undefined) {
      break;
    }
    let exchange = await context.send(message, { key }, over);
    while (isAccepted(exchange) && isHarmless()) {
      const plain = await context.send(listInventory(), { key });
      last = isRefusal(plain) ? plain : last;
      exchange = await context.send(message, { key }, over);
      if (!isRefusal(plain)) {
        break;
      }
    }
    last = isRefusal(exchange) ? exchange : last;
  }
  return last;
}

/**
 * Sends so many requests as there is room for, and some beyond it, several at a time. Once a configured key is refused, no
 * more leave: it should not be banned for what was sent at once.
 * @param alone how many of them were sent before
 */
async function sendBeside(
  context: CheckContext,
  key: Key,
  options: BurstOptions,
  { room, alone }: { readonly room: number; readonly alone: number },
): Promise<readonly Exchange[]> {
  const { messages, manner, connections = CONNECTIONS, endsOneByOne = false } = options;
  // A body that comes in parts comes after all others: it is refused in place of one that raced with them.
  const prompt = messages.filter(({ inParts }) => inParts !== true);
  const isLast = (exchange: Exchange): boolean => !key.issued && isRefusal(exchange);
  const beyond = endsOneByOne ? 0 : CONFIGURED_EXCESS;
  if (manner === 'all at once') {
    const excess = key.issued && !endsOneByOne ? connections : beyond;
    return context.sendAll(takeInTurns(prompt, room + excess - alone, alone), key, connections, isLast);
  }
  const tail = Math.min(TAIL, Math.floor(room / 2));
  const first = Math.max(0, room - tail - 1);
  const begun = await context.sendAll(takeInTurns(messages, first - alone, alone), key, CONNECTIONS, isLast);
  if (begun.some(isLast)) {
    return begun;
  }
  const single: Exchange[] = [];
  for (const message of takeInTurns(messages, 1, first)) {
    single.push(await context.send(message, { key }));
  }
  const closing = takeInTurns(prompt, tail + (context.fullControl ? EXCESS : beyond), first + 1);
  return [...begun, ...single, ...(await context.sendAll(closing, key, CONNECTIONS, isLast))];
}

// A sliding counter forgets a window only after two.
const FRESH_SHARE = 0.9;

/** Whether the key's last answer told that its minute is not fresh. */
function isPartlyUsed(context: CheckContext, key: Key): boolean {
  const { perMinute } = planningLimits(key);
  const told = key.usage.last?.rateLimit;
  return !context.isMiscounted(key) && told?.limit === perMinute && told.remaining < perMinute * FRESH_SHARE;
}

function compare(exchanges: readonly Exchange[], room: number, lostResponses: number): Burst['granted'] {
  const granted = countAccepted(exchanges);
  const others = exchanges.filter((exchange) => !isAccepted(exchange) && !isRefusal(exchange)).length;
  if (granted > room) {
    return 'more';
  }
  if (granted + others + lostResponses < room) {
    return 'fewer';
  }
  return granted === room ? 'as many' : 'unclear';
}

/** Refused for the rate, or banned. */
function isRefusal({ response }: Exchange): boolean {
  return [401, 403, 429, 503].includes(response.status);
}

/** Waits until the key's window is fresh, unless its last response showed that it has just begun. */
async function rest(context: CheckContext, key: Key): Promise<void> {
  const seconds = secondsUntilFresh(key, context.now());
  if (seconds > 0) {
    await context.sleep(seconds, `a fresh window for ${key.label}`);
  }
}

const MOST_ATTEMPTS = 3;

/**
 * Uses up a minute, and again after a rest, at another phase of the minute, if a window's end, a lost response or somebody
 * else's requests may explain why another number was granted than the limit.
 * @param attempts at most; more than the limit is looked into once more in any case
 */
export async function useUpMinute(
  context: CheckContext,
  key: Key,
  options: BurstOptions,
  attempts = MOST_ATTEMPTS,
): Promise<Burst> {
  const spans: Span[] = [];
  let fewer = 0;
  for (let attempt = 1; ; attempt += 1) {
    const neverUsed = key.issued && key.usage.sentAt.length === 0;
    const burst = await exhaustMinute(context, key, attempt === 1 ? options : { ...options, goesOn: false });
    spans.push(spanOfSeries(burst.exchanges));
    const { granted } = burst;
    fewer += granted === 'fewer' ? 1 : 0;
    const isPlain = granted === 'as many' || (granted === 'fewer' && (neverUsed || fewer > 1));
    const isNothing = countAccepted(burst.exchanges) === 0;
    const isExplained = !context.virtualTime && context.isMiscounted(key);
    if (
      isPlain ||
      isNothing ||
      isExplained ||
      attempt >= (granted === 'more' ? Math.max(attempts, 2) : attempts)
    ) {
      return burst;
    }
    // A sliding counter forgets a window only after two.
    const windows = granted === 'fewer' || context.virtualTime ? 2 : 1;
    await context.sleep(
      secondsUntilOtherPhase(spans, context.now(), windows),
      `using up the limit of ${key.label} again`,
    );
  }
}

/** So many of these, in turns. @param from which of them comes first */
export function takeInTurns(
  messages: readonly RequestMessage[],
  count: number,
  from = 0,
): readonly RequestMessage[] {
  return Array.from(
    { length: count },
    (_, index) => messages[(from + index) % messages.length] ?? listInventory(),
  );
}

/**
 * A mix of what is documented; a list that is long is left out if there is something else. Each update changes something,
 * so that a list shows one that was lost.
 */
export function documentedMix(context: CheckContext): readonly RequestMessage[] {
  const [pet] = context.pets;
  if (pet === undefined) {
    return [listInventory()];
  }
  const updates = [pet.item.quantity, distinctQuantity(pet) + 1].map((quantity) =>
    updateInventory(pet.petId, quantity),
  );
  return isLong(context) ? updates : updates.flatMap((update) => [listInventory(), update]);
}

/**
 * A mix of everything that the target accepts, so that a limiter that forgets an operation or a spelling grants
 * too many.
 */
export function acceptedMix(context: CheckContext): readonly RequestMessage[] {
  const [pet] = context.pets;
  const { listBytes } = context.facts;
  const forms = knownForms(context).flatMap(({ isList, build }) => {
    const message = build(pet);
    const most = message?.operation === null ? HUGE_LIST_BYTES : LONG_LIST_BYTES;
    return message === undefined || (isList === true && listBytes >= most) ? [] : [message];
  });
  return [...documentedMix(context), ...forms];
}

function isLong({ facts }: CheckContext): boolean {
  return facts.listBytes >= LONG_LIST_BYTES;
}

/** An update that changes something if it is granted. */
export function changingUpdate(context: CheckContext): RequestMessage | undefined {
  const [pet] = context.pets;
  return pet === undefined ? undefined : updateInventory(pet.petId, distinctQuantity(pet));
}

/** Limits that an Enterprise key is issued with for a check: a day beyond that of every other plan. */
export const AGREED_LIMITS: PlanLimits = {
  perMinute: PLAN_LIMITS.free.perMinute + 17,
  perDay: PLAN_LIMITS.business.perDay + 1_234,
};

export function countAccepted(exchanges: readonly Exchange[]): number {
  return exchanges.filter(isAccepted).length;
}
