import { type Alteration, combine } from '../alterations/alteration.ts';
import {
  ban,
  changeDecisionsAfterBan,
  changeDecisionsByKey,
  changeEachDecision,
} from '../alterations/decisions.ts';
import { changeWhere } from '../alterations/responses.ts';
import { type Fault, NO_LASTING_BAN, breaking } from './fault.ts';
import { banAddress } from './independence.ts';
import { answerWithStatus } from './limits.ts';
import { answerInstead, changeBannedAnswers, untoldBan } from '../alterations/answers.ts';
import { headerOf, withHeader, withoutHeader } from '../service/messages.ts';
import type { KeyRecord } from '../service/key-store.ts';

/** What a key was told when its wait began. */
const waits = new WeakMap<KeyRecord, { readonly from: number; readonly seconds: number }>();

// If a ban does not say how long it lasts, no length can be wrong.
const TOLD = [...NO_LASTING_BAN, 'ban-by-401-without-retry-after'];

/**
 * Keeps keys banned beyond the end of their ban.
 * @param until when the ban ends, if it was last announced to end at `announced`, both in Unix seconds, and it is the
 *   key's ban of that number, from 1
 */
function outlastBan(until: (announced: number, number: number) => number): Alteration {
  return changeDecisionsByKey(
    () => ({ number: 0, end: 0 }),
    (decision, { now }, last) => {
      if (decision.banned) {
        last.number += now < last.end ? 0 : 1;
        last.end = until(now + decision.retryAfterSeconds, last.number);
        return decision;
      }
      return now < last.end ? ban(decision, Math.min(60, last.end - now)) : decision;
    },
  );
}

/** Answers a banned key with this status, and an Error object. */
function answerBanned(status: number): Alteration {
  return changeBannedAnswers((answer, _ban, parts) => answerInstead(status, parts, answer));
}

const MARK = 'X-Fault-Mark';

/** Leaves a field away on answers to a banned key. */
function bannedWithout(name: string): Alteration {
  return combine(
    changeBannedAnswers((answer) => withHeader(answer, MARK, '1')),
    changeWhere(
      (response) => headerOf(response, MARK) !== undefined,
      (response) => [MARK, name].reduce(withoutHeader, response),
    ),
  );
}

export const BAN_FAULTS: readonly Fault[] = [
  ...breaking('ban-answer', {
    'ban-answered-400': ['A banned key is answered 400', answerBanned(400), { excludes: NO_LASTING_BAN }],
    'ban-answered-500': ['A banned key is answered 500', answerBanned(500), { excludes: NO_LASTING_BAN }],
    'ban-without-limit': [
      'Answers to a banned key lack X-RateLimit-Limit',
      bannedWithout('X-RateLimit-Limit'),
      { excludes: NO_LASTING_BAN },
    ],
    'ban-without-reset': [
      'Answers to a banned key lack X-RateLimit-Reset',
      bannedWithout('X-RateLimit-Reset'),
      { excludes: NO_LASTING_BAN },
    ],
    'remaining-missing-in-ban': [
      'Answers to a banned key lack X-RateLimit-Remaining',
      bannedWithout('X-RateLimit-Remaining'),
      { excludes: NO_LASTING_BAN },
    ],
  }),
  ...breaking('ban-ends', {
    'second-ban-longer-than-told': [
      'The second ban of a key lasts an hour longer than its Retry-After',
      outlastBan((announced, number) => announced + (number > 1 ? 3_600 : 0)),
      { excludes: TOLD },
    ],
    'third-ban-never-ends': [
      'The third ban of a key never ends, whatever its Retry-After says',
      outlastBan((announced, number) => (number > 2 ? Number.POSITIVE_INFINITY : announced)),
      { excludes: TOLD },
    ],
    'ban-never-ends': [
      'A ban never ends',
      outlastBan(() => Number.POSITIVE_INFINITY),
      { excludes: NO_LASTING_BAN },
    ],
    'ban-longer-than-told': [
      'A ban lasts a minute longer than its Retry-After',
      outlastBan((announced) => announced + 60),
      { excludes: TOLD },
    ],
    'ban-never-ends-untold': [
      'A ban is answered 403 without Retry-After, and never ends',
      combine(
        outlastBan(() => Number.POSITIVE_INFINITY),
        { parts: () => ({ banStatus: 403 }) },
        untoldBan,
      ),
      { excludes: NO_LASTING_BAN },
    ],
    'ban-stays-for-updates': [
      'A ban ends for reads only',
      changeDecisionsAfterBan(
        () =>
          (decision, { operation }) =>
            operation === 'updateInventory' ? ban(decision, 60) : decision,
      ),
      { excludes: NO_LASTING_BAN },
    ],
    'ban-lengthened-silently': [
      'Each request of a banned key begins the ban anew without a longer Retry-After',
      changeDecisionsByKey(
        () => ({ told: 0, end: 0 }),
        (decision, { now }, last) => {
          if (!decision.banned && now >= last.end) {
            return decision;
          }
          last.told = now < last.told || !decision.banned ? last.told : now + decision.retryAfterSeconds;
          last.end = Math.max(last.told, now + 60);
          return ban(decision, last.told - now);
        },
      ),
      { excludes: TOLD },
    ],
    'ban-told-two-seconds-short': [
      'Retry-After of a ban is two seconds too short',
      combine(
        { parts: () => ({ banStatus: 403 }) },
        changeEachDecision((decision) =>
          decision.banned
            ? { ...decision, retryAfterSeconds: Math.max(1, Math.floor(decision.retryAfterSeconds - 2)) }
            : decision,
        ),
      ),
      { excludes: [...TOLD, 'retry-after form'] },
    ],
  }),
  ...breaking('ban-answer', {
    'ban-answers-418-to-the-address': [
      'While a key is banned, every key that is used from its address is answered 418',
      combine(banAddress, answerBanned(418)),
      { alsoBreaks: ['keys-independent-in-ban'], excludes: [...NO_LASTING_BAN, 'ban-after-one'] },
    ],
    'refusals-in-the-middle-of-a-wait-answered-500': [
      'A key that comes back between a quarter and three quarters of its wait is answered 500',
      answerWithStatus(500, ({ asking: { key, now }, decision: { retryAfterSeconds } }) => {
        const { from, seconds } = waits.get(key) ?? { from: 0, seconds: 0 };
        if (now >= from + seconds) {
          waits.set(key, { from: now, seconds: retryAfterSeconds });
          return false;
        }
        return Math.abs(now - from - seconds / 2) < seconds / 4;
      }),
      { alsoBreaks: ['refusal-is-429'] },
    ],
  }),
];
