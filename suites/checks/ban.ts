import { burstRequests, acceptedMix } from '../burst.ts';
import type { Check } from '../check.ts';
import { header, isAccepted, retryAfterOf, type Exchange } from '../exchange.ts';
import { planningLimits, type Key } from '../keys.ts';
import { Undecided, type Lab } from '../lab.ts';
import { getPet, listInventory, listOrders, updateInventory } from '../operations.ts';
import type { Pet } from '../pets.ts';
import { judgeRefusedWrite } from '../refused-write.ts';
import { kindOfBody } from '../monitors/responses.ts';
import { judgeGranted, judgeUnlessUnanswered } from '../unanswered.ts';
import { secondsToWait } from '../wire.ts';
import { judgeUntouched } from './independence.ts';

const BAN_STATUSES = new Set([401, 403, 429]);
const CONTINUED = 120;
const BATCH = 8;
const WHILE_BANNED = 6;
const WITNESS_REQUESTS = 6;
// A Retry-After this much longer than what the limit said is no longer about the limit.
const NOTICEABLY_LONGER_SECONDS = 3;
const MINUTE_AND_SLACK_SECONDS = 63;

/** Goes on after a 429 until the key is banned, or until it is clear that this target does not ban. */
export const ban: Check = {
  id: 'ban',
  title: 'A ban comes after continued requests only, hits one key only, and ends',
  judges: [
    'ban-ends',
    'ban-answer',
    'ban-only-after-continued',
    'limit-renews',
    'keys-independent-in-ban',
    'keys-independent-at-limit',
    'refusal-is-429',
    'refused-changes-nothing',
    'ban-threshold',
    'ban-length',
    'ban-status',
    'body-of-ban',
  ],
  needs: {
    profile: 'full',
    keys: [
      {
        plan: 'any',
        use: 'ban',
        requests: (limits) => 2 * burstRequests(limits) + CONTINUED + WHILE_BANNED + 12,
      },
      { plan: 'any', use: 'share', requests: WITNESS_REQUESTS },
      { plan: 'pro', use: 'share', requests: WITNESS_REQUESTS, optional: true },
    ],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (lab) => {
    const [banned, ...others] = lab.keys;
    if (banned === undefined || banned === null) {
      throw new Undecided('There is no key to ban.');
    }
    const candidates = others.filter((key) => key !== null && key !== undefined);
    const before = await Promise.all(candidates.map((key) => lab.send(listInventory(), { key })));
    // A key that was refused before bears no witness.
    const witnesses = candidates.filter((_key, index) =>
      before.some((served, at) => at === index && isAccepted(served)),
    );
    const refusal = await reachLimit(lab, banned);
    if (refusal === null) {
      throw new Undecided(`${banned.label} was never refused, so no ban can follow.`, before[0]);
    }
    const between: (Exchange | undefined)[] = [];
    if (refusal.response.status === 429) {
      for (const witness of witnesses) {
        const [exchange] = await lab.sendAll([listInventory()], witness, 1);
        between.push(exchange);
        lab.judge(
          'keys-independent-at-limit',
          exchange === undefined || isAccepted(exchange),
          `${witness.label} was answered ${exchange?.response.status} while ${banned.label} was at its limit.`,
          exchange,
        );
      }
    }
    if (
      banned.usage.accepted < planningLimits(banned).perMinute ||
      !BAN_STATUSES.has(refusal.response.status)
    ) {
      throw new Undecided(
        `${banned.label} was answered ${refusal.response.status} before it had reached its limit.`,
        refusal,
      );
    }
    if (refusal.response.status !== 429) {
      judgeUnlessUnanswered(
        lab,
        banned.usage.unanswered,
        'ban-only-after-continued',
        false,
        `${banned.label} was answered ${refusal.response.status} at once when it went beyond its limit, without a 429 before.`,
        refusal,
      );
      return;
    }
    const sign = await provoke(lab, banned, refusal);
    if (sign !== null) {
      // Over the connection that the others use as well.
      await lab.send(listInventory(), { key: banned });
    }
    for (const [index, witness] of witnesses.entries()) {
      await judgeUntouched(
        lab,
        'keys-independent-in-ban',
        witness,
        between[index],
        `${banned.label} went on after 429`,
      );
      lab.release(witness);
    }
    await (sign === null ? waitOut(lab, banned) : seeItEnd(lab, banned, sign));
  },
};

// Well within the window, so that a ban of about a minute outlasts what is left of it.
const PAUSE_SECONDS = 25;
// In real time just long enough, since the key may be wanted again.
const REAL_PAUSE_SECONDS = 6;

/** Uses up the minute, pauses, and goes one request beyond the limit. */
async function reachLimit(lab: Lab, key: Key): Promise<Exchange | null> {
  const { perMinute } = planningLimits(key);
  const mix = acceptedMix(lab);
  const messages = Array.from(
    { length: perMinute },
    (_, index) => mix[index % mix.length] ?? listInventory(),
  );
  const answers = await lab.sendAll(messages, key, 8);
  const early = answers.findLast((exchange) => !isAccepted(exchange));
  if (early !== undefined) {
    return early;
  }
  await lab.sleep(
    lab.virtualTime ? PAUSE_SECONDS : REAL_PAUSE_SECONDS,
    `going beyond the limit of ${key.label}`,
  );
  for (let sent = 0; sent <= perMinute + 4; sent += 1) {
    const exchange = await lab.send(mix[sent % mix.length] ?? listInventory(), { key });
    if (!isAccepted(exchange)) {
      return exchange;
    }
  }
  return null;
}

interface BanSign {
  readonly exchange: Exchange;
  readonly after: number;
}

/** Goes on in batches until the answers change. */
async function provoke(lab: Lab, key: Key, refusal: Exchange): Promise<BanSign | null> {
  const [pet] = lab.pets;
  const messages = [
    listInventory(),
    ...(pet === undefined ? [] : [updateInventory(pet.petId, pet.item.quantity), getPet(pet.petId)]),
    listOrders(),
  ];
  let granted = 0;
  let grantedFrom = 0;
  for (let sent = 0; sent < CONTINUED; sent += BATCH) {
    const batch = Array.from(
      { length: BATCH },
      (_, index) => messages[(sent + index) % messages.length] ?? listInventory(),
    );
    const answers = await lab.sendAll(batch, key, 4);
    const strays = judgeStrays(lab, key, answers, refusal);
    for (const [index, exchange] of answers.entries()) {
      if (isAccepted(exchange)) {
        grantedFrom = granted === 0 ? sent : grantedFrom;
        granted += 1;
      } else if (granted === 0 && !strays.has(exchange) && isBanAnswer(lab, exchange, refusal)) {
        return { exchange, after: sent + index + 1 };
      }
    }
    // Where the window has ended in between, what was continued is forgotten.
    if (granted > 0 && sent - grantedFrom >= LEAK_PROBES) {
      judgeLeak(lab, key, granted, answers);
      return null;
    }
  }
  return null;
}

/** Among refusals for the limit there is no other answer; where it has taken their place it may be that of a ban. */
function judgeStrays(
  lab: Lab,
  key: Key,
  answers: readonly Exchange[],
  refusal: Exchange,
): ReadonlySet<Exchange> {
  const isAtLimit = answers.some(
    (exchange) => exchange.response.status === 429 && !isBanAnswer(lab, exchange, refusal),
  );
  const strays = answers.filter(
    (exchange) => isAtLimit && !isAccepted(exchange) && !BAN_STATUSES.has(exchange.response.status),
  );
  for (const stray of strays) {
    lab.fail(
      'refusal-is-429',
      `${key.label} was beyond its limit and answered ${stray.response.status}, where others sent with it were answered 429.`,
      stray,
    );
  }
  return new Set(strays);
}

const LEAK_PROBES = 40;
// A sliding window may set one free, and another while these are sent.
const GRANTED_BY_CHANCE = 3;

/** A limit that is reached holds: it does not let some through and refuse others. */
function judgeLeak(lab: Lab, key: Key, granted: number, answers: readonly Exchange[]): void {
  const refused = answers.find((answer) => answer.response.status === 429);
  const isFewerThanAWindow = granted < planningLimits(key).perMinute / 2;
  if (lab.virtualTime && refused !== undefined && isFewerThanAWindow && granted > GRANTED_BY_CHANCE) {
    lab.fail(
      `minute-limit-${key.plan}`,
      `${key.label} was granted ${granted} requests in between others that were answered 429, with its limit reached.`,
      refused,
    );
  }
}

/** A ban shows as another status than 429, or as a Retry-After that goes beyond the limit's. */
function isBanAnswer(lab: Lab, exchange: Exchange, refusal: Exchange): boolean {
  if (exchange.response.status !== 429) {
    return true;
  }
  const limitEnds = endOf(lab, refusal);
  const end = endOf(lab, exchange);
  return end !== undefined && limitEnds !== undefined && end > limitEnds + NOTICEABLY_LONGER_SECONDS * 1000;
}

function endOf(lab: Lab, exchange: Exchange): number | undefined {
  const seconds = secondsToWait(exchange, lab.clock);
  return seconds === undefined ? undefined : exchange.receivedAt + seconds * 1000;
}

function judgeBanAnswer(lab: Lab, exchange: Exchange): void {
  const { status } = exchange.response;
  lab.judge(
    'ban-answer',
    BAN_STATUSES.has(status),
    `A banned key was answered ${status}, not 401, 403 or 429.`,
    exchange,
  );
  const missing = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].filter(
    (name) => header(exchange, name) === undefined,
  );
  lab.judge(
    'ban-answer',
    missing.length === 0,
    `An answer ${status} to a banned key lacks ${missing.join(', ')}.`,
    exchange,
  );
  lab.observe('ban-status', status);
  lab.observe('body-of-ban', kindOfBody(exchange));
}

