import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import {
  type LimitRefusal,
  changeBannedAnswers,
  changeLimitAnswers,
  firstOfKey,
  untoldBan,
} from '../alterations/answers.ts';
import {
  changeDecisionsAfterBan,
  changeEachDecision,
  ban,
  changeDecisionsByKey,
  refuse,
} from '../alterations/decisions.ts';
import { everyNth, keyOf, stateOfEach, type Asking } from '../alterations/requests.ts';
import { changeResponses, changeWhere } from '../alterations/responses.ts';
import { type Fault, NO_LASTING_BAN, breaking } from './fault.ts';
import { type Answer, httpDate } from '../service/answer.ts';
import { withHeader, withoutHeader } from '../service/messages.ts';
import type { RetryAfterWriter } from '../service/refusals.ts';
import { changeWindow } from '../alterations/windows.ts';
import { slidingLog } from '../variants/window-algorithms.ts';
import type { Decision } from '../service/rate-limiter.ts';

function withoutRetryAfter(): Alteration {
  const freed = new WeakSet();
  return combine(
    changeDecisionsAfterBan(() => (decision, { key }) => {
      if (decision.accepted) {
        freed.add(key);
      }
      return decision;
    }),
    changeWhere(
      ({ status }, request, parts) => status === 429 && freed.has(keyOf(parts, request) ?? {}),
      (response) => withoutHeader(response, 'Retry-After'),
    ),
  );
}

/** Leaves Retry-After out if it applies. */
function missing(applies: (refusal: LimitRefusal) => boolean): Alteration {
  return changeLimitAnswers((answer, refusal) =>
    applies(refusal) ? withoutHeader(answer, 'Retry-After') : answer,
  );
}

/** The minute that is under way for a key. */
const begun = stateOfEach(() => ({ isNew: false, isEndless: false, isUsedUp: false }));

const isThird = everyNth(3);

const isFourth = everyNth(4);

/** Writes Retry-After in another form, at limits and in bans. */
function written(retryAfter: RetryAfterWriter): Alteration {
  return { parts: () => ({ retryAfter }) };
}

function valueOf({ headers }: Answer): string {
  return headers[headers.indexOf('Retry-After') + 1] ?? '';
}

const FORM = 'retry-after form';

const HOUR_SECONDS = 3_600;

/** Tells another wait at limits than the one that is due; both in seconds. */
function told(wait: (due: number, decision: Decision, asking: Asking) => number): Alteration {
  return changeEachDecision((decision, asking) =>
    decision.accepted || decision.banned
      ? decision
      : { ...decision, retryAfterSeconds: wait(decision.retryAfterSeconds, decision, asking) },
  );
}

function untilMinuteEnds({ minute }: Decision, { now }: Asking): number {
  return Math.max(1, Math.ceil(minute.resetUnixSeconds - now));
}

