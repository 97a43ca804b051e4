import { DAY_SECONDS, MINUTE_SECONDS, type PlanLimits } from '../../../contract/plans.ts';
import { TWO_WINDOWS_SECONDS, isAccepted, type Exchange, type Key } from '../../oracle/index.ts';
import { getPet, listInventory, listOrders } from '../../target/index.ts';
import { restoreIfChanged, Undecided, type CheckContext } from '../check-context.ts';
import { needsOfIssuedKeys, type Check } from '../check.ts';
import { MOST_TRIED, triedAtLimit, type TriedAtLimit } from '../provoking/accepted-forms.ts';
import { comeBackUnbanned, followBan, waitOutBan } from '../provoking/ban-end.ts';
import {
  CONTINUED_REQUESTS,
  PAUSE_SECONDS,
  isBanAnswer,
  provokeBan,
  reachLimit,
} from '../provoking/ban-provocation.ts';
import { burstRequests, countAccepted, changingUpdate, takeInTurns } from '../provoking/burst.ts';
import { returnEarly } from '../provoking/early-return.ts';
import { RETRY_AFTER_JUDGES, honourRetryAfter } from '../provoking/honour-retry-after.ts';
import { againLater } from '../provoking/other-phase.ts';
import { agreedKey, cheapestRequest } from '../provoking/use-up.ts';
import { secondsTo } from './clock-edges.ts';
import { ask } from './independence.ts';

const WHILE_BANNED = 6;
// More than were under way at once when the limit was used up.
const REPEATED = 12;
const WITNESS_REQUESTS = 6;

/** Goes on after a 429 until the key is banned, or until it is clear that this target does not ban. */
export const banCheck: Check = {
  id: 'ban',
  takesForms: true,
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
  alsoJudges: [...RETRY_AFTER_JUDGES, 'remaining-falls', 'early-return'],
  needs: {
    profile: 'full',
    keys: [
      {
        plan: 'any',
        use: 'ban',
        requests: (limits) =>
          4 * burstRequests(limits) + CONTINUED_REQUESTS + MOST_TRIED + 2 * REPEATED + WHILE_BANNED + 12,
      },
      { plan: 'any', use: 'share', requests: WITNESS_REQUESTS },
      { plan: 'pro', use: 'share', requests: WITNESS_REQUESTS, optional: true },
    ],
    pets: 1,
    sharesPet: true,
    worksWithoutPets: true,
  },
  run: async (context) => {
    const banned = context.key();
    const candidates = context.keys.slice(1).filter((key) => key !== null);
    const before = await Promise.all(candidates.map((key) => context.send(listInventory(), { key })));
    // A key that was refused before bears no witness.
    const witnesses = candidates.filter((_key, index) =>
      before.some((served, at) => at === index && isAccepted(served)),
    );
    const refusal = await reachLimit(context, banned);
    if (refusal === null) {
      throw new Undecided(`${banned.label} was never refused, so no ban can follow.`, before[0]);
    }
    const { status } = refusal.response;
    if (banned.usage.accepted === 0) {
      throw new Undecided(`${banned.label} was answered ${status} before it was ever served.`, refusal);
    }
    if (status !== 429) {
      return;
    }
    await askAll(context, witnesses);
    const early = context.fullControl
      ? { refusal, continued: 0, ban: null }
      : await returnEarly(context, banned, refusal);
    const further = early.ban === null ? await continueInEachForm(context, banned, early.refusal) : 0;
    const already = early.continued + further;
    let sign = early.ban ?? (await provokeBan(context, banned, early.refusal, { already }));
    if (sign === 'window ended' && context.virtualTime) {
      // It was too slow for a ban to begin.
      await context.sleep(TWO_WINDOWS_SECONDS, `a fresh window of ${banned.label}`);
      const again = await reachLimit(context, banned);
      if (again?.response.status === 429) {
        await askAll(context, witnesses);
        sign = await provokeBan(context, banned, again);
      }
    }
    // Over the connection that the others use as well; a ban need not look different from a limit. The others' lists show
    // at once what a banned key has written, before those who share the pet write to it.
    const last = await context.send(changingUpdate(context) ?? listInventory(), { key: banned });
    for (const witness of witnesses) {
      const lists = await ask(context, witness);
      lists.forEach((list) => restoreIfChanged(context, context.pets[0], list));
      context.release(witness);
    }
    await (typeof sign === 'string'
      ? comeBackUnbanned(context, banned, last)
      : followBan(context, banned, sign));
  },
};

