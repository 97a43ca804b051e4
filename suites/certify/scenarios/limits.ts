import { setTimeout as delay } from 'node:timers/promises';

import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import { DAY_SECONDS } from '../../../contract/plans.ts';
import { seedInventory } from '../../../fixtures/corpora/index.ts';
import { A_LIMIT, A_LIST, AN_UPDATE } from './judged-by.ts';
import type { ClientTask, RetryAfterScript, ClientScenario, ScriptedAnswer } from './scenario.ts';
import { answersFirst, limitedByDay, limitedFor } from './scripts.ts';

const inventory = seedInventory({ size: 12, seed: 3 });
const list: ClientTask = { operation: 'listInventory' };
const update: ClientTask = { operation: 'updateInventory', petId: 2n ** 53n + 1n, quantity: 31 };
const SECOND: RetryAfterScript = { form: 'delta-seconds', seconds: 1 };

// Long enough for waits that were cut, or whose number did not fit, to show.
const WATCHED_SECONDS = 6;

const HELD_MILLISECONDS = 500;

/** Little is left of it in 8 bits, in 16 with a sign, and in 32 as microseconds. */
const HOURS_SECONDS = 38_657;
/** A second is left of it without its days. */
const BEYOND_A_DAY_SECONDS = DAY_SECONDS + 1;
/** A second is left of it in 16 bits, and nothing in 31 as milliseconds. */
const WEEKS_SECONDS = 40 * 2 ** 16 + 1;
// So that it has passed even when it is cut to whole seconds.
const JUST_PASSED_SECONDS = -2;

/** JSON that is no Error object, with members of a service's own. */
const OTHER_OBJECT = { json: '{"error":{"reason":"quota","retryable":true},"details":[]}' };
const NO_OBJECTS = ['null', '[]', '"Too many requests"'];

const listJudges = [...A_LIST, ...A_LIMIT] as const;
const updateJudges = [...AN_UPDATE, ...A_LIMIT] as const;

