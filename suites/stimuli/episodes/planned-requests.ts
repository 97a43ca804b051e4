import {
  type CredentialVariant,
  credentialVariants,
  FURTHER_FIELDS,
  type FurtherFields,
  ODD_PET_IDS,
  pathSpellings,
  REQUEST_BODIES,
  unknownPets,
  unknownPetsNotPositive,
  UNKNOWN_ROUTES,
} from '../../../fixtures/corpora/index.ts';
import { NEVER_MATCHING, type Key, type RequestMessage } from '../../oracle/index.ts';
import {
  getPet,
  listInventory,
  listOrders,
  undocumented,
  updateInventory,
  updateWithBody,
  type Credentials,
} from '../../target/index.ts';
import { asRevoked, NO_KEY } from '../provoking/refused-key.ts';
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
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Fields that change nothing; those that say what the body is come in place of the usual one. */
const EXTRAS: readonly Pick<FurtherFields, 'fields' | 'mayBeRefused'>[] = [
  ...FURTHER_FIELDS,
  { fields: NEVER_MATCHING },
  { fields: { Accept: 'text/html' } },
  { fields: { 'Accept-Encoding': 'gzip' } },
  { fields: { 'Content-Type': 'application/json; charset=utf-8' } },
  { fields: { 'Content-Type': 'Application/JSON' } },
];

/** The request that a plan stands for. */
export function wordRequest(planned: PlannedRequest, subjects: Subjects): WordedRequest {
  const key = subjects.keyOf(planned.key);
  const message = wordOperation(planned.operation, subjects);
  return {
    message: withExtra(message, planned.extra),
    credentials: credentialsOf(planned, key, subjects),
  };
}

function withExtra(message: RequestMessage, extra: number | null): RequestMessage {
  if (extra === null) {
    return message;
  }
  const { fields, mayBeRefused } = at(EXTRAS, extra);
  const isAboutBody = 'Content-Type' in fields;
  if (isAboutBody && message.body === null) {
    return message;
  }
  const kept = isAboutBody ? message.headers.filter(([name]) => name !== 'Content-Type') : message.headers;
  return {
    ...message,
    headers: [...kept, ...Object.entries(fields)],
    operation: mayBeRefused === true ? null : message.operation,
  };
}

function credentialsOf({ key: slot, credential }: PlannedRequest, key: Key, subjects: Subjects): Credentials {
  const revocation = subjects.revocationOf(slot);
  const spends = revocation === 'done' ? {} : { spends: key };
  if (credential === null) {
    return revocation === 'none' ? { key } : { ...asRevoked(key), ...spends };
  }
  if (credential.of === 'none') {
    return NO_KEY;
  }
  const variants = allVariants(key.secret, subjects).filter(
    ({ reading: { level } }) =>
      credential.of === 'all' || level === 'should' || (credential.of === 'spelled' && level === 'observe'),
  );
  const variant = at(variants, credential.entry);
  if (variant.authorization.length === 0) {
    return NO_KEY;
  }
  const labels = variant.authorization.map(() => `[${key.label}: ${variant.name}]`);
  const isRefused = variant.reading.level === 'must';
  return { authorization: variant.authorization, labels, ...(isRefused ? {} : spends) };
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

function wordOperation(operation: PlannedOperation, { petIds }: Subjects): RequestMessage {
  const petAt = (index: number): bigint => (petIds.length === 0 ? 1n : at(petIds, index));
  switch (operation.kind) {
    case 'list':
      return listInventory();
    case 'update':
      return updateInventory(petAt(operation.pet), operation.quantity);
    case 'body':
      return updateWithBody(petAt(operation.pet), at(REQUEST_BODIES, operation.body).body);
    case 'unknown pet':
      return wordUnknownPet(operation, new Set(petIds));
    case 'odd pet':
      return undocumented('PATCH', at(ODD_PET_IDS, operation.odd).path, '{"quantity":5}');
    case 'pet':
      return getPet(petAt(operation.pet));
    case 'orders':
      return listOrders();
    case 'spelling':
    case 'usual spelling':
      return spell(operation, petAt(operation.pet));
    case 'route':
      return undocumented('GET', at(UNKNOWN_ROUTES, operation.route).path);
    case 'method': {
      const paths = ['/inventory', `/inventory/${petAt(0)}`, `/pets/${petAt(0)}`, '/store/orders'];
      return undocumented(at(METHODS, operation.method), at(paths, operation.path));
    }
  }
}

function wordUnknownPet(
  { unknown, body }: Extract<PlannedOperation, { readonly kind: 'unknown pet' }>,
  known: ReadonlySet<bigint>,
): RequestMessage {
  const [own] = known;
  const { petId, path } = at([...unknownPets(known), ...unknownPetsNotPositive(known, own)], unknown);
  const content = body === null ? '{"quantity":5}' : at(REQUEST_BODIES, body).body;
  // A router may know no path for such an id, and answer what it likes.
  return petId > 0n ? updateWithBody(petId, content) : undocumented('PATCH', path, content);
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