/**
 * In real time, continues with each operation, and in each form that the target accepts, and goes on in one that is
 * granted, with a plain request before each. With fresh keys, `limit-over-forms` does that without the risk of a ban.
 * @param refusal that for the limit, `undefined` if the window ended since
 * @returns how many requests the limit refused
 */
async function continueInEachForm(
  context: CheckContext,
  banned: Key,
  refusal: Exchange | undefined,
): Promise<number> {
  // The last one over its own connection, too, before it goes over a new one.
  const first = [listOrders(), getPet(context.pets[0]?.petId ?? 1n), cheapestRequest(context)];
  const all: readonly TriedAtLimit[] = [...first.map((message) => ({ message })), ...triedAtLimit(context)];
  let refused = 0;
  for (const tried of context.fullControl ? [] : all) {
    const send = (): Promise<Exchange> => context.send(tried.message, { key: banned }, tried.over);
    const answer = await send();
    if (isAccepted(answer)) {
      return refused + (await repeatGranted(context, banned, send));
    }
    if (answer.response.status !== 429) {
      break;
    }
    // Those that come after a ban tell whether they escape it.
    refused += isBanAnswer(context, answer, refusal ?? answer) ? 0 : 1;
  }
  return refused;
}

/** No window ends again and again within a moment. @returns how many plain requests were refused */
async function repeatGranted(
  context: CheckContext,
  banned: Key,
  send: () => Promise<Exchange>,
): Promise<number> {
  let refused = 0;
  for (let repeated = 0; repeated < REPEATED; repeated += 1) {
    const plain = await context.send(listInventory(), { key: banned });
    await send();
    refused += isAccepted(plain) ? 0 : 1;
  }
  return refused;
}

async function askAll(context: CheckContext, witnesses: readonly Key[]): Promise<void> {
  for (const witness of witnesses) {
    await ask(context, witness, 2);
  }
}

// So small that several bans are cheap.
const BAN_LIMITS: PlanLimits = { perMinute: 4, perDay: 900 };
// Requests beyond the limit before a target is taken for one that does not ban.
const CONTINUED = 24;
// The limit, what may be granted beyond it, and what is sent to see the end of the ban.
const REQUESTS_PER_BAN = 3 * BAN_LIMITS.perMinute + 6 + CONTINUED + 16;

// Some make the third one last for ever.
const BANS = 3;

/** Bans one key again and again: a later ban may last longer, but it ends as well. */
export const secondBan: Check = {
  id: 'second-ban',
  takesForms: true,
  title: 'A second and a third ban of the same key end as well',
  judges: ['ban-ends'],
  alsoJudges: ['ban-length', 'refusal-is-429', 'minute-limit-enterprise'],
  needs: needsOfIssuedKeys([agreedKey(BAN_LIMITS, BANS * REQUESTS_PER_BAN, 'ban')]),
  run: async (context) => {
    const key = context.key();
    for (let bans = 1; (await endsAfterBan(context, key)) && bans < BANS; bans += 1) {
      await context.sleep(TWO_WINDOWS_SECONDS, `a fresh window of ${key.label}`);
    }
  },
};

/**
 * Provokes a ban and waits for its end.
 * @returns whether the key was banned, and accepted when the ban was over
 */
async function endsAfterBan(context: CheckContext, key: Key): Promise<boolean> {
  const refusal = await reachLimit(context, key);
  const sign =
    refusal?.response.status === 429
      ? await provokeBan(context, key, refusal, { most: CONTINUED })
      : 'no ban';
  if (typeof sign === 'string') {
    context.notProvoked(
      'ban-ends',
      `The target did not ban ${key.label} within ${CONTINUED} continued requests.`,
    );
    return false;
  }
  const last = await context.send(listInventory(), { key });
  if (isAccepted(last)) {
    return true;
  }
  const end = await waitOutBan(context, key, last, sign.exchange);
  return end !== null && isAccepted(end);
}

