import { BAN_STATUSES } from '../../../../contract/bans.ts';
import type { RequirementId } from '../../../../contract/requirements/index.ts';
import {
  demandsOn,
  readCredential,
  readRequest,
  type Credential,
  type KnownSecret,
} from '../../../oracle/index.ts';
import { petsKnownAt, type ExpectedStore } from '../expected-store.ts';
import type { LoggedRequest } from '../trail-log.ts';
import { type FindingScene, type Candidate, mayHaveHadEnough, only, rowsOf } from './candidate.ts';

const STATUSES = [
  200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 409, 410, 411,
  412, 413, 414, 415, 417, 418, 422, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505,
];

/** What the specification demands of the answer, and that the same wrong status does not come again. */
export function candidatesOfStatus(
  scene: FindingScene,
  answer: number,
  store: ExpectedStore,
): readonly Candidate[] {
  const { decisive, exchange, steps } = scene;
  const status = exchange?.response.status ?? 0;
  const ofBans = mayHaveHadEnough(scene, decisive) ? [...BAN_STATUSES].map(String) : [];
  const secrets = secretsOf(scene);
  const demands = demandsOf(decisive, secrets, store.pets).map((demand): Candidate => ({
    about: only(demand.requirement),
    expectation: {
      expect: 'status',
      answers: rowsOf(steps, [...alikeOf(scene, secrets, demand), decisive]),
      // Of another target, the limit may bind there, or a ban.
      oneOf: [...new Set([...demand.oneOf, ...(status === 429 ? [] : ['429']), ...ofBans])],
    },
  }));
  const noneOf = status >= 500 ? ['5xx'] : [String(status)];
  const isWrong = only(
    'no-server-error',
    // Then it is the Allow that is wrong.
    ...(status === 405 ? [] : (['method-not-allowed'] as const)),
    'refusal-is-429',
    'bearer-any-case',
    'authentication-first',
    'every-operation-authenticates',
    'revoked-key',
    ...(BAN_STATUSES.has(status) ? [] : (['ban-answer'] as const)),
    ...(status === 200 ? [] : (['list-succeeds', 'update-succeeds'] as const)),
    // In another spelling of the path, which may be refused in any way, but not granted.
    ...(status < 300 ? (['missing-key', 'unknown-key', 'altered-key', 'bearer-scheme'] as const) : []),
  );
  return [...demands, { about: isWrong, expectation: { expect: 'status', answer, noneOf } }];
}

interface NamedDemand {
  readonly requirement: RequirementId;
  readonly oneOf: readonly string[];
}

function demandsOf(
  sent: LoggedRequest,
  secrets: Secrets,
  pets: ReturnType<typeof petsKnownAt>,
): readonly NamedDemand[] {
  const reading = readRequest(sent.request);
  const { target } = reading;
  const petId = target.kind === 'undocumented' ? null : target.petId;
  const isKnown = pets !== null && typeof petId === 'bigint';
  const presence = !isKnown ? 'unknown' : pets.has(petId.toString()) ? 'present' : 'absent';
  return demandsOn(reading, credentialOf(sent, secrets), presence).map(({ requirement, permits }) => ({
    requirement,
    oneOf: STATUSES.filter(permits).map(String),
  }));
}

// Of a long trail only the end is compared.
const MOST_COMPARED = 200;

/** Earlier requests whose answers had to be, and were, like that of the decisive one: the fault may show in any of them. */
function alikeOf(
  scene: FindingScene,
  secrets: Secrets,
  { requirement, oneOf }: NamedDemand,
): readonly LoggedRequest[] {
  const { events, decisive } = scene;
  return events
    .filter((event) => event.do === 'send')
    .slice(-MOST_COMPARED)
    .filter(
      (event) =>
        event !== decisive &&
        event.response !== null &&
        oneOf.includes(String(event.response.status)) &&
        !mayHaveHadEnough(scene, event) &&
        demandsOf(event, secrets, petsKnownAt(events, event)).some(
          (other) => other.requirement === requirement && other.oneOf.join() === oneOf.join(),
        ),
    );
}

type Secrets = ReadonlyMap<string, KnownSecret>;

function secretsOf({ events, keys, revoked }: Pick<FindingScene, 'events' | 'keys' | 'revoked'>): Secrets {
  const gone = new Set(events.flatMap((event) => (event.do === 'revoke key' ? [event.key] : [])));
  const secrets = new Map<string, KnownSecret>(
    [...keys.values()].map(({ label, secret }) => [
      secret,
      { label, state: gone.has(label) ? 'revoked' : 'valid' },
    ]),
  );
  for (const secret of revoked) {
    secrets.set(secret, { label: '', state: 'revoked' });
  }
  return secrets;
}

function credentialOf({ request, authorization }: LoggedRequest, secrets: Secrets): Credential {
  return readCredential({ authorization, elsewhere: [request.path] }, secrets);
}