/** What a banned key sent changed nothing. */
function judgeUnwritten(lab: Lab, { usage }: Key, exchange: Exchange): void {
  const [pet] = lab.pets;
  if (pet !== undefined) {
    const attempted = quantityWhileBanned(pet);
    judgeRefusedWrite(lab, {
      pet,
      attempted,
      listed: exchange,
      cause: 'An update by a banned key',
      unanswered: usage.unanswered,
    });
  }
}

function quantityWhileBanned({ item }: Pet): number {
  return Number(item.quantity) + 5_003;
}

// Two minutes empty a sliding counter, too.
const RECOVERY_SECONDS = 122;

const LONGEST_TEMPORARY_SECONDS = 31 * 86_400;

/** Without Retry-After a ban is probed ever more seldom, so that a ban that each hit prolongs can end. */
const FIRST_PROBE_SECONDS = [61, 600, 3_600, 6 * 3_600, 86_400, 7 * 86_400];
const PROBE_SECONDS = [
  ...FIRST_PROBE_SECONDS,
  LONGEST_TEMPORARY_SECONDS - FIRST_PROBE_SECONDS.reduce((sum, seconds) => sum + seconds, 0),
];

async function seeItEnd(lab: Lab, key: Key, sign: BanSign): Promise<void> {
  const [pet] = lab.pets;
  lab.observe('ban-threshold', `within ${sign.after} continued requests`);
  judgeBanAnswer(lab, sign.exchange);
  let last = sign.exchange;
  const began = sign.exchange.receivedAt;
  const messages = [
    listOrders(),
    ...(pet === undefined ? [] : [getPet(pet.petId), updateInventory(pet.petId, quantityWhileBanned(pet))]),
    listInventory(),
  ];
  for (const message of messages) {
    last = await lab.send(message, { key });
    if (isAccepted(last)) {
      lab.observe('ban-length', 'over at once');
      return;
    }
    judgeBanAnswer(lab, last);
  }
  const told = secondsToWait(last, lab.clock);
  if (told === undefined) {
    await probeUntilItEnds(lab, key, began);
    return;
  }
  lab.observe('ban-length', bracket(told));
  if (!lab.virtualTime && told > lab.facts.banWaitSeconds) {
    lab.skip(
      'ban-ends',
      `The ban lasts ${Math.ceil(told)} s by its own account; --ban-wait ${Math.ceil(told) + 1} would wait for its end.`,
    );
    return;
  }
  const wait = Math.min(told, LONGEST_TEMPORARY_SECONDS);
  await lab.sleep(wait + 0.01, `the end of the ban of ${key.label}`);
  let exchange = await lab.send(listInventory(), { key });
  // A ban of 401 or 403 may end before the minute does; then the limit still has its say.
  if (exchange.response.status === 429 && last.response.status !== 429) {
    const rest = secondsToWait(exchange, lab.clock);
    if (rest !== undefined && rest <= MINUTE_AND_SLACK_SECONDS) {
      await lab.sleep(rest + 0.01, `Retry-After of ${key.label}`);
      exchange = await lab.send(listInventory(), { key });
    }
  }
  judgeUnwritten(lab, key, exchange);
  const { status } = exchange.response;
  lab.judge(
    'ban-ends',
    isAccepted(exchange),
    `${key.label} was banned with "Retry-After: ${header(last, 'Retry-After')}", and was still answered ${status} ${told > wait ? 'after 31 days' : 'when that had passed'}.`,
    exchange,
  );
  if (isAccepted(exchange)) {
    await judgeRecovery(lab, key);
  }
}

