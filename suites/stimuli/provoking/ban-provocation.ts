import { BAN_STATUSES } from '../../../contract/bans.ts';
import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import { acceptedMix, countAccepted, takeInTurns } from './burst.ts';
import {
  isAccepted,
  rateLimitOf,
  type Exchange,
  type RequestMessage,
  planningLimits,
  type Key,
  secondsToWait,
} from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import { getPet, listInventory, listOrders, updateInventory } from '../../target/index.ts';

/** Requests sent beyond a limit before a target is taken for one that does not ban. */
export const CONTINUED_REQUESTS = 120;
/** So many of them are sent at once. */
export const CONTINUED_AT_ONCE = 8;
// A Retry-After this much longer than what the limit said is no longer about the limit.
const NOTICEABLY_LONGER_SECONDS = 3;

/** How a key goes beyond its limit. */
interface Approach {
  readonly pauseSeconds: number;
  /** Whether the first request beyond it is enough if it shows that the window slides. */
  readonly stopsIfSliding: boolean;
}

// Well within the window, so that a ban of about a minute outlasts what is left of it.
export const PAUSE_SECONDS = 25;
const IN_VIRTUAL_TIME: Approach = { pauseSeconds: PAUSE_SECONDS, stopsIfSliding: true };
// In real time the key comes back early before it goes on, and may be wanted again.
const IN_REAL_TIME: Approach = { pauseSeconds: 2, stopsIfSliding: false };
// What begins two minutes after a counter turned out to slide is as far from the turn of a minute as can be.
const ANOTHER_PHASE_SECONDS = 2 * MINUTE_SECONDS + 0.5;
const AT_ANOTHER_PHASE: Approach = { pauseSeconds: 12, stopsIfSliding: false };

/**
 * Uses up the minute, pauses, and goes one request beyond the limit; the first refusal, or `null`. If a window that
 * slides lets in a few from then on, it begins anew at another phase of the minute, if a clock can be moved: each of
 * them may put off a ban, and the slower the exchanges, the more there are.
 */
export async function reachLimit(context: CheckContext, key: Key): Promise<Exchange | null> {
  if (!context.fullControl) {
    return goBeyondLimit(context, key, IN_REAL_TIME);
  }
  const refusal = await goBeyondLimit(context, key, IN_VIRTUAL_TIME);
  if (refusal === null || !slides(refusal, key)) {
    return refusal;
  }
  await context.sleep(ANOTHER_PHASE_SECONDS, `another phase of the minute for ${key.label}`);
  return goBeyondLimit(context, key, AT_ANOTHER_PHASE);
}

/** @returns the first exchange that was refused, or that the approach stops at */
async function goBeyondLimit(
  context: CheckContext,
  key: Key,
  { pauseSeconds, stopsIfSliding }: Approach,
): Promise<Exchange | null> {
  const { perMinute } = planningLimits(key);
  const mix = acceptedMix(context);
  const answers = await sendToLimit(context, key, takeInTurns(mix, perMinute));
  const early = answers.findLast(isRefused);
  if (early !== undefined) {
    return early;
  }
  await context.sleep(pauseSeconds, `going beyond the limit of ${key.label}`);
  for (const [sent, message] of takeInTurns(mix, perMinute + 5).entries()) {
    const exchange = await context.send(message, { key });
    if (isRefused(exchange) || (sent === 0 && stopsIfSliding && slides(exchange, key))) {
      return exchange;
    }
  }
  return null;
}

// A slow target is asked for the rest at once, so that its window does not end meanwhile.
const ONE_BY_ONE_MILLISECONDS = 5_000;

/** In real time one by one, so that it is plain which requests a window holds. */
async function sendToLimit(
  context: CheckContext,
  key: Key,
  messages: readonly RequestMessage[],
): Promise<readonly Exchange[]> {
  const until = context.now() + (context.virtualTime ? 0 : ONE_BY_ONE_MILLISECONDS);
  const answers: Exchange[] = [];
  for (const message of messages) {
    if (context.now() >= until) {
      break;
    }
    answers.push(await context.send(message, { key }));
  }
  return [...answers, ...(await context.sendAll(messages.slice(answers.length), key, 8))];
}

/** Whether a request that was granted beyond the limit shows that the window let in a part of what a new one would. */
function slides(exchange: Exchange, key: Key): boolean {
  const { perMinute } = planningLimits(key);
  const shown = rateLimitOf(exchange);
  return isAccepted(exchange) && shown?.limit === perMinute && shown.remaining < perMinute / 2;
}

/** The first answer that shows a ban. */
export interface BanSign {
  readonly exchange: Exchange;
  /** Continued requests until then. */
  readonly after: number;
}

