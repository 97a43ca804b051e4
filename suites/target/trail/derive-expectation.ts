import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../../contract/plans.ts';
import { headerValues, RATE_LIMIT_HEADERS } from '../../../contract/rate-limit-headers.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { BODY_FORMS, type TrailExpectation } from '../../../contract/trail.ts';
import {
  COUNTED_BY_KEY,
  demandsOn,
  listOf,
  readCredential,
  readRequest,
  type Credential,
  type Exchange,
  type Key,
} from '../../oracle/index.ts';
import type { BuiltSteps } from './build-trail.ts';
import { expectedStore, type ExpectedStore } from './expected-store.ts';
import { isAsExpected, type GivenAnswer } from './judge-expectation.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';

/** What a finding rests on. */
export interface FindingScene {
  readonly id: RequirementId;
  readonly message: string;
  readonly events: readonly LoggedEvent[];
  readonly steps: BuiltSteps;
  readonly keys: ReadonlyMap<string, Key>;
  readonly revoked: readonly string[];
  /** The request whose answer shows it. */
  readonly decisive: LoggedRequest;
  /** `null` if it got no answer. */
  readonly exchange: Exchange | null;
  /** What the answers were, by their numbers. */
  readonly answers: readonly (GivenAnswer | undefined)[];
}

/** What one answer should have been, and the requirements that this is about; none if any may be. */
interface Candidate {
  readonly about: (id: RequirementId) => boolean;
  readonly expectation: TrailExpectation;
}

/**
 * What the answers of a trail would have been without the fault, such that those that were given are not it; `null` if
 * no expectation tells.
 */
export function deriveExpectation(scene: FindingScene): TrailExpectation | null {
  const broken = candidatesOf(scene).filter(({ expectation }) => !isAsExpected(expectation, scene.answers));
  return broken.find(({ about }) => about(scene.id))?.expectation ?? null;
}

function candidatesOf(scene: FindingScene): readonly Candidate[] {
  const answer = scene.steps.numberOf(scene.decisive);
  if (scene.exchange === null) {
    return [{ about: () => true, expectation: { expect: 'response', answer } }];
  }
  const store = expectedStore(scene.events, scene.decisive);
  return [
    ...candidatesOfStatus(scene, answer, store),
    ...candidatesOfFields(scene, answer),
    ...candidatesOfRemaining(scene, answer),
    ...candidatesOfForm(),
    ...candidatesOfStore(scene, answer, store),
    ...candidatesOfLimits(scene, answer),
  ];
}

function only(...ids: readonly RequirementId[]): Candidate['about'] {
  return (id) => ids.includes(id);
}

const STATUSES = [
  200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 409, 410, 411,
  412, 413, 414, 415, 417, 418, 422, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505,
];

/** What the specification demands of the answer, and that the same wrong status does not come again. */
function candidatesOfStatus(scene: FindingScene, answer: number, store: ExpectedStore): readonly Candidate[] {
  const { decisive, exchange, steps } = scene;
  const demands = demandsOf(scene, decisive, store).map((demand): Candidate => ({
    about: only(demand.requirement),
    expectation: {
      expect: 'status',
      answers: rowsOf(steps, [...alikeOf(scene, demand), decisive]),
      oneOf: demand.oneOf,
    },
  }));
  const status = exchange?.response.status ?? 0;
  const noneOf = status >= 500 ? ['5xx'] : [String(status)];
  const isWrong = only(
    'no-server-error',
    'method-not-allowed',
    'refusal-is-429',
    'ban-answer',
    'bearer-any-case',
    'authentication-first',
    'every-operation-authenticates',
    'revoked-key',
    ...(status === 200 ? [] : (['list-succeeds', 'update-succeeds'] as const)),
  );
  return [...demands, { about: isWrong, expectation: { expect: 'status', answer, noneOf } }];
}

interface NamedDemand {
  readonly requirement: RequirementId;
  readonly oneOf: readonly string[];
}

function demandsOf(
  scene: Pick<FindingScene, 'events' | 'keys' | 'revoked'>,
  sent: LoggedRequest,
  { pets }: ExpectedStore,
): readonly NamedDemand[] {
  const reading = readRequest(sent.request);
  const { target } = reading;
  const petId = target.kind === 'undocumented' ? null : target.petId;
  const isKnown = pets !== null && typeof petId === 'bigint';
  const presence = !isKnown ? 'unknown' : pets.has(petId.toString()) ? 'present' : 'absent';
  return demandsOn(reading, credentialOf(sent, scene), presence).map(({ requirement, permits }) => ({
    requirement,
    oneOf: STATUSES.filter(permits).map(String),
  }));
}

// Of a long trail only the end is compared.
const MOST_COMPARED = 200;

/** Requests before the decisive one of which the same was demanded and given: the fault may show in any of them. */
function alikeOf(scene: FindingScene, { requirement, oneOf }: NamedDemand): readonly LoggedRequest[] {
  const { events, decisive } = scene;
  return events
    .filter((event) => event.do === 'send')
    .slice(-MOST_COMPARED)
    .filter(
      (event) =>
        event !== decisive &&
        event.response !== null &&
        oneOf.includes(String(event.response.status)) &&
        demandsOf(scene, event, expectedStore(events, event)).some(
          (other) => other.requirement === requirement && other.oneOf.join() === oneOf.join(),
        ),
    );
}