// Before the end of a minute.
const BEGUN_SECONDS = 57;
const ONE_A_MINUTE: PlanLimits = { perMinute: 1, perDay: 900 };

/** A ban that begins with a 429 is told by it: who goes on so far, and then waits as that says, is served. */
export const waitBeforeBan: Check = {
  id: 'wait-before-ban',
  title: 'A client that stops just before it is told of a ban, and waits as told, is served',
  judges: ['retry-after-honoured', 'ban-only-after-continued', 'limit-renews'],
  needs: needsOfIssuedKeys(Array.from({ length: 2 }, () => agreedKey(ONE_A_MINUTE, CONTINUED + 4, 'ban'))),
  run: async (context) => {
    const [first, second] = [context.key(), context.key(1)];
    await context.sleep(secondsTo(context, MINUTE_SECONDS, BEGUN_SECONDS), 'the first seconds of a minute');
    const before = await refusalsBeforeBan(context, first, CONTINUED);
    // Then it bans nobody, or for so short a time that the minute may last longer.
    const isUntold = before.length === CONTINUED;
    const last = (isUntold ? before : await refusalsBeforeBan(context, second, before.length)).at(-1);
    if (last !== undefined) {
      await honourRetryAfter(context, isUntold ? first : second, last, cheapestRequest(context));
    }
  },
};

/** Goes on after the limit, one by one. @returns the refusals until one tells of a ban, or until there are `most` */
async function refusalsBeforeBan(
  context: CheckContext,
  key: Key,
  most: number,
): Promise<readonly Exchange[]> {
  const send = (): Promise<Exchange> => context.send(cheapestRequest(context), { key });
  let exchange = await send();
  // A minute that ended meanwhile does not end again so soon.
  for (let time = 0; time < 2 && isAccepted(exchange); time += 1) {
    await context.sleep(PAUSE_SECONDS, `going beyond the limit of ${key.label}`);
    exchange = await send();
  }
  const refusals: Exchange[] = [];
  while (!isAccepted(exchange) && !isBanAnswer(context, exchange, refusals[0] ?? exchange)) {
    refusals.push(exchange);
    if (refusals.length === most) {
      break;
    }
    exchange = await send();
  }
  return refusals;
}

// A day that the minutes after a ban use up.
const FEW_A_DAY: PlanLimits = { ...BAN_LIMITS, perDay: 20 };
const REST_SECONDS = 2 * DAY_SECONDS + DAY_SECONDS / 2;

/** What a key was granted before a ban counts on its day after it. */
export const dayAfterBan: Check = {
  id: 'day-after-ban',
  takesForms: true,
  title: 'A ban does not renew the day',
  judges: ['day-limit-enterprise'],
  alsoJudges: ['ban-ends', 'ban-length', 'refusal-is-429', 'minute-limit-enterprise'],
  needs: needsOfIssuedKeys([agreedKey(FEW_A_DAY, 2 * (FEW_A_DAY.perDay + CONTINUED + 40), 'ban')]),
  // A day that is aligned to the clock may have ended meanwhile, but not at another time of another day.
  run: (context) => againLater(context, REST_SECONDS, () => isGrantedBeyond(context, context.key())),
};

/** Whether more than the day has was granted, though a ban lay between. */
async function isGrantedBeyond(context: CheckContext, key: Key): Promise<boolean> {
  const before = key.usage.accepted;
  if (!(await endsAfterBan(context, key))) {
    return false;
  }
  const isBeyond = (): boolean => key.usage.accepted - before > FEW_A_DAY.perDay;
  while (!isBeyond()) {
    await context.sleep(TWO_WINDOWS_SECONDS, `a fresh minute of ${key.label}`);
    const lists = takeInTurns([listInventory()], FEW_A_DAY.perMinute);
    const answers = await context.sendAll(lists, key, FEW_A_DAY.perMinute);
    if (countAccepted(answers) < FEW_A_DAY.perMinute) {
      break;
    }
  }
  return isBeyond();
}