export const RETRY_FAULTS: readonly Fault[] = [
  ...breaking('retry-after-valid', {
    'retry-after-negative': ['Retry-After is negative', written((seconds) => `-${seconds}`)],
    'retry-after-empty': ['Retry-After is empty', written(() => '')],
    'retry-after-iso-date': [
      'Retry-After is an ISO 8601 date',
      written((seconds, now) => new Date(Math.ceil(now + seconds) * 1_000).toISOString()),
    ],
    'retry-after-fraction-one-in-three': [
      'Retry-After of one 429 in three is a fraction',
      changeLimitAnswers((answer, { parts }) =>
        isThird(parts) ? withHeader(answer, 'Retry-After', `${valueOf(answer)}.5`) : answer,
      ),
    ],
  }),
  ...breaking('retry-after-present', {
    'retry-after-missing': ['A 429 has no Retry-After', missing(() => true)],
    'retry-after-missing-at-first': ['The first 429 of a key has no Retry-After', missing(firstOfKey())],
    'retry-after-missing-one-in-four': [
      'One 429 in four has no Retry-After',
      missing(({ parts }) => isFourth(parts)),
    ],
    'retry-after-missing-for-the-day': [
      'A 429 of the per-day limit has no Retry-After',
      missing(({ decision }) => decision.day.remaining === 0),
    ],
    'no-retry-after-after-a-ban': [
      'A 429 lacks Retry-After if the key was banned before',
      withoutRetryAfter(),
      { excludes: NO_LASTING_BAN },
    ],
    'retry-after-twice': [
      'Retry-After is sent twice on a 429',
      changeLimitAnswers((answer) => ({
        ...answer,
        headers: [...answer.headers, 'Retry-After', valueOf(answer)],
      })),
    ],
    'retry-after-missing-in-bans': [
      'A banned key is answered 429 without Retry-After',
      untoldBan,
      { excludes: ['no-ban', 'ban status'] },
    ],
  }),
  ...breaking('retry-after-plausible', {
    'retry-after-in-milliseconds': [
      'Retry-After at a limit is in milliseconds',
      {
        answers: ({ limited }) => ({
          limited: (decision, described, now) =>
            withHeader(
              limited(decision, described, now),
              'Retry-After',
              `${decision.retryAfterSeconds * 1_000}`,
            ),
        }),
      },
      { excludes: ['retry-after form'] },
    ],
    'retry-after-a-day-too-long': [
      'Retry-After at the limit of a day names the end of the day after',
      changeEachDecision((decision) =>
        decision.accepted || decision.banned || decision.day.remaining > 0
          ? decision
          : { ...decision, retryAfterSeconds: decision.retryAfterSeconds + DAY_SECONDS },
      ),
      { excludes: ['retry-after form'] },
    ],
    'retry-after-in-ban-a-timestamp': [
      'Retry-After in a ban is the Unix time of its end',
      changeBannedAnswers((answer, { seconds, now }) =>
        withHeader(answer, 'Retry-After', `${Math.ceil(now) + seconds}`),
      ),
      { excludes: ['retry-after form', 'no-ban'] },
    ],
  }),
  ...breaking('retry-after-honoured', {
    'minute-compared-by-its-seconds': [
      'A minute that was used up goes on for up to two if the second of the clock is an earlier one than when it began',
      changeDecisionsByKey(
        () => ({ start: 0, isUsedUp: false }),
        (decision, { now }, last) => {
          const { limit, remaining } = decision.minute;
          const isFirst = decision.accepted && remaining === limit - 1;
          const isEarlier = now % MINUTE_SECONDS < last.start % MINUTE_SECONDS;
          const goesOn = isFirst && last.isUsedUp && isEarlier && now - last.start < 2 * MINUTE_SECONDS;
          last.start = isFirst ? now : last.start;
          last.isUsedUp = remaining === 0;
          return goesOn ? refuse(decision, 1) : decision;
        },
      ),
      { excludes: ['minute window'] },
    ],
    'minute-begun-by-a-400-never-ends': [
      'A per-minute limit never renews if the request that began the minute was answered 400',
      combine(
        changeEachDecision((decision, { key }) => {
          const minute = begun(key);
          const isOver = minute.isEndless && minute.isUsedUp;
          const { limit, remaining } = decision.minute;
          minute.isNew = remaining === limit - 1;
          minute.isUsedUp = isOver || remaining === 0;
          return isOver && decision.accepted ? refuse(decision, 1) : decision;
        }),
        changeResponses((response, request, parts) => {
          const key = response.status === 400 ? keyOf(parts, request) : undefined;
          if (key !== undefined) {
            begun(key).isEndless ||= begun(key).isNew;
          }
          return response;
        }),
      ),
    ],
    'minute-used-in-its-last-second-never-ends': [
      'A minute in whose last second a request is accepted never ends',
      changeWindow('minute', (algorithm) => (limit, seconds) => {
        const window = algorithm(limit, seconds);
        let stopped = Number.POSITIVE_INFINITY;
        const at = (now: number): number => Math.min(now, stopped);
        return {
          ...window,
          remaining: (now) => window.remaining(at(now)),
          count: (now) => {
            const isLast = window.remaining(now) < limit && window.resetsAt(now) - now < 1;
            window.count(at(now));
            stopped = isLast ? at(now) : stopped;
          },
          opensAt: (now) => (window.remaining(at(now)) > 0 ? now : now + 1),
        };
      }),
      { excludes: ['minute window'] },
    ],
    'retry-after-zero': ['Retry-After is 0 while the limit holds', told(() => 0), { excludes: [FORM] }],
    'retry-after-second-short': [
      'Retry-After is a second too short',
      told((due) => due - 1),
      { excludes: [FORM] },
    ],
    'retry-after-second-short-near-the-end': [
      'Retry-After is a second too short if fewer than six seconds are left',
      told((due) => (due > 1 && due < 6 ? due - 1 : due)),
      { excludes: [FORM] },
    ],
    'retry-after-zero-in-the-last-second': [
      'Retry-After is 0 in the last second of a window',
      told((due) => (due > 1 ? due : 0)),
      { excludes: [FORM] },
    ],
    'retry-after-in-minutes': [
      'Retry-After is in minutes',
      told((due) => Math.max(1, Math.floor(due / 60))),
      { excludes: [FORM] },
    ],
    'retry-after-elapsed': [
      'Retry-After is the elapsed part of the minute, not the remaining one',
      told((due, { day }) => (day.remaining === 0 ? due : Math.max(0, 60 - due))),
      { excludes: [FORM] },
    ],
    'retry-after-of-the-minute-for-the-day': [
      'Retry-After names the end of the minute when the per-day limit is used up',
      told((due, decision, asking) =>
        decision.day.remaining === 0 ? untilMinuteEnds(decision, asking) : due,
      ),
    ],
    'retry-after-of-the-minute-for-minute-and-day': [
      'Retry-After names the end of the minute when both limits are used up at once',
      told((due, decision, asking) =>
        decision.day.remaining === 0 && decision.minute.remaining === 0
          ? untilMinuteEnds(decision, asking)
          : due,
      ),
    ],
    'retry-after-date-two-seconds-short': [
      'Retry-After is a date two seconds too early',
      written((seconds, now) => httpDate(Math.ceil(now + seconds) - 2)),
    ],
    'retry-after-date-of-another-zone': [
      'Retry-After is a date two hours in the past',
      written((seconds, now) => httpDate(Math.ceil(now + seconds) - 2 * HOUR_SECONDS)),
    ],
    'ban-begins-untold': [
      'The 429 with which a ban begins asks for the rest of the minute only',
      changeDecisionsByKey(
        () => ({ end: 0 }),
        (decision, { now }, last) => {
          if (!decision.banned) {
            return decision;
          }
          const isBegun = last.end > now;
          last.end = now + decision.retryAfterSeconds;
          return isBegun ? decision : refuse(decision, Math.max(1, decision.minute.resetUnixSeconds - now));
        },
      ),
      { excludes: [...NO_LASTING_BAN, FORM] },
    ],
    'banned-again-at-the-next-429': [
      'The first 429 after a ban silently bans the key again for five minutes',
      changeDecisionsAfterBan(() => {
        const ends = new WeakMap<object, number>();
        return (decision, { key, now }) => {
          const end = ends.get(key) ?? 0;
          if (now < end) {
            return ban(decision, end - now);
          }
          if (!decision.accepted) {
            ends.set(key, now + 300);
          }
          return decision;
        };
      }),
      { excludes: NO_LASTING_BAN },
    ],
    'retry-after-one-from-the-second-refusal': [
      'From the second 429 in a row on Retry-After is 1',
      changeDecisionsByKey(
        () => ({ wasRefused: false }),
        (decision, _asking, last) => {
          const isSecond = last.wasRefused && !decision.accepted;
          last.wasRefused = !decision.accepted;
          return isSecond && !decision.banned ? { ...decision, retryAfterSeconds: 1 } : decision;
        },
      ),
      { excludes: [FORM, 'ban-after-one'] },
    ],
    'refusals-prolong-the-wait-silently': [
      'Each 429 extends the wait by five seconds without a longer Retry-After',
      changeDecisionsByKey(
        () => ({ until: 0 }),
        (decision, { now }, wait) => {
          if (decision.accepted) {
            return now < wait.until ? refuse(decision, 1) : decision;
          }
          if (!decision.banned) {
            wait.until = Math.max(wait.until, now + decision.retryAfterSeconds) + 5;
          }
          return decision;
        },
      ),
      { excludes: [FORM] },
    ],
    'refusals-counted-silently': [
      'The minute slides and counts requests answered 429, and Retry-After does not',
      changeWindow('minute', () => (limit, seconds) => {
        const counted = slidingLog({ resetsWith: 'newest', countsRefused: true })(limit, seconds);
        const told = slidingLog({ resetsWith: 'newest' })(limit, seconds);
        return {
          ...counted,
          count: (now) => {
            counted.count(now);
            told.count(now);
          },
          opensAt: (now) => (counted.remaining(now) > 0 ? now : told.opensAt(now)),
        };
      }),
      { excludes: [FORM] },
    ],
    'wait-begins-anew-silently': [
      'A second 429 silently restarts the minute',
      changeDecisionsByKey(
        () => ({ refusals: 0, until: 0 }),
        (decision, { now }, wait) => {
          if (decision.accepted) {
            if (now < wait.until) {
              return refuse(decision, Math.ceil(wait.until - now));
            }
            wait.refusals = 0;
            wait.until = 0;
          } else if (!decision.banned && decision.day.remaining > 0) {
            wait.refusals += 1;
            wait.until = wait.refusals === 2 ? now + MINUTE_SECONDS : wait.until;
          }
          return decision;
        },
      ),
      { excludes: [FORM, 'ban-after-one'] },
    ],
    'refused-once-more-after-the-wait': [
      'The first request after a wait is refused again',
      changeDecisionsByKey(
        () => ({ wasRefused: false }),
        (decision, _asking, last) => {
          const isBack = last.wasRefused && decision.accepted;
          last.wasRefused = !decision.accepted;
          return isBack ? refuse(decision, 1) : decision;
        },
      ),
    ],
    'updates-refused-after-the-wait': [
      'After a wait, updates are refused for another twenty seconds',
      changeDecisionsByKey(
        () => ({ until: 0 }),
        (decision, { now, operation }, wait) => {
          if (!decision.accepted) {
            wait.until = now + decision.retryAfterSeconds + 20;
            return decision;
          }
          return now < wait.until && operation === 'updateInventory'
            ? refuse(decision, wait.until - now)
            : decision;
        },
      ),
      { excludes: ['retry-after-in-whole-minutes'] },
    ],
  }),
];
