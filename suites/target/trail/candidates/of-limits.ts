import { BAN_STATUSES } from '../../../../contract/bans.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { TrailExpectation } from '../../../../contract/trail.ts';
import { COUNTED_BY_KEY } from '../../../oracle/index.ts';
import type { BuiltSteps } from '../build-trail.ts';
import { nameOf } from '../word-requests.ts';
import type { LoggedRequest } from '../trail-log.ts';
import {
  type FindingScene,
  type Candidate,
  isGrantedRequest,
  isPlain,
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
  const own = requestsUntil(events, decisive);
  const before = own.slice(0, -1);
  const last = before.findLastIndex(
    (event) => isAcceptedRequest(event) && (event.endedAt ?? 0) <= decisive.at,
  );
  const from = before[last];
  const row = steps.rowOf(decisive);
  const together = events.filter(
    (event): event is LoggedRequest =>
      event.do === 'send' && event.key === decisive.key && isPlain(event) && steps.rowOf(event)[0] === row[0],
  );
  const limits = keys.get(decisive.key ?? '');
  // Later a sliding window may have forgotten some.
  const start = own[Math.max(0, startAfterRest(own))] ?? decisive;
  const isInOneMinute = (decisive.endedAt ?? decisive.at) - start.at < MINUTE_SECONDS * 1_000;
  const isRefused = decisive.response?.status === 429;
  return [
    ...(from === undefined || !isInOneMinute
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
    ...(together.length < 2
      ? []
      : [
          {
            about,
            expectation: { expect: 'different remaining', answers: rowsOf(steps, together) },
          } as const,
        ]),
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
  if (
    before !== undefined &&
    REFUSED.includes(String(before.response?.status)) &&
    steps.hasWaited(decisive)
  ) {
    return { ...expectation, refused: steps.numberOf(before) };
  }
  // A ban comes after a 429, which may have been the answer before at the earliest.
  const status = decisive.response?.status ?? 429;
  const isBan = status !== 429 && BAN_STATUSES.has(status);
  const last = isBan ? before : decisive;
  return last !== undefined && mayHaveHadEnough(scene, last) ? null : expectation;
}

/** At a limit a 429 may be right though another refusal is not. */
function refusalOf({ response }: LoggedRequest): readonly string[] {
  const status = response?.status ?? 429;
  return status === 429 ? REFUSED : status >= 500 ? ['5xx'] : ['401', '403'];
}

const ofLimits: Candidate['about'] = (id) =>
  COUNTED_BY_KEY.has(id) || id === 'ban-only-after-continued' || id === 'ban-ends';
const ofRefusals: Candidate['about'] = (id) => ofLimits(id) || id === 'valid-key-accepted';
const dayLimit: Candidate['about'] = (id) => id.startsWith('day-limit');

/** A key is granted what its plan says: not more, and not fewer. */
export function candidatesOfLimits(scene: FindingScene): readonly Candidate[] {
  const { decisive, events, steps, keys } = scene;
  const key = keys.get(decisive.key ?? '');
  const limits = key?.limits ?? null;
  if (key === undefined || limits === null) {
    return [];
  }
  const spelled = events.filter(
    (event): event is LoggedRequest => event.do === 'send' && event.key === decisive.key,
  );
  const own = spelled.filter(({ request }) => request.operation !== null);
  const row = steps.rowOf(decisive);
  const minute = { most: limits.perMinute, left: limits.perMinute, seconds: MINUTE_SECONDS };
  const day = { most: limits.perDay, left: limits.perDay - key.usedToday, seconds: DAY_SECONDS };
  const tooMany: readonly Candidate[] = [
    ...notMore(steps, own, day).map((expectation) => ({ about: dayLimit, expectation })),
    ...[
      ...notMore(steps, own, minute),
      ...notMore(steps, own, day),
      // In another spelling a request may be answered without a look at the key, or count as any other.
      ...notMore(steps, spelled, minute),
      ...notMore(steps, spelled, day),
    ].map((expectation) => ({ about: ofLimits, expectation })),
  ];
  if (row[0] === row[1]) {
    const expectation = notRefused(scene);
    return expectation === null ? tooMany : [...tooMany, { about: ofRefusals, expectation }];
  }
  const fewer = spelled.length > day.left ? [] : notFewer(scene, spelled, minute.most);
  return [...tooMany, ...fewer.map((expectation) => ({ about: ofLimits, expectation }))];
}

/** What a window grants. */
interface WindowLimit {
  readonly most: number;
  /** What the first one still grants when the key is issued. */
  readonly left: number;
  readonly seconds: number;
}

// A window that begins at a time of its own seldom begins within so little of another.
const SHORT_SHARE = 0.1;

/** In a short time not more than a window grants, and in a longer one not more than all windows that may touch it. */
function notMore(
  steps: BuiltSteps,
  requests: readonly LoggedRequest[],
  { most, left, seconds }: WindowLimit,
): readonly TrailExpectation[] {
  const [first] = requests;
  const end = Math.max(...requests.map(({ at, endedAt }) => endedAt ?? at));
  const short = requests.filter(({ at }) => end - at <= seconds * SHORT_SHARE * 1_000);
  const windows = first === undefined ? 0 : Math.floor((end - first.at) / 1_000 / seconds) + 1;
  const isFirstWindow = short.length === requests.length;
  return [
    {
      expect: 'granted',
      answers: rowsOf(steps, short),
      most: isFirstWindow ? left : most,
      within: seconds,
      isOneWindow: true,
    },
    {
      expect: 'granted',
      answers: rowsOf(steps, requests),
      most: left + most * windows,
      within: windows * seconds,
    },
  ];
}

/** What the first minute of a key, or one after a rest, grants of the requests since. */
function notFewer(
  { steps, keys, decisive }: FindingScene,
  own: readonly LoggedRequest[],
  minute: number,
): readonly TrailExpectation[] {
  const rested = startAfterRest(own);
  const isFresh = keys.get(decisive.key ?? '')?.issued === true;
  if (rested === -1 && !isFresh) {
    return [];
  }
  const since = own.slice(Math.max(0, rested));
  const isGranted = new Set(own.filter(isGrantedRequest).map(nameOf));
  const grantable = since.filter((event) => isPlain(event) && isGranted.has(nameOf(event)));
  // What another target does not grant may count as well.
  const least = Math.min(grantable.length, minute - (since.length - grantable.length));
  const most = Math.max(0, since.length - minute);
  return [
    { expect: 'limited', answers: rowsOf(steps, since), most },
    ...(least > 0 ? [{ expect: 'granted', answers: rowsOf(steps, grantable), least } as const] : []),
  ];
}