/** A ban that has ended is over for every operation, does not come back by itself, and leaves the whole limit. */
async function judgeRecovery(lab: Lab, key: Key): Promise<void> {
  const [pet] = lab.pets;
  if (lab.virtualTime) {
    await lab.sleep(RECOVERY_SECONDS, `a fresh window of ${key.label}`);
  }
  // What is left of a window that slides may be this one request.
  const isRefused = ({ response: { status } }: Exchange): boolean =>
    lab.virtualTime ? status !== 200 : status === 401 || status === 403;
  const next = await lab.send(listInventory(), { key });
  lab.judge(
    'ban-only-after-continued',
    !isRefused(next),
    `${key.label} was answered ${next.response.status} after the end of its ban, without another 429 before.`,
    next,
  );
  if (pet !== undefined && isAccepted(next)) {
    const update = await lab.send(updateInventory(pet.petId, pet.item.quantity), { key });
    lab.judge(
      'ban-ends',
      !isRefused(update),
      `The ban of ${key.label} was over for a list, and an update was still answered ${update.response.status}.`,
      update,
    );
  }
  if (!lab.virtualTime || !isAccepted(next)) {
    return;
  }
  const rest = planningLimits(key).perMinute - 2;
  const messages = Array.from({ length: rest }, () => listInventory());
  const answers = await lab.sendAll(messages, key, 8);
  const granted = answers.filter(isAccepted).length;
  judgeGranted(
    lab,
    { granted, due: rest, unanswered: key.usage.unanswered },
    'limit-renews',
    `${key.label} was granted ${granted + 2} of the ${rest + 2} requests of a minute two minutes after its ban.`,
    answers.find((answer) => !isAccepted(answer)),
  );
}

