import { setTimeout as delay } from 'node:timers/promises';

import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import { DAY_SECONDS } from '../../../contract/plans.ts';
import { seedInventory } from '../../../fixtures/corpora/index.ts';
import {
  A_LIMIT,
  limitedByDay,
  limitedFor,
  scenarioGroup,
  type ClientScenario,
  type ScriptedAnswer,
} from './scenario.ts';

const { list, update } = scenarioGroup({
  inventory: seedInventory({ size: 12, seed: 3 }),
  update: { operation: 'updateInventory', petId: 2n ** 53n + 1n, quantity: 31 },
  shows: A_LIMIT,
});

// Long enough for waits that were cut, or whose number did not fit, to show.
const WATCHED_SECONDS = 6;

const HELD_MILLISECONDS = 500;

/** Little is left of it in 8 bits, in 16 with a sign, and in 32 as microseconds. */
const HOURS_SECONDS = 38_657;
/** A second is left of it without its days. */
const BEYOND_A_DAY_SECONDS = DAY_SECONDS + 1;
/** A second is left of it in 16 bits, and nothing in 31 as milliseconds. */
const WEEKS_SECONDS = 40 * 2 ** 16 + 1;
/** To a client that takes the month or the year for the present one it has passed. */
const UNTIL_THE_FIRST_SECONDS = secondsUntilTheFirst(new Date());
// So that it has passed even when it is cut to whole seconds.
const JUST_PASSED_SECONDS = -2;

/** A second is left of it as milliseconds. */
const OVER_A_THOUSAND_SECONDS = 1_203;

/** JSON that is no Error object, with members of a service's own. */
const OTHER_OBJECT = {
  json: '{"error":{"reason":"quota","retryable":true},"details":[],"retry_after":1,"retryAfter":1}',
};
const NO_OBJECTS = ['null', '[]', '"Too many requests"'];