/** 429s of every kind that a conformant service may answer. */
export const LIMITS: readonly ClientScenario[] = [
  {
    id: 'limited-seconds',
    title: 'List: one 429 with Retry-After in seconds',
    task: list,
    inventory,
    script: answersFirst(limitedFor(2)),
    judges: listJudges,
    seconds: 2,
  },
  {
    id: 'limited-date',
    title: 'List: one 429 with Retry-After as a date',
    task: list,
    inventory,
    script: answersFirst(limitedFor(2, 'http-date')),
    judges: listJudges,
    seconds: 3,
  },
  {
    id: 'limited-update-seconds',
    title: 'Update: one 429 with Retry-After in seconds, which takes its time',
    task: update,
    inventory,
    script: answersFirst(limitedFor(2)),
    // Retry-After counts from the answer, not from the request.
    hold: (turn) => (turn === 0 ? delay(HELD_MILLISECONDS) : Promise.resolve()),
    judges: updateJudges,
    seconds: 2,
  },
  {
    id: 'limited-update-date',
    title: 'Update: one 429 with Retry-After as a date',
    task: update,
    inventory,
    script: answersFirst(limitedFor(2, 'http-date')),
    judges: updateJudges,
    seconds: 3,
  },
  {
    id: 'limited-several',
    title: 'Four 429s in a row',
    task: list,
    inventory,
    script: answersFirst(...Array.from({ length: 4 }, () => limitedFor(1))),
    judges: listJudges,
    seconds: 4,
  },
  {
    id: 'limited-changing',
    title: 'Three 429s in a row, each with another Retry-After',
    task: update,
    inventory,
    script: answersFirst(limitedFor(1), limitedFor(3, 'http-date'), limitedFor(2)),
    judges: updateJudges,
    seconds: 7,
  },
  {
    id: 'limited-long',
    title: 'One 429 with a Retry-After of 35 s',
    task: list,
    inventory,
    script: answersFirst(limitedFor(35)),
    judges: listJudges,
    seconds: 36,
  },
  {
    // Played to its end, since some clients cut their waits at a minute.
    id: 'limited-over-a-minute',
    title: 'One 429 without content, with a Retry-After of 66 s',
    task: list,
    inventory,
    script: answersFirst(limitedByDay(66, 'delta-seconds', 'empty')),
    judges: listJudges,
    seconds: 66,
  },
  {
    id: 'limited-update-date-over-a-minute',
    title: 'Update: one 429 with a Retry-After that is a date 66 s ahead',
    task: update,
    inventory,
    script: answersFirst(limitedByDay(66, 'http-date')),
    judges: updateJudges,
    seconds: 66,
  },
  // Whoever gives up has to report it, whatever the 429 holds.
  watched(
    'limited-for-minutes',
    `One 429 whose content is another JSON object, with a Retry-After of ${HOURS_SECONDS.toLocaleString('en')} s`,
    update,
    limitedByDay(HOURS_SECONDS, 'delta-seconds', OTHER_OBJECT),
  ),
  watched(
    'limited-until-tomorrow',
    'One 429 with a page of HTML and a Retry-After that is a date a day and a second ahead',
    list,
    limitedByDay(BEYOND_A_DAY_SECONDS, 'http-date', 'html'),
  ),
  watched(
    'limited-for-a-day',
    'One 429 with a Retry-After of a day and a second',
    list,
    limitedByDay(BEYOND_A_DAY_SECONDS),
  ),
  watched(
    'limited-for-weeks',
    `One 429 with a Retry-After of ${WEEKS_SECONDS.toLocaleString('en')} s`,
    list,
    limitedByDay(WEEKS_SECONDS),
  ),
  watched(
    'limited-until-next-month',
    'One 429 with a Retry-After that is a date 31 days ahead',
    update,
    limitedByDay(LONGEST_TEMPORARY_SECONDS, 'http-date'),
  ),
  {
    id: 'limited-zero-seconds',
    title: 'A 429 with a Retry-After of 0',
    task: list,
    inventory,
    script: answersFirst(limitedFor(0)),
    judges: listJudges,
    seconds: 1,
  },
  {
    id: 'limited-date-passed',
    title: 'A 429 with a Retry-After that is a date which has just passed',
    task: update,
    inventory,
    script: answersFirst(limitedFor(JUST_PASSED_SECONDS, 'http-date')),
    judges: updateJudges,
    seconds: 1,
  },
  {
    id: 'limited-empty-body',
    title: 'A 429 without content',
    task: list,
    inventory,
    script: answersFirst({ kind: 'limited', retryAfter: SECOND, body: 'empty' }),
    judges: listJudges,
    seconds: 1,
  },
  {
    id: 'limited-html-body',
    title: 'A 429 with a page of HTML',
    task: update,
    inventory,
    script: answersFirst({ kind: 'limited', retryAfter: SECOND, body: 'html' }),
    judges: updateJudges,
    seconds: 1,
  },
  {
    id: 'limited-beyond-reset',
    title: 'A 429 because the day is used up, whose headers describe the minute',
    task: list,
    inventory,
    script: answersFirst(limitedByDay(3)),
    judges: listJudges,
    seconds: 3,
  },
  {
    id: 'limited-no-object',
    title: 'Three 429s whose contents are JSON and no object: null, an array, a string',
    task: list,
    inventory,
    script: answersFirst(...NO_OBJECTS.map((json) => limitedFor(1, 'delta-seconds', { json }))),
    judges: ['client-reads-any-json'],
    seconds: 3,
  },
  {
    id: 'limited-without-end',
    title: 'Nothing but 429s, each without content',
    task: list,
    inventory,
    script: () => limitedFor(1, 'delta-seconds', 'empty'),
    judges: [...listJudges, 'client-backs-off', 'client-stops-trying'],
    seconds: 20,
  },
  {
    id: 'banned-forbidden',
    title: 'A key that is banned for 2 s: 403',
    task: list,
    inventory,
    script: answersFirst(bannedWith(403)),
    judges: listJudges,
    seconds: 2,
  },
  {
    id: 'banned-limited',
    title: 'A key that is banned for 2 s: 429',
    task: update,
    inventory,
    script: answersFirst(limitedFor(1), bannedWith(429)),
    judges: updateJudges,
    seconds: 3,
  },
];

function bannedWith(status: 403 | 429): ScriptedAnswer {
  return { kind: 'banned', status, retryAfter: { form: 'delta-seconds', seconds: 2 } };
}

/** A wait of which only the beginning is watched. */
function watched(id: string, title: string, task: ClientTask, answer: ScriptedAnswer): ClientScenario {
  return {
    id,
    title,
    task,
    inventory,
    script: answersFirst(answer),
    letGoAfterSeconds: WATCHED_SECONDS,
    judges: task.operation === 'listInventory' ? listJudges : updateJudges,
    seconds: WATCHED_SECONDS,
  };
}
