import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import { CONTINUED_AT_ONCE, CONTINUED_REQUESTS, type BanSign } from './ban-provocation.ts';
import { useUpMinute } from './burst.ts';
import { honourRetryAfter, isBeyondRealTime } from './honour-retry-after.ts';
import { sendUntilRefused } from './use-up.ts';
import {
  isAccepted,
  retryAfterOf,
  type Exchange,
  planningLimits,
  TWO_WINDOWS_SECONDS,
  type Key,
  kindOfBody,
  secondsToWait,
} from '../../oracle/index.ts';
import { anyPet, type CheckContext, restoreIfChanged } from '../check-context.ts';
import { getPet, listInventory, listOrders, updateInventory } from '../../target/index.ts';

const MINUTE_AND_SLACK_SECONDS = 63;

function observeBanAnswer(context: CheckContext, exchange: Exchange): void {
  context.observe('ban-status', exchange.response.status);
  context.observe('body-of-ban', kindOfBody(exchange));
}

/** Lists once so many seconds have passed. */
async function listAfter(context: CheckContext, key: Key, seconds: number, why: string): Promise<Exchange> {
  await context.sleep(seconds, why);
  return context.send(listInventory(), { key });
}

// Two minutes empty a sliding counter, too.
const RECOVERY_SECONDS = 122;

/** Without Retry-After a ban is probed less and less often, so that a ban that each hit prolongs can end. */
const PROBE_SECONDS = [61, 600, 3_600, 6 * 3_600, 86_400, 7 * 86_400, LONGEST_TEMPORARY_SECONDS];

/** Whether a window that slides, and that refused requests count in, would tell the same wait after as many of them. */
function mayBeCounted({ clock }: CheckContext, key: Key, { exchange, after }: BanSign): boolean {
  const wait = secondsToWait(exchange, clock);
  return (
    exchange.response.status === 429 &&
    wait !== undefined &&
    wait < MINUTE_AND_SLACK_SECONDS &&
    after >= planningLimits(key).perMinute - CONTINUED_AT_ONCE
  );
}

/** Asks for each operation while a key is banned, waits as it is told, and uses the key again. */
export async function followBan(context: CheckContext, key: Key, sign: BanSign): Promise<void> {
  const alternative = mayBeCounted(context, key, sign) ? ', or no ban, and refused requests count' : '';
  context.observe('ban-threshold', `within ${sign.after} continued requests${alternative}`);
  observeBanAnswer(context, sign.exchange);
  let last = sign.exchange;
  const messages = [listOrders(), getPet(anyPet(context)), listInventory()];
  for (const [sent, message] of messages.entries()) {
    if (sent === messages.length - 1) {
      await context.sleep(earlySeconds(context, last), `a part of the ban of ${key.label}`);
    }
    last = await context.send(message, { key });
    if (isAccepted(last)) {
      context.observe('ban-length', 'over at once');
      return;
    }
    observeBanAnswer(context, last);
  }
  const end = await waitOutBan(context, key, last, sign.exchange);
  if (end !== null) {
    restoreIfChanged(context, context.pets[0], end);
  }
  if (end !== null && isAccepted(end)) {
    await useAfterBan(context, key, last.receivedAt);
  }
}

// Then a reset of the minute in which a ban began has passed.
const MINUTE_PASSED_SECONDS = 65;
const LEFT_OF_BAN_SECONDS = 5;

/**
 * A request after a third of a ban shows if each of them prolongs it beyond what is told; earlier ones hardly would. If a
 * clock can be moved, and the ban outlasts the minute, it comes after that.
 */
function earlySeconds(context: CheckContext, last: Exchange): number {
  const told = secondsToWait(last, context.clock) ?? 0;
  if (context.virtualTime && told > MINUTE_PASSED_SECONDS + LEFT_OF_BAN_SECONDS) {
    return Math.max(told / 3, MINUTE_PASSED_SECONDS);
  }
  return context.virtualTime || told <= context.facts.banWaitSeconds ? told / 3 : 0;
}

/**
 * Waits for the end of a ban.
 * @param last the last answer to the banned key
 * @param first the answer that showed the ban
 * @returns what was answered when the ban should have been over, `null` if nothing was sent then
 */
export async function waitOutBan(
  context: CheckContext,
  key: Key,
  last: Exchange,
  first: Exchange,
): Promise<Exchange | null> {
  const told = secondsToWait(last, context.clock);
  if (told === undefined) {
    return probeUntilItEnds(context, key);
  }
  // As told at first: how much is left of it later depends on how fast the exchanges are.
  context.observe('ban-length', bracket(secondsToWait(first, context.clock) ?? told));
  if (!context.virtualTime && told > context.facts.banWaitSeconds) {
    context.notProvoked(
      'ban-ends',
      `According to its Retry-After the ban lasts ${Math.ceil(told)} s; verify --ban-wait ${Math.ceil(told) + 1} would wait for its end.`,
    );
    return null;
  }
  let exchange = await listAfter(context, key, told + 0.01, `the end of the ban of ${key.label}`);
  // A ban of 401 or 403 may end before the minute does; then the limit still has its say.
  if (exchange.response.status === 429 && last.response.status !== 429) {
    const rest = secondsToWait(exchange, context.clock);
    if (rest !== undefined && rest <= MINUTE_AND_SLACK_SECONDS) {
      exchange = await listAfter(context, key, rest + 0.01, `Retry-After of ${key.label}`);
    }
  }
  return exchange;
}