/** 429s of every kind that a conformant service may answer. */
export const LIMITS: readonly ClientScenario[] = [
  list('limited-seconds', 'List: one 429 with Retry-After in seconds', {
    answers: [limitedFor(2)],
    seconds: 2,
  }),
  list('limited-date', 'List: one 429 with Retry-After as a date', {
    answers: [limitedFor(2, 'http-date')],
    // A client that cuts the fraction of a second comes back much too early.
    hold: untilFraction(0.05),
    seconds: 4,
  }),
  update('limited-update-seconds', 'Update: one 429 with Retry-After in seconds, which takes its time', {
    answers: [limitedFor(2)],
    // Retry-After counts from the answer, not from the request.
    hold: (turn) => (turn === 0 ? delay(HELD_MILLISECONDS) : Promise.resolve()),
    seconds: 2,
  }),
  update('limited-update-date', 'Update: one 429 with Retry-After as a date', {
    answers: [limitedFor(2, 'http-date')],
    // A client that rounds to the nearest second comes back too early.
    hold: untilFraction(0.65),
    seconds: 4,
  }),
  list('limited-several', 'Four 429s in a row', {
    answers: Array.from({ length: 4 }, () => limitedFor(1)),
    shows: [...A_LIMIT, 'client-backs-off'],
    seconds: 4,
  }),
  update('limited-changing', 'Three 429s in a row, each with another Retry-After', {
    answers: [limitedFor(1), limitedFor(3, 'http-date'), limitedFor(2)],
    seconds: 7,
  }),
  list('limited-long', 'One 429 with a Retry-After of 35 s', { answers: [limitedFor(35)], seconds: 36 }),
  // Played to its end, since some clients cut their waits at a minute.
  list('limited-over-a-minute', 'One 429 without content, with a Retry-After of 66 s', {
    answers: [limitedByDay(66, 'delta-seconds', 'empty')],
    seconds: 66,
  }),
  update(
    'limited-update-date-over-a-minute',
    'Update: one 429 with a Retry-After that is a date 66 s ahead',
    { answers: [limitedByDay(66, 'http-date')], seconds: 66 },
  ),
  // A client that gives up has to report it, whatever the 429 holds.
  update(
    'limited-for-minutes',
    `One 429 whose content is another JSON object, with a Retry-After of ${HOURS_SECONDS.toLocaleString('en')} s`,
    watched(limitedByDay(HOURS_SECONDS, 'delta-seconds', OTHER_OBJECT)),
  ),
  list(
    'limited-over-a-thousand',
    `One 429 with a Retry-After of ${OVER_A_THOUSAND_SECONDS.toLocaleString('en')} s`,
    watched(limitedByDay(OVER_A_THOUSAND_SECONDS)),
  ),
  list(
    'limited-until-tomorrow',
    'One 429 with a page of HTML and a Retry-After that is a date a day and a second ahead',
    watched(limitedByDay(BEYOND_A_DAY_SECONDS, 'http-date', 'html')),
  ),
  list(
    'limited-for-a-day',
    'One 429 with a Retry-After of a day and a second',
    watched(limitedByDay(BEYOND_A_DAY_SECONDS)),
  ),
  list(
    'limited-for-weeks',
    `One 429 with a Retry-After of ${WEEKS_SECONDS.toLocaleString('en')} s`,
    watched(limitedByDay(WEEKS_SECONDS)),
  ),
  update(
    'limited-until-next-month',
    'One 429 with a Retry-After that is a date 31 days ahead',
    watched(limitedByDay(LONGEST_TEMPORARY_SECONDS, 'http-date')),
  ),
  list(
    'limited-until-the-first',
    'One 429 with a Retry-After that is a date on the first of the next month',
    watched(limitedByDay(UNTIL_THE_FIRST_SECONDS, 'http-date')),
  ),
  list('limited-zero-seconds', 'A 429 with a Retry-After of 0', { answers: [limitedFor(0)] }),
  update('limited-date-passed', 'A 429 with a Retry-After that is a date which has just passed', {
    answers: [limitedFor(JUST_PASSED_SECONDS, 'http-date')],
  }),
  list('limited-empty-body', 'A 429 without content', {
    answers: [limitedFor(1, 'delta-seconds', 'empty')],
  }),
  // More than an HTTP library takes in before the client reads it.
  update('limited-html-body', 'A 429 with a page of HTML, of 200 KB', {
    answers: [limitedFor(1, 'delta-seconds', 'long-html')],
  }),
  list(
    'limited-beyond-reset',
    'A 429 because the day is used up, whose headers describe the minute, of which nothing remains either',
    { answers: [{ ...limitedByDay(3), byDay: 0 }], seconds: 3 },
  ),
  list('limited-no-object', 'Three 429s whose contents are JSON and no object: null, an array, a string', {
    answers: NO_OBJECTS.map((json) => limitedFor(1, 'delta-seconds', { json })),
    judges: ['client-reads-any-json'],
    seconds: 3,
  }),
  list(
    'limited-obsolete-dates',
    'Two 429s with Retry-After as a date in the obsolete forms: of RFC 850, and of asctime',
    {
      answers: [limitedFor(3, 'rfc850-date'), limitedFor(3, 'asctime-date')],
      judges: ['client-reads-obsolete-dates'],
      seconds: 8,
    },
  ),
  list('limited-without-end', 'Nothing but 429s, each without content', {
    script: () => limitedFor(1, 'delta-seconds', 'empty'),
    shows: [...A_LIMIT, 'client-backs-off', 'client-stops-trying'],
    seconds: 20,
  }),
  list('banned-forbidden', 'A key that is banned for 2 s: 403', { answers: [bannedWith(403)], seconds: 2 }),
  update('banned-limited', 'A key that is banned for 2 s: 429', {
    answers: [limitedFor(1), bannedWith(429)],
    seconds: 3,
  }),
];

/** Holds the first answer until so much of a second has passed, since a date names whole ones. */
function untilFraction(fraction: number): (turn: number) => Promise<void> {
  return async (turn) => {
    if (turn === 0) {
      await delay((fraction * 1000 - (Date.now() % 1000) + 1000) % 1000);
    }
  };
}

/** At the time of day that it is now: from a day to 31 days. */
function secondsUntilTheFirst(now: Date): number {
  const first = new Date(now);
  first.setUTCMonth(now.getUTCMonth() + 1, 1);
  return (first.getTime() - now.getTime()) / 1000;
}

function bannedWith(status: 403 | 429): ScriptedAnswer {
  return { kind: 'banned', status, retryAfter: { form: 'delta-seconds', seconds: 2 } };
}

/** A wait of which only the beginning is watched. */
function watched(answer: ScriptedAnswer) {
  return { answers: [answer], letGoAfterSeconds: WATCHED_SECONDS, seconds: WATCHED_SECONDS };
}