async function probeUntilItEnds(lab: Lab, key: Key, began: number): Promise<void> {
  const waits = lab.virtualTime ? PROBE_SECONDS : [61, Math.max(1, lab.facts.banWaitSeconds - 61)];
  let exchange: Exchange | undefined;
  for (const seconds of waits) {
    await lab.sleep(seconds, `the end of the ban of ${key.label}`);
    exchange = await lab.send(listInventory(), { key });
    if (isAccepted(exchange)) {
      judgeUnwritten(lab, key, exchange);
      lab.judge('ban-ends', true, '');
      lab.observe('ban-length', `at most ${Math.round((exchange.receivedAt - began) / 1000)} s`);
      return;
    }
    const told = retryAfterOf(exchange);
    if (told !== undefined && exchange.response.status === 429) {
      await lab.sleep((secondsToWait(exchange, lab.clock) ?? 0) + 0.01, `Retry-After of ${key.label}`);
      exchange = await lab.send(listInventory(), { key });
      if (isAccepted(exchange)) {
        lab.judge('ban-ends', true, '');
        return;
      }
    }
  }
  if (lab.virtualTime) {
    lab.fail('ban-ends', `${key.label} was still banned after 31 days: the ban is not temporary.`, exchange);
  } else {
    lab.inconclusive(
      'ban-ends',
      `${key.label} was still banned after ${lab.facts.banWaitSeconds} s, and nothing says for how long; --ban-wait waits longer.`,
      exchange,
    );
  }
}

/** No ban was seen; still, what was refused without pause is let in when its time has come. */
async function waitOut(lab: Lab, key: Key): Promise<void> {
  for (const id of ['ban-ends', 'ban-answer'] as const) {
    lab.skip(id, `The target did not ban ${key.label} within ${CONTINUED} continued requests; it need not.`);
  }
  lab.observe('ban-threshold', `more than ${CONTINUED} continued requests, or no ban`);
  const seconds = Math.max(0, key.usage.retryAt - lab.now()) / 1000;
  await lab.sleep(seconds + 0.01, `Retry-After of ${key.label}`);
  const exchange = await lab.send(listInventory(), { key });
  judgeUnlessUnanswered(
    lab,
    key.usage.unanswered,
    'retry-after-honoured',
    isAccepted(exchange),
    `${key.label} came back after the last Retry-After of many, and was answered ${exchange.response.status}.`,
    exchange,
  );
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