function credentialOf(
  { request, authorization }: LoggedRequest,
  { events, keys, revoked }: Pick<FindingScene, 'events' | 'keys' | 'revoked'>,
): Credential {
  const gone = new Set(events.flatMap((event) => (event.do === 'revoke key' ? [event.key] : [])));
  const secrets = new Map(
    [...keys.values()].map(({ label, secret }) => [
      secret,
      { label, state: gone.has(label) ? ('revoked' as const) : ('valid' as const) },
    ]),
  );
  for (const secret of revoked) {
    secrets.set(secret, { label: '', state: 'revoked' });
  }
  return readCredential({ authorization, elsewhere: [request.path] }, secrets);
}

const HTTP_DATE = '^[A-Z][a-z]{2,8},? [0-9A-Za-z -]+ [0-9:]{8}( GMT| [0-9]{4})$';
const FIELD_OF: Readonly<Record<(typeof RATE_LIMIT_HEADERS)[number], RequirementId>> = {
  'X-RateLimit-Limit': 'header-limit',
  'X-RateLimit-Remaining': 'header-remaining',
  'X-RateLimit-Reset': 'header-reset',
};

function candidatesOfFields(
  { decisive, exchange, keys }: FindingScene,
  answer: number,
): readonly Candidate[] {
  const limits = keys.get(decisive.key ?? '')?.limits ?? null;
  const field = (
    id: RequirementId,
    name: string,
    matches: string,
    more: { answer?: number; statuses?: readonly string[]; isOptional?: true } = {},
  ): Candidate => ({
    about: only(id),
    expectation: { expect: 'field', answer: null, statuses: [], name, matches, ...more },
  });
  const most = limits === null ? null : longestWait(exchange);
  return [
    ...RATE_LIMIT_HEADERS.map((name) => field(FIELD_OF[name], name, '^-?[0-9]+$')),
    {
      about: only('remaining-in-range'),
      expectation: {
        expect: 'number',
        answer,
        name: 'X-RateLimit-Remaining',
        least: 0,
        most: 'X-RateLimit-Limit',
      },
    },
    ...(limits === null
      ? []
      : [
          field('limit-of-plan', 'X-RateLimit-Limit', `^(${limits.perMinute}|${limits.perDay})$`, { answer }),
        ]),
    {
      about: only('reset-is-near'),
      expectation: { expect: 'near reset', answer, perDay: limits?.perDay ?? null },
    },
    field(
      'content-type-json',
      'Content-Type',
      '^[Aa][Pp][Pp][Ll][Ii][Cc][Aa][Tt][Ii][Oo][Nn]/[Jj][Ss][Oo][Nn]([ ;].*)?$',
      {
        answer,
        statuses: ['200', '400', '401', '404'],
      },
    ),
    field('retry-after-present', 'Retry-After', '', { statuses: ['429'] }),
    field('retry-after-valid', 'Retry-After', `^[0-9]+$|${HTTP_DATE}`, {
      statuses: ['429'],
      isOptional: true,
    }),
    ...(most === null
      ? []
      : [
          {
            about: only('retry-after-plausible'),
            expectation: { expect: 'number', answer, name: 'Retry-After', least: 0, most } as const,
          },
        ]),
    field('www-authenticate', 'WWW-Authenticate', '[A-Za-z]', { statuses: ['401'] }),
    field('date-header', 'Date', HTTP_DATE, { answer, isOptional: true }),
    field('sunset-header', 'Sunset', HTTP_DATE, { answer, isOptional: true }),
    field('deprecation-header', 'Deprecation', '^@-?[0-9]+$', { answer, isOptional: true }),
    field('method-not-allowed', 'Allow', allowedOn(decisive), { answer, statuses: ['405'] }),
  ];
}

const PLAUSIBLE_MINUTE_SECONDS = 122;

function longestWait(exchange: Exchange | null): number {
  const told = headerValues(exchange?.response.headers ?? [], 'Retry-After')[0];
  return Number(told) > LONGEST_TEMPORARY_SECONDS ? LONGEST_TEMPORARY_SECONDS : PLAUSIBLE_MINUTE_SECONDS;
}

function allowedOn({ request: { path } }: LoggedRequest): string {
  return /^\/inventory\/[^/]/.test(path) ? 'PATCH' : 'GET';
}

