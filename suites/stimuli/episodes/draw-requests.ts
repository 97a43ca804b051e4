import {
  FURTHER_FIELDS,
  type FurtherFields,
  ODD_PET_IDS,
  pathSpellings,
  REQUEST_BODIES,
  unknownPets,
  unknownPetsNotPositive,
  UNKNOWN_ROUTES,
} from '../../../fixtures/corpora/index.ts';
import { NEVER_MATCHING, type RequestMessage } from '../../oracle/index.ts';
import {
  getPet,
  listInventory,
  listOrders,
  undocumented,
  updateInventory,
  updateWithBody,
} from '../../target/index.ts';
import { entryAt, between, anyOf, shuffled, weighted, type Draw } from './dice.ts';
import type { PlannedOperation, PlannedCredential, PlannedRequest } from './episode.ts';

// The first pets are hit most, so that requests meet.
const PET = weighted([4, between(0, 2)], [1, between(0, 50)]);

/** Few values, so that updates repeat each other, and those at which a narrow type ends. */
const QUANTITY = weighted(
  [8, between(0, 4)],
  [2, anyOf(11, 12, 13, 100, 457)],
  [2, anyOf(127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536, 70_000, 1_000_003)],
  [1, anyOf(-1, -5)],
);

/** An update that is good but for what it names. */
const GOOD_BODY = '{"quantity":5}';

/** An operation on the pet of that place in the inventory; of an empty one on any. */
function on(pet: number, word: (petId: bigint) => RequestMessage): PlannedOperation {
  return (petIds) => word(petIds.length === 0 ? 1n : entryAt(petIds, pet));
}

function update(pet: number, quantity: number): PlannedOperation {
  return on(pet, (petId) => updateInventory(petId, quantity));
}

export const LIST_OPERATION: Draw<PlannedOperation> = () => listInventory;
export const UPDATE_OPERATION: Draw<PlannedOperation> = (dice) => update(PET(dice), QUANTITY(dice));
export const BODY_OPERATION: Draw<PlannedOperation> = (dice) => {
  const { body } = entryAt(REQUEST_BODIES, dice.next('body'));
  return on(PET(dice), (petId) => updateWithBody(petId, body));
};
const SOME_BODY = weighted(
  [6, () => GOOD_BODY],
  [1, (dice) => entryAt(REQUEST_BODIES, dice.between(0, 999)).body],
);
export const UNKNOWN_PET_OPERATION: Draw<PlannedOperation> = (dice) => {
  const unknown = dice.next('unknown pet');
  const body = SOME_BODY(dice);
  return (petIds) => {
    const known = new Set(petIds);
    const all = [...unknownPets(known), ...unknownPetsNotPositive(known, petIds[0])];
    const { petId, path } = entryAt(all, unknown);
    // A router may know no path for such an id, and answer what it likes.
    return petId > 0n ? updateWithBody(petId, body) : undocumented('PATCH', path, body);
  };
};
export const ODD_PET_OPERATION: Draw<PlannedOperation> = ({ next }) => {
  const { path } = entryAt(ODD_PET_IDS, next('odd pet'));
  return () => undocumented('PATCH', path, GOOD_BODY);
};
const GET_PET: Draw<PlannedOperation> = (dice) => on(PET(dice), getPet);
const ORDERS: Draw<PlannedOperation> = () => listOrders;

/** Spellings of a documented path; the suite does not count on it that they reach its operation. */
function drawSpelling(name: string, isTaken: (name: string) => boolean): Draw<PlannedOperation> {
  return (dice) => {
    const spelling = dice.next(name);
    return on(PET(dice), (petId) => {
      const all = pathSpellings(petId.toString()).filter((one) => isTaken(one.name));
      const { method, path } = entryAt(all, spelling);
      return undocumented(method, path, method === 'PATCH' ? GOOD_BODY : null);
    });
  };
}

const SPELLING = drawSpelling('spelling', () => true);
/** Those that many servers accept. */
export const USUAL_SPELLING_OPERATION = drawSpelling('usual spelling', (name) =>
  /: (?:trailing slash|empty query|query string|percent-encoded letter)$/.test(name),
);
const ROUTE: Draw<PlannedOperation> = ({ next }) => {
  const { path } = entryAt(UNKNOWN_ROUTES, next('route'));
  return () => undocumented('GET', path);
};
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export const METHOD_OPERATION: Draw<PlannedOperation> = ({ next }) => {
  const place = next('method');
  return ([petId = 1n]) => {
    const paths = ['/inventory', `/inventory/${petId}`, `/pets/${petId}`, '/store/orders'];
    return undocumented(entryAt(METHODS, place), entryAt(paths, Math.floor(place / METHODS.length)));
  };
};