/**
 * Goes on in batches until the answers change, or until `most` requests were sent.
 * @param refusal that for the limit, `undefined` if the window ended since
 * @param already requests beyond the limit that came after it
 */
export async function provokeBan(
  context: CheckContext,
  key: Key,
  refusal: Exchange | undefined,
  { most = CONTINUED_REQUESTS, already = 0 } = {},
): Promise<BanSign | 'no ban' | 'window ended'> {
  const [pet] = context.pets;
  const messages = [
    listInventory(),
    ...(pet === undefined ? [] : [updateInventory(pet.petId, pet.item.quantity), getPet(pet.petId)]),
    listOrders(),
  ];
  let granted = 0;
  let grantedFrom = 0;
  // The refusal that the present window ends with, and how many like it followed.
  let reference = refusal;
  let continued = already;
  for (let sent = 0; sent < most; sent += CONTINUED_AT_ONCE) {
    const answers = await context.sendAll(takeInTurns(messages, CONTINUED_AT_ONCE, sent), key, 4);
    const grants = countAccepted(answers);
    grantedFrom = granted === 0 ? sent : grantedFrom;
    granted += grants;
    const limited = answers.filter(({ response }) => response.status === 429);
    if (grants > 0) {
      reference = undefined;
      continued = 0;
    } else {
      reference ??= limited[0];
    }
    const strays = reference === undefined ? new Set() : await findStrays(context, key, answers, reference);
    const signs = answers.filter(
      (exchange) => !strays.has(exchange) && isBanSign(context, exchange, reference),
    );
    const [sign] = signs;
    continued += limited.filter((exchange) => !signs.includes(exchange)).length;
    if (sign !== undefined) {
      // Requests overtake each other; how many were refused before does not depend on that.
      return { exchange: sign, after: continued + 1 };
    }
    // If the window has ended in between, what was continued is forgotten.
    if (granted > 0 && sent - grantedFrom >= LEAK_PROBES) {
      for (let alone = 0; alone < LEAK_PROBES_ALONE; alone += 1) {
        await context.send(listInventory(), { key });
      }
      return 'window ended';
    }
  }
  return 'no ban';
}

/** Among refusals for the limit there is no other answer; one that takes their place from then on may be that of a ban. */
async function findStrays(
  context: CheckContext,
  key: Key,
  answers: readonly Exchange[],
  refusal: Exchange,
): Promise<ReadonlySet<Exchange>> {
  const isOfLimit = (exchange: Exchange): boolean =>
    exchange.response.status === 429 && !isBanAnswer(context, exchange, refusal);
  const strays = answers.filter(isStrange);
  const [first] = strays;
  if (first === undefined || !answers.some(isOfLimit)) {
    return new Set();
  }
  // A ban that answers as documented afterwards has not answered them.
  if (!answers.some((answer) => isRefused(answer) && answer.sentAt >= first.receivedAt)) {
    const next = await context.send(listInventory(), { key });
    if (isStrange(next)) {
      return new Set();
    }
  }
  return new Set(strays);
}

/** For the limit or for a ban. */
function isRefused({ response }: Exchange): boolean {
  return BAN_STATUSES.has(response.status);
}

/** Neither let in, nor refused for the limit or for a ban. */
export function isStrange(exchange: Exchange): boolean {
  return !isAccepted(exchange) && !isRefused(exchange);
}

const LEAK_PROBES = 40;
// One by one, so that what lies between two that are granted is plain.
const LEAK_PROBES_ALONE = 20;
/** Among grants a 429 that goes beyond the limit's may be that of the next window. */
function isBanSign(context: CheckContext, exchange: Exchange, reference: Exchange | undefined): boolean {
  const { status } = exchange.response;
  return reference === undefined
    ? status !== 429 && BAN_STATUSES.has(status)
    : !isAccepted(exchange) && isBanAnswer(context, exchange, reference);
}

/** A ban shows as another status than 429, or as a Retry-After that goes beyond the limit's. */
export function isBanAnswer(context: CheckContext, exchange: Exchange, refusal: Exchange): boolean {
  if (exchange.response.status !== 429) {
    return true;
  }
  const limitEnds = endOf(context, refusal);
  const end = endOf(context, exchange);
  return end !== undefined && limitEnds !== undefined && end > limitEnds + NOTICEABLY_LONGER_SECONDS * 1000;
}

function endOf(context: CheckContext, exchange: Exchange): number | undefined {
  const seconds = secondsToWait(exchange, context.clock);
  return seconds === undefined ? undefined : exchange.receivedAt + seconds * 1000;
}