/** A ban that has ended is over for every operation, does not come back by itself, and leaves the whole limit. */
async function useAfterBan(context: CheckContext, key: Key, bannedAt: number): Promise<void> {
  const [pet] = context.pets;
  if (context.virtualTime) {
    await context.sleep(RECOVERY_SECONDS, `a fresh window of ${key.label}`);
  }
  const next = await context.send(listInventory(), { key });
  if (pet !== undefined && isAccepted(next)) {
    await context.send(updateInventory(pet.petId, pet.item.quantity), { key });
  }
  if (!isAccepted(next)) {
    return;
  }
  if (!context.virtualTime) {
    await useUpAfterBan(context, key, bannedAt);
    return;
  }
  await context.sleep(TWO_WINDOWS_SECONDS, `a fresh window of ${key.label}`);
  await reachLimitAfterBan(context, key);
}

// What was refused then counts no longer, by a clock of whole seconds.
const MINUTE_FORGOTTEN_SECONDS = 62.5;
const LATEST_USE_SECONDS = 125;
const MOST_AFTER_BAN = 121;

/** In real time, goes to the limit again and a whole window beyond it, so that no end of a window explains the excess. */
async function useUpAfterBan(context: CheckContext, key: Key, bannedAt: number): Promise<void> {
  const rest = Math.max(0, MINUTE_FORGOTTEN_SECONDS - (context.now() - bannedAt) / 1000);
  const most = 2 * planningLimits(key).perMinute + 1;
  if (context.elapsedSeconds() + rest > LATEST_USE_SECONDS || most > MOST_AFTER_BAN) {
    return;
  }
  await context.sleep(rest, `a fresh window of ${key.label} after its ban`);
  await sendUntilRefused(context, key, most, [listInventory()]);
}

/**
 * The limit holds after a ban as before it: a fresh minute grants exactly as many requests, the next is answered 429,
 * and who waits then is accepted. Nothing more is sent after that 429, so that no other ban may begin.
 */
async function reachLimitAfterBan(context: CheckContext, key: Key): Promise<void> {
  const { granted, refusal } = await useUpMinute(context, key, {
    manner: 'one by one',
    messages: [listInventory()],
  });
  if (granted === 'as many' && refusal !== null) {
    await honourRetryAfter(context, key, refusal);
  }
}

async function probeUntilItEnds(context: CheckContext, key: Key): Promise<Exchange | null> {
  const waits = context.virtualTime ? PROBE_SECONDS : [61, Math.max(1, context.facts.banWaitSeconds - 61)];
  let exchange: Exchange | undefined;
  let waited = 0;
  for (const seconds of waits) {
    waited += seconds;
    exchange = await listAfter(context, key, seconds, `the end of the ban of ${key.label}`);
    if (isAccepted(exchange)) {
      // Without the seconds that exchanges took, so that two runs observe the same.
      context.observe('ban-length', `over after a wait of ${waited} s`);
      return exchange;
    }
    const told = retryAfterOf(exchange);
    if (told !== undefined && exchange.response.status === 429) {
      const rest = secondsToWait(exchange, context.clock) ?? 0;
      exchange = await listAfter(context, key, rest + 0.01, `Retry-After of ${key.label}`);
      if (isAccepted(exchange)) {
        return exchange;
      }
    }
  }
  if (!context.virtualTime) {
    context.leftOpen(
      'ban-ends',
      `${key.label} was still banned after ${context.facts.banWaitSeconds} s, and nothing says for how long; verify --ban-wait SECONDS waits longer.`,
      exchange,
    );
  }
  return null;
}

/**
 * No ban was seen; still, what was refused without pause is let in when its time has come.
 * @param last the newest answer, which says for how long that is
 */
export async function comeBackUnbanned(context: CheckContext, key: Key, last: Exchange): Promise<void> {
  for (const id of ['ban-ends', 'ban-answer'] as const) {
    context.notProvoked(
      id,
      `The target did not ban ${key.label} within ${CONTINUED_REQUESTS} continued requests; it need not.`,
    );
  }
  context.observe('ban-threshold', `more than ${CONTINUED_REQUESTS} continued requests, or no ban`);
  // Earlier answers may have asked for more.
  const told = last.response.status === 429 ? secondsToWait(last, context.clock) : undefined;
  const isTold = told !== undefined && !isBeyondRealTime(context, told);
  const until = isTold ? last.receivedAt + told * 1000 : key.usage.retryAt;
  const rest = Math.max(0, until - context.now()) / 1000;
  const exchange = await listAfter(context, key, rest + 0.01, `Retry-After of ${key.label}`);
  if (!isAccepted(exchange) && context.virtualTime) {
    await waitOnceMore(context, key, exchange);
  }
}

/** A length in words, so that two runs observe the same. */
function bracket(seconds: number): string {
  const marks: readonly (readonly [number, string])[] = [
    [10, 'under 10 s'],
    [61, 'up to a minute'],
    [301, 'up to 5 minutes'],
    [3_601, 'up to an hour'],
    [86_401, 'up to a day'],
  ];
  return marks.find(([most]) => seconds <= most)?.[1] ?? 'more than a day';
}

/** A key that is refused beyond its Retry-After, and again when every window has passed, is under a ban that does not end. */
async function waitOnceMore(context: CheckContext, key: Key, refusal: Exchange): Promise<void> {
  const told = secondsToWait(refusal, context.clock) ?? 0;
  await listAfter(context, key, Math.max(TWO_WINDOWS_SECONDS, told + 0.01), `fresh windows of ${key.label}`);
}
