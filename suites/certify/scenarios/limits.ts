import { setTimeout as delay } from 'node:timers/promises';

import { DAY_SECONDS, MINUTE_SECONDS } from '../../../contract/plans.ts';
import { seedInventory } from '../../../fixtures/corpora/index.ts';
import { A_LIMIT, A_LIST, AN_UPDATE } from './judged-by.ts';
import type { ClientTask, RetryAfterScript, ClientScenario, ScriptedAnswer } from './scenario.ts';
import { answersFirst, limitedByDay, limitedFor } from './scripts.ts';

const inventory = seedInventory({ size: 12, seed: 3 });
const list: ClientTask = { operation: 'listInventory' };
const update: ClientTask = { operation: 'updateInventory', petId: 2n ** 53n + 1n, quantity: 31 };
const SECOND: RetryAfterScript = { form: 'delta-seconds', seconds: 1 };

// Long enough for waits that were cut, or whose number did not fit, to show.
const WATCHED_SECONDS = 8;

const HELD_MILLISECONDS = 500;

/** Far less than 8 seconds is left of it in 8 bits, in 16 with a sign, and in 32 as microseconds. */
const HOURS_SECONDS = 38_657;
// As a date it has passed for whoever reads its time alone, unless the day has just begun.
const ALMOST_A_DAY_SECONDS = DAY_SECONDS - MINUTE_SECONDS;

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
  // Whoever gives up has to report it, whatever the 429 holds.
  watched(
    'limited-for-minutes',
    `One 429 whose content is null, with a Retry-After of ${HOURS_SECONDS.toLocaleString('en')} s`,
    update,
    limitedByDay(HOURS_SECONDS, 'delta-seconds', 'null'),
  ),
  watched(
    'limited-until-tomorrow',
    'One 429 with a page of HTML and a Retry-After that is a date one minute less than a day ahead',
    list,
    limitedByDay(ALMOST_A_DAY_SECONDS, 'http-date', 'html'),
  ),
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
    id: 'limited-null-body',
    title: 'A 429 whose content is the JSON value null',
    task: list,
    inventory,
    script: answersFirst({ kind: 'limited', retryAfter: SECOND, body: 'null' }),
    judges: listJudges,
    seconds: 1,
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
