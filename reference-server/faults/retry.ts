import { DAY_SECONDS } from '../../contract/plans.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import {
  type LimitRefusal,
  changeBannedAnswers,
  changeLimitAnswers,
  firstOfKey,
  untoldBan,
} from '../alterations/answers.ts';
import { changeDecisionsAfterBan, changeEachDecision } from '../alterations/decisions.ts';
import { everyNth, keyOf } from '../alterations/requests.ts';
import { changeResponses } from '../alterations/responses.ts';
import { type Fault, NO_LASTING_BAN, breaking } from './fault.ts';
import type { Answer } from '../service/answer.ts';
import { withHeader, withoutHeader } from '../service/messages.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { RetryAfterWriter } from '../service/refusals.ts';

function withoutRetryAfter(): Alteration {
  const freed = new WeakSet<KeyRecord>();
  return combine(
    changeDecisionsAfterBan(() => (decision, { key }) => {
      if (decision.accepted) {
        freed.add(key);
      }
      return decision;
    }),
    changeResponses((response, request, parts) => {
      const key = response.status === 429 ? keyOf(parts, request) : undefined;
      return key !== undefined && freed.has(key) ? withoutHeader(response, 'Retry-After') : response;
    }),
  );
}

/** Leaves Retry-After out if it applies. */
function missing(id: string, title: string, applies: (refusal: LimitRefusal) => boolean): Fault {
  return {
    id,
    title,
    breaks: 'retry-after-present',
    alter: changeLimitAnswers((answer, refusal) =>
      applies(refusal) ? withoutHeader(answer, 'Retry-After') : answer,
    ),
  };
}

const isThird = everyNth(3);

const isFourth = everyNth(4);

/** Writes Retry-After in another form, at limits and in bans. */
function written(id: string, title: string, retryAfter: RetryAfterWriter): Fault {
  return { id, title, breaks: 'retry-after-valid', alter: { parts: () => ({ retryAfter }) } };
}

function valueOf({ headers }: Answer): string {
  return headers[headers.indexOf('Retry-After') + 1] ?? '';
}

function dateIn(seconds: number, now: number): Date {
  return new Date(Math.ceil(now + seconds) * 1_000);
}

export const RETRY_FAULTS: readonly Fault[] = [
  missing('retry-after-missing', 'A 429 has no Retry-After', () => true),
  missing('retry-after-missing-at-first', 'The first 429 of a key has no Retry-After', firstOfKey()),
  missing('retry-after-missing-one-in-four', 'One 429 in four has no Retry-After', ({ parts }) =>
    isFourth(parts),
  ),
  missing(
    'retry-after-missing-for-the-day',
    'A 429 of the per-day limit has no Retry-After',
    ({ decision }) => decision.day.remaining === 0,
  ),
  written('retry-after-negative', 'Retry-After is negative', (seconds) => `-${seconds}`),
  written('retry-after-empty', 'Retry-After is empty', () => ''),
  written('retry-after-iso-date', 'Retry-After is an ISO 8601 date', (seconds, now) =>
    dateIn(seconds, now).toISOString(),
  ),
  {
    id: 'retry-after-fraction-one-in-three',
    title: 'Retry-After of one 429 in three is a fraction',
    breaks: 'retry-after-valid',
    alter: changeLimitAnswers((answer, { parts }) =>
      isThird(parts) ? withHeader(answer, 'Retry-After', `${valueOf(answer)}.5`) : answer,
    ),
  },
  ...breaking('retry-after-present', {
    'no-retry-after-after-a-ban': {
      title: 'A 429 lacks Retry-After if the key was banned before',
      excludes: NO_LASTING_BAN,
      alter: withoutRetryAfter(),
    },
    'retry-after-twice': {
      title: 'Retry-After is sent twice on a 429',
      alter: changeLimitAnswers((answer) => ({
        ...answer,
        headers: [...answer.headers, 'Retry-After', valueOf(answer)],
      })),
    },
    'retry-after-missing-in-bans': {
      title: 'A banned key is answered 429 without Retry-After',
      excludes: ['no-ban', 'ban status'],
      alter: untoldBan,
    },
  }),
  ...breaking('retry-after-plausible', {
    'retry-after-in-milliseconds': {
      title: 'Retry-After at a limit is in milliseconds',
      excludes: ['retry-after form'],
      alter: {
        answers: ({ limited }) => ({
          limited: (decision, described, now) =>
            withHeader(
              limited(decision, described, now),
              'Retry-After',
              `${decision.retryAfterSeconds * 1_000}`,
            ),
        }),
      },
    },
    'retry-after-a-day-too-long': {
      title: 'Retry-After at the limit of a day names the end of the day after',
      excludes: ['retry-after form'],
      alter: changeEachDecision((decision) =>
        decision.accepted || decision.banned || decision.day.remaining > 0
          ? decision
          : { ...decision, retryAfterSeconds: decision.retryAfterSeconds + DAY_SECONDS },
      ),
    },
    'retry-after-in-ban-a-timestamp': {
      title: 'Retry-After in a ban is the Unix time of its end',
      excludes: ['retry-after form', 'no-ban'],
      alter: changeBannedAnswers((answer, { seconds, now }) =>
        withHeader(answer, 'Retry-After', `${Math.ceil(now) + seconds}`),
      ),
    },
  }),
];