/** Operations that are served in good order, so that they count. */
export const GOOD_OPERATION = weighted([4, LIST_OPERATION], [4, UPDATE_OPERATION], [1, GET_PET], [1, ORDERS]);
/** All that a client may send. */
export const ANY_OPERATION = weighted(
  [8, LIST_OPERATION],
  [8, UPDATE_OPERATION],
  [3, BODY_OPERATION],
  [3, UNKNOWN_PET_OPERATION],
  [2, GET_PET],
  [2, ORDERS],
  [2, SPELLING],
  [2, USUAL_SPELLING_OPERATION],
  [1, ODD_PET_OPERATION],
  [3, METHOD_OPERATION],
  [1, ROUTE],
);
/** What changes the inventory, or is refused and must not, and what shows it. */
export const WRITING_OPERATION = weighted(
  [10, UPDATE_OPERATION],
  [6, BODY_OPERATION],
  [4, UNKNOWN_PET_OPERATION],
  [1, ODD_PET_OPERATION],
  [1, GET_PET],
);
/** Updates of so many of these pets, by their number in the store. */
export function updatesOf(pets: readonly number[], count: number): Draw<readonly PlannedOperation[]> {
  return (dice) => {
    const quantity = QUANTITY(dice);
    return shuffled(pets, count)(dice).map((pet) => update(pet, quantity + pet));
  };
}
export const SPELLING_OPERATION = weighted([1, SPELLING], [3, USUAL_SPELLING_OPERATION]);
/** The documented operations, each as likely. */
export const DOCUMENTED_OPERATION = weighted(
  [2, LIST_OPERATION],
  [2, UPDATE_OPERATION],
  [1, GET_PET],
  [1, ORDERS],
);

const NONE = (): null => null;
/** A credential of any kind, most of them bad. */
export const ANY_CREDENTIAL: Draw<PlannedCredential> = ({ next }) => ({ of: 'all', entry: next('all') });
const CREDENTIAL = weighted<PlannedCredential>([5, ANY_CREDENTIAL], [1, () => ({ of: 'none', entry: 0 })]);
/** Another spelling, which may be accepted. */
export const SPELLED_CREDENTIAL: Draw<PlannedCredential> = (dice) => {
  const of = anyOf('spelled', 'acceptable')(dice);
  return { of, entry: dice.next(of) };
};
/** Mostly as the specification says. */
const SOME_CREDENTIAL = weighted<PlannedCredential>([9, NONE], [1, CREDENTIAL]);

type Change = ((message: RequestMessage) => RequestMessage) | null;

/** Fields that change nothing; those that say what the body is come in place of the usual one. */
const EXTRAS: readonly Pick<FurtherFields, 'fields' | 'mayBeRefused'>[] = [
  ...FURTHER_FIELDS,
  { fields: NEVER_MATCHING },
  { fields: { Accept: 'text/html' } },
  { fields: { 'Accept-Encoding': 'gzip' } },
  { fields: { 'Content-Type': 'application/json; charset=utf-8' } },
  { fields: { 'Content-Type': 'Application/JSON' } },
];
export const EXTRA: Draw<Change> = ({ next }) => {
  const { fields, mayBeRefused } = entryAt(EXTRAS, next('extra'));
  const isAboutBody = 'Content-Type' in fields;
  return (message) => {
    const { body, headers, operation } = message;
    const kept = isAboutBody ? headers.filter(([name]) => name !== 'Content-Type') : headers;
    return isAboutBody && body === null
      ? message
      : {
          ...message,
          headers: [...kept, ...Object.entries(fields)],
          operation: mayBeRefused === true ? null : operation,
        };
  };
};
const SOME_EXTRA = weighted([9, NONE], [1, EXTRA]);

interface RequestOptions {
  readonly operation: Draw<PlannedOperation>;
  /** Keys to choose from: the first so many slots. */
  readonly keys: number;
  readonly credential?: Draw<PlannedCredential>;
  /** What else is sent with it. */
  readonly extra?: Draw<Change>;
}

/** A request with one of the keys. */
export function drawRequest({
  operation,
  keys,
  credential = SOME_CREDENTIAL,
  extra = SOME_EXTRA,
}: RequestOptions): Draw<PlannedRequest> {
  return (dice) => {
    const key = dice.between(0, keys - 1);
    const plain = operation(dice);
    const presented = credential(dice);
    const change = extra(dice);
    const whole: PlannedOperation = change === null ? plain : (petIds) => change(plain(petIds));
    return { key, operation: whole, credential: presented };
  };
}

/** A request that is served in good order unless a limit refuses it, and that is plain but for what is given. */
export function drawGoodRequest(
  keys: number,
  operation: Draw<PlannedOperation> = GOOD_OPERATION,
  unlike: Partial<RequestOptions> = {},
): Draw<PlannedRequest> {
  return drawRequest({ operation, keys, credential: NONE, extra: NONE, ...unlike });
}

/** A request with a bad or an unusual credential. */
export function drawStrangerRequest(
  keys: number,
  operation: Draw<PlannedOperation> = DOCUMENTED_OPERATION,
): Draw<PlannedRequest> {
  return drawRequest({ operation, keys, credential: CREDENTIAL });
}
