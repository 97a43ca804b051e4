import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import {
  type CredentialVariant,
  credentialVariants,
  ODD_PET_IDS,
  pathSpellings,
  REQUEST_BODIES,
  unknownPets,
  unknownPetsNotPositive,
  UNKNOWN_ROUTES,
} from '../../../fixtures/corpora/index.ts';
import type { Key, RequestMessage } from '../../oracle/index.ts';
import {
  getPet,
  listInventory,
  listOrders,
  undocumented,
  updateInventory,
  updateWithBody,
  type Credentials,
} from '../../target/index.ts';
import type { PlannedOperation, PlannedRequest } from './episode.ts';

/** What numbers in an episode refer to. */
export interface Subjects {
  /** The key of a slot. */
  readonly keyOf: (slot: number) => Key;
  readonly revocationOf: (slot: number) => Revocation;
  /** The pets in the inventory; any id if it is empty. */
  readonly petIds: readonly bigint[];
  /** Every key that the target may accept. */
  readonly knownSecrets: ReadonlySet<string>;
  /** Keys that were revoked before the run. */
  readonly revokedSecrets: readonly string[];
}

/** A key that is being revoked may be accepted or refused. */
export type Revocation = 'none' | 'under way' | 'done';

/** A request as it is sent. */
export interface WordedRequest {
  readonly message: RequestMessage;
  readonly credentials: Credentials;
  /** What is violated if it gets no response, or `null` if nothing is. */
  readonly requires: RequirementId | null;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const JSON_TYPE: HeaderField = ['Content-Type', 'application/json'];

/** Fields that change nothing; those that say what the body is come in place of the usual one. */
const EXTRAS: readonly (readonly HeaderField[])[] = [
  [['X-Forwarded-For', '203.0.113.7']],
  [['X-Forwarded-For', '203.0.113.8, 198.51.100.9']],
  [['X-Real-IP', '203.0.113.9']],
  [['Accept', 'application/json']],
  [['Accept', 'text/html']],
  [['User-Agent', 'stockcheck']],
  [['Accept-Encoding', 'gzip']],
  [['Cookie', 'session=1']],
  [['Content-Type', 'application/json; charset=utf-8']],
  [['Content-Type', 'Application/JSON']],
  [['Cache-Control', 'no-cache']],
  [['If-None-Match', '*']],
];

const NO_CREDENTIALS: Credentials = { authorization: [], labels: [] };

/** The request that a plan stands for. */
export function wordRequest(planned: PlannedRequest, subjects: Subjects): WordedRequest {
  const key = subjects.keyOf(planned.key);
  const { credentials, refusal } = credentialsOf(planned, key, subjects);
  const { message, requires } = wordOperation(planned.operation, subjects);
  return {
    message: withExtra(message, planned.extra),
    credentials,
    requires: message.operation === null ? null : (refusal ?? requires),
  };
}

function withExtra(message: RequestMessage, extra: number | null): RequestMessage {
  const fields = extra === null ? [] : at(EXTRAS, extra);
  const isAboutBody = fields.some(([name]) => name === JSON_TYPE[0]);
  if (fields.length === 0 || (isAboutBody && message.body === null)) {
    return message;
  }
  const kept = isAboutBody ? message.headers.filter(([name]) => name !== JSON_TYPE[0]) : message.headers;
  return { ...message, headers: [...kept, ...fields] };
}

function credentialsOf(
  { key: slot, credential }: PlannedRequest,
  key: Key,
  subjects: Subjects,
): { readonly credentials: Credentials; readonly refusal: RequirementId | null } {
  const revocation = subjects.revocationOf(slot);
  const spends = revocation === 'done' ? {} : { spends: key };
  if (credential === null) {
    return revocation === 'none'
      ? { credentials: { key }, refusal: null }
      : { credentials: { ...revokedKey(key), ...spends }, refusal: 'revoked-key' };
  }
  if (credential.of === 'none') {
    return { credentials: NO_CREDENTIALS, refusal: 'missing-key' };
  }
  const variants = allVariants(key.secret, subjects).filter(
    ({ reading: { level } }) =>
      credential.of === 'all' || level === 'should' || (credential.of === 'spelled' && level === 'observe'),
  );
  const variant = at(variants, credential.entry);
  if (variant.authorization.length === 0) {
    return { credentials: NO_CREDENTIALS, refusal: 'missing-key' };
  }
  const labels = variant.authorization.map(() => `[${key.label}: ${variant.name}]`);
  const isRefused = variant.reading.level === 'must';
  return {
    credentials: {
      authorization: variant.authorization,
      labels,
      ...(isRefused ? {} : spends),
    },
    refusal: isRefused ? variant.reading.requirement : null,
  };
}

function allVariants(
  secret: string,
  { knownSecrets, revokedSecrets }: Subjects,
): readonly CredentialVariant[] {
  const revoked = revokedSecrets.map((earlier, index): CredentialVariant => ({
    name: `key revoked earlier, ${index + 1}`,
    authorization: [`Bearer ${earlier}`],
    reading: { level: 'must', expect: 401, requirement: 'revoked-key' },
  }));
  return [...credentialVariants(secret, knownSecrets), ...revoked];
}

function revokedKey({ secret, label }: Key): Credentials {
  return { authorization: [`Bearer ${secret}`], labels: [`Bearer [revoked ${label}]`] };
}

interface WordedOperation {
  readonly message: RequestMessage;
  readonly requires: RequirementId | null;
}

function wordOperation(operation: PlannedOperation, { petIds }: Subjects): WordedOperation {
  const petAt = (index: number): bigint => (petIds.length === 0 ? 1n : at(petIds, index));
  const wholePet = petIds.length === 0 ? null : ('update-succeeds' as const);
  switch (operation.kind) {
    case 'list':
      return { message: listInventory(), requires: 'list-succeeds' };
    case 'update':
      return {
        message: updateInventory(petAt(operation.pet), operation.quantity),
        requires: operation.quantity < 0 ? null : wholePet,
      };
    case 'body': {
      const { body, reading } = at(REQUEST_BODIES, operation.body);
      return {
        message: updateWithBody(petAt(operation.pet), body),
        requires: reading.level === 'must' && wholePet !== null ? reading.requirement : null,
      };
    }
    case 'unknown pet':
      return wordUnknownPet(operation, new Set(petIds));
    case 'odd pet': {
      const { path } = at(ODD_PET_IDS, operation.odd);
      return { message: undocumented('PATCH', path, '{"quantity":5}'), requires: null };
    }
    case 'pet':
      return { message: getPet(petAt(operation.pet)), requires: 'valid-key-accepted' };
    case 'orders':
      return { message: listOrders(), requires: 'valid-key-accepted' };
    case 'spelling':
    case 'usual spelling':
      return { message: spell(operation, petAt(operation.pet)), requires: null };
    case 'route':
      return { message: undocumented('GET', at(UNKNOWN_ROUTES, operation.route).path), requires: null };
    case 'method': {
      const paths = ['/inventory', `/inventory/${petAt(0)}`, `/pets/${petAt(0)}`, '/store/orders'];
      return {
        message: undocumented(at(METHODS, operation.method), at(paths, operation.path)),
        requires: null,
      };
    }
  }
}

function wordUnknownPet(
  { unknown, body }: Extract<PlannedOperation, { readonly kind: 'unknown pet' }>,
  known: ReadonlySet<bigint>,
): WordedOperation {
  const [own] = known;
  const { petId, path, reading } = at(
    [...unknownPets(known), ...unknownPetsNotPositive(known, own)],
    unknown,
  );
  const content = body === null ? '{"quantity":5}' : at(REQUEST_BODIES, body).body;
  // A router may know no path for such an id, and answer what it likes.
  const message = petId > 0n ? updateWithBody(petId, content) : undocumented('PATCH', path, content);
  return { message, requires: reading.level === 'must' && body === null ? reading.requirement : null };
}

const USUAL_SPELLING = /: (?:trailing slash|empty query|query string|percent-encoded letter)$/;

/** Spellings of a documented path; the suite does not count on it that they reach its operation. */
function spell(
  { kind, spelling }: Extract<PlannedOperation, { readonly spelling: number }>,
  petId: bigint,
): RequestMessage {
  const all = pathSpellings(petId.toString());
  const chosen = kind === 'spelling' ? all : all.filter(({ name }) => USUAL_SPELLING.test(name));
  const { method, path } = at(chosen, spelling);
  return undocumented(method, path, method === 'PATCH' ? '{"quantity":5}' : null);
}

function at<Entry>(entries: readonly Entry[], index: number): Entry {
  const entry = entries[index % entries.length];
  if (entry === undefined) {
    throw new Error('A corpus is empty');
  }
  return entry;
}