/** Of the same key: the answers before it that were accepted. */
function candidatesOfRemaining(
  { decisive, events, steps, keys }: FindingScene,
  answer: number,
): readonly Candidate[] {
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
            about,
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
    ...(from === undefined && limits?.limits !== null && limits?.limits !== undefined && row[0] === row[1]
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

function isAcceptedRequest({ response, request }: LoggedRequest): boolean {
  return response !== null && response.status >= 200 && response.status < 300 && request.operation !== null;
}

const FORM_OF: Readonly<Record<(typeof BODY_FORMS)[number], readonly RequirementId[]>> = {
  json: ['readable-json'],
  list: ['list-succeeds'],
  'unique pets': ['list-one-entry-per-pet'],
  item: ['update-succeeds'],
  petId: ['item-pet-id'],
  quantity: ['item-quantity'],
  status: ['item-status'],
  code: ['error-code'],
  message: ['error-message'],
  'error status': ['error-status'],
  texts: ['error-texts'],
};

function candidatesOfForm(): readonly Candidate[] {
  return BODY_FORMS.map((form) => ({ about: only(...FORM_OF[form]), expectation: { expect: 'form', form } }));
}

const OF_STORE = only(
  'list-complete',
  'update-sets',
  'update-persists',
  'update-touches-one-entry',
  'update-exact-pet',
  'update-succeeds',
  'refused-changes-nothing',
  'item-pet-id',
);
const NAMED_PET = /\bpet (?<petId>-?\d+)/gi;

/** Pets that are named, by the finding or by requests, before others, which other checks may have changed. */
function candidatesOfStore(
  { exchange, message, decisive }: FindingScene,
  answer: number,
  { pets, named }: ExpectedStore,
): readonly Candidate[] {
  const own = candidatesOfAnswer(decisive, answer);
  const list = exchange === null ? undefined : listOf(exchange);
  if (list === undefined || pets === null) {
    return own;
  }
  const told = [...message.matchAll(NAMED_PET)].flatMap(({ groups }) => groups?.['petId'] ?? []);
  const seen = [...list.petIds].map(String);
  const petIds = new Set([...told, ...named, ...pets.keys(), ...seen]);
  return [
    ...own,
    ...[...petIds].map((petId): Candidate => {
      const pet = pets.get(petId);
      return {
        about: OF_STORE,
        expectation: {
          expect: 'pet',
          answer,
          petId,
          isThere: pet !== undefined,
          ...(pet === undefined ? {} : { quantities: [...pet.quantities] }),
        },
      };
    }),
    // Another status is a change of another entry.
    ...[...pets].map(([petId, { quantities, status }]): Candidate => ({
      about: only('update-touches-one-entry', 'refused-changes-nothing'),
      expectation: { expect: 'pet', answer, petId, isThere: true, quantities: [...quantities], status },
    })),
  ];
}

/** An update is answered with its own pet, and the new quantity. */
function candidatesOfAnswer({ request }: LoggedRequest, answer: number): readonly Candidate[] {
  const { target, body } = readRequest(request);
  if (
    target.kind === 'undocumented' ||
    typeof target.petId !== 'bigint' ||
    target.operation !== 'updateInventory'
  ) {
    return [];
  }
  const quantities =
    typeof body === 'object' && body.kind === 'plain' ? [body.quantity.toString()] : undefined;
  const pet = { expect: 'pet', answer, petId: target.petId.toString(), isThere: true } as const;
  return [
    { about: only('update-exact-pet', 'item-pet-id'), expectation: pet },
    {
      about: only('update-succeeds', 'update-sets', 'update-persists'),
      expectation: { ...pet, ...(quantities === undefined ? {} : { quantities }) },
    },
  ];
}

const REFUSED = ['401', '403', '429', '5xx'];

/** At a limit a 429 may be right where another refusal is not. */
function refusalOf({ response }: LoggedRequest): readonly string[] {
  const status = response?.status ?? 429;
  return status === 429 ? REFUSED : status >= 500 ? ['5xx'] : ['401', '403'];
}

const ofLimits: Candidate['about'] = (id) => COUNTED_BY_KEY.has(id) || id.startsWith('ban-');
const dayLimit: Candidate['about'] = (id) => id.startsWith('day-limit');

/** A key is granted what its plan says: not more, and not fewer. */
function candidatesOfLimits(scene: FindingScene, answer: number): readonly Candidate[] {
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
    return [
      ...tooMany,
      { about: ofLimits, expectation: { expect: 'status', answer, noneOf: refusalOf(decisive) } },
    ];
  }
  const together = own.filter((event) => steps.rowOf(event)[0] === row[0]);
  // What was refused may count as well.
  const before = spelled.filter((event) => !together.includes(event)).length;
  const least = Math.min(together.length, most.minute - before);
  return [...tooMany, { about: ofLimits, expectation: granted(steps, together, { least }) }];
}

function granted(
  steps: BuiltSteps,
  requests: readonly LoggedRequest[],
  bounds: { readonly least?: number; readonly most?: number; readonly within?: number },
): TrailExpectation {
  return { expect: 'granted', answers: rowsOf(steps, requests), ...bounds };
}

function rowsOf(
  steps: BuiltSteps,
  requests: readonly LoggedRequest[],
): readonly (readonly [number, number])[] {
  const numbers = requests.map((request) => steps.numberOf(request)).toSorted((a, b) => a - b);
  const rows: [number, number][] = [];
  for (const number of numbers) {
    const row = rows.at(-1);
    if (row !== undefined && number <= row[1] + 1) {
      row[1] = number;
    } else {
      rows.push([number, number]);
    }
  }
  return rows;
}
