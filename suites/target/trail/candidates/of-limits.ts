import { DAY_SECONDS, MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { TrailExpectation } from '../../../../contract/trail.ts';
import { COUNTED_BY_KEY } from '../../../oracle/index.ts';
import { nameOf, type BuiltSteps } from '../build-trail.ts';
import type { LoggedEvent, LoggedRequest } from '../trail-log.ts';
import {
  type FindingScene,
  type Candidate,
  isGrantedRequest,
  mayHaveHadEnough,
  only,
  requestsUntil,
  rowsOf,
  startAfterRest,
} from './candidate.ts';

/** X-RateLimit-Remaining falls from one accepted request of a key to the next. */
export function candidatesOfRemaining(scene: FindingScene, answer: number): readonly Candidate[] {
  const { decisive, events, steps, keys } = scene;
  const about = only('remaining-falls', 'remaining-counts-operations');
  const isOwn = (event: LoggedEvent): event is LoggedRequest =>
    event.do === 'send' && event.key === decisive.key;
  const before = events.slice(0, events.indexOf(decisive)).filter(isOwn);
  const last = before.findLastIndex(
    (event) => isAcceptedRequest(event) && (event.endedAt ?? 0) <= decisive.at,
  );
  const from = before[last];
  const row = steps.rowOf(decisive);
  const limits = keys.get(decisive.key ?? '');
  const isRefused = decisive.response?.status === 429;
  return [
    ...(from === undefined
      ? []
      : [
          {
            // Whatever moved it, another key has to leave it alone.
            about: only(
              'remaining-falls',
              'remaining-counts-operations',
              'keys-independent-at-limit',
              'keys-independent-in-ban',
            ),
            expectation: {
              expect: 'fall',
              from: steps.numberOf(from),
              to: answer,
              most: before.length - last,
            },
          } as const,
        ]),
    ...(row[0] === row[1]
      ? []
      : [{ about, expectation: { expect: 'different remaining', answers: [row] } } as const]),
    ...(before.length === 0 && limits?.limits !== null && limits?.limits !== undefined && row[0] === row[1]
      ? [
          {
            about,
            expectation: {
              expect: 'field',
              answer,
              statuses: ['2xx'],
              name: 'X-RateLimit-Remaining',
              matches: `^(${limits.limits.perMinute - 1}|${limits.limits.perDay - limits.usedToday - 1})$`,
            },
          } as const,
        ]
      : []),
    ...afterRest(scene, answer).map((expectation) => ({ about, expectation })),
    ...(isRefused
      ? [
          {
            about,
            expectation: {
              expect: 'field',
              answer,
              statuses: ['429'],
              name: 'X-RateLimit-Remaining',
              matches: '^0$',
            },
          } as const,
        ]
      : []),
  ];
}

/** After a rest nothing of a minute is used but what was sent since. */
function afterRest(
  { decisive, events, keys }: FindingScene,
  answer: number,
): readonly Extract<TrailExpectation, { readonly expect: 'number' }>[] {
  const key = keys.get(decisive.key ?? '');
  const limits = key?.limits ?? null;
  const own = events.filter(
    (event): event is LoggedRequest => event.do === 'send' && event.key === decisive.key,
  );
  const until = own.slice(0, own.indexOf(decisive) + 1);
  const start = startAfterRest(until);
  const together = own.filter(
    ({ at }, index) => index >= until.length && at < (decisive.endedAt ?? Infinity),
  );
  const used = until.length - start + together.length;
  // Its day may describe less.
  const isWithinDay =
    key !== undefined && limits !== null && limits.perDay - key.usedToday - own.length >= limits.perMinute;
  return start <= 0 || !isWithinDay || limits === null
    ? []
    : [
        {
          expect: 'number',
          answer,
          name: 'X-RateLimit-Remaining',
          least: Math.max(0, limits.perMinute - used),
          most: 'X-RateLimit-Limit',
        },
      ];
}

function isAcceptedRequest(event: LoggedRequest): boolean {
  return isGrantedRequest(event) && event.request.operation !== null;
}

const REFUSED = ['401', '403', '429', '5xx'];

/**
 * That a request is not refused: it waited as the refusal before it asked, or its key has not had enough, however the
 * others of the trail are answered. `null` if it is neither.
 */
function notRefused(scene: FindingScene): TrailExpectation | null {
  const { events, steps, decisive } = scene;
  const answer = steps.numberOf(decisive);
  const expectation = { expect: 'status', answer, noneOf: refusalOf(decisive) } as const;
  const before = requestsUntil(events, decisive).at(-2);
  if (before !== undefined && REFUSED.includes(String(before.response?.status)) && steps.hasWaited) {
    return { ...expectation, refused: steps.numberOf(before) };
  }
  return mayHaveHadEnough(scene, decisive) ? null : expectation;
}

/** At a limit a 429 may be right though another refusal is not. */
function refusalOf({ response }: LoggedRequest): readonly string[] {
  const status = response?.status ?? 429;
  return status === 429 ? REFUSED : status >= 500 ? ['5xx'] : ['401', '403'];
}

const ofLimits: Candidate['about'] = (id) =>
  COUNTED_BY_KEY.has(id) || id === 'ban-only-after-continued' || id === 'ban-ends';
const dayLimit: Candidate['about'] = (id) => id.startsWith('day-limit');

/** A key is granted what its plan says: not more, and not fewer. */
export function candidatesOfLimits(scene: FindingScene): readonly Candidate[] {
  const { decisive, events, steps, keys } = scene;
  const key = keys.get(decisive.key ?? '');
  const limits = key?.limits ?? null;
  if (key === undefined || limits === null) {
    return [];
  }
  const own = events.filter(
    (event): event is LoggedRequest =>
      event.do === 'send' && event.key === decisive.key && event.request.operation !== null,
  );
  const since = (decisive.endedAt ?? decisive.at) - MINUTE_SECONDS * 1000;
  const lately = own.filter(({ at }) => at >= since);
  const spelled = events.filter(
    (event): event is LoggedRequest => event.do === 'send' && event.key === decisive.key && event.at >= since,
  );
  const today = own.filter(({ at }) => at >= (decisive.endedAt ?? decisive.at) - DAY_SECONDS * 1000);
  const row = steps.rowOf(decisive);
  const isAlone = row[0] === row[1];
  const most = { minute: limits.perMinute, day: limits.perDay - key.usedToday };
  const ofDay = { most: most.day, within: DAY_SECONDS };
  const ofMinute = { most: most.minute, within: MINUTE_SECONDS };
  const tooMany: readonly Candidate[] = [
    { about: dayLimit, expectation: granted(steps, today, ofDay) },
    { about: ofLimits, expectation: granted(steps, lately, ofMinute) },
    { about: ofLimits, expectation: granted(steps, today, ofDay) },
    // In another spelling a request may be answered without a look at the key, or count as any other.
    { about: ofLimits, expectation: granted(steps, spelled, ofMinute) },
  ];
  if (isAlone) {
    const expectation = notRefused(scene);
    return expectation === null ? tooMany : [...tooMany, { about: ofLimits, expectation }];
  }
  const together = own.filter((event) => steps.rowOf(event)[0] === row[0]);
  // What was refused may count as well.
  const before = spelled.filter((event) => !together.includes(event)).length;
  const least = Math.min(together.length, most.minute - before);
  const whole = wholeMinute(scene, most);
  return [
    ...tooMany,
    { about: ofLimits, expectation: granted(steps, together, { least }) },
    ...(whole === null ? [] : [{ about: ofLimits, expectation: whole }]),
  ];
}

/** After a rest a key is granted a whole minute, of what the target grants; `null` if there was no rest. */
function wholeMinute(
  { decisive, events, steps }: FindingScene,
  most: { readonly minute: number; readonly day: number },
): TrailExpectation | null {
  const own = events.filter(
    (event): event is LoggedRequest => event.do === 'send' && event.key === decisive.key,
  );
  const start = startAfterRest(own);
  const since = own.slice(start);
  const isGrantable = new Set(own.filter(isGrantedRequest).map(nameOf));
  const grantable = since.filter((event) => isGrantable.has(nameOf(event)));
  // What is not granted may count as well.
  const room = most.minute - (since.length - grantable.length);
  const isWithinDay = own.length <= most.day;
  return start < 0 || !isWithinDay || grantable.length < room
    ? null
    : granted(steps, grantable, { least: room });
}

function granted(
  steps: BuiltSteps,
  requests: readonly LoggedRequest[],
  bounds: { readonly least?: number; readonly most?: number; readonly within?: number },
): TrailExpectation {
  return { expect: 'granted', answers: rowsOf(steps, requests), ...bounds };
}
