import { between, anyOf, shuffled, weighted, type Draw } from './dice.ts';
import type { PlannedCredential, PlannedOperation, PlannedRequest } from './episode.ts';

// The first pets are hit most, so that requests meet.
const PET = weighted([4, between(0, 2)], [1, between(0, 50)]);

/** Few values, so that updates repeat each other, and those at which a narrow type ends. */
const QUANTITY = weighted(
  [8, between(0, 4)],
  [2, anyOf(11, 12, 13, 100, 457)],
  [2, anyOf(127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536, 70_000, 1_000_003)],
  [1, anyOf(-1, -5)],
);

export const LIST_OPERATION: Draw<PlannedOperation> = () => ({ kind: 'list' });
export const UPDATE_OPERATION: Draw<PlannedOperation> = (dice) => ({
  kind: 'update',
  pet: PET(dice),
  quantity: QUANTITY(dice),
});
export const BODY_OPERATION: Draw<PlannedOperation> = (dice) => ({
  kind: 'body',
  pet: PET(dice),
  body: dice.next('body'),
});
const SOME_BODY = weighted<number | null>([6, () => null], [1, between(0, 999)]);
export const UNKNOWN_PET_OPERATION: Draw<PlannedOperation> = (dice) => ({
  kind: 'unknown pet',
  unknown: dice.next('unknown pet'),
  body: SOME_BODY(dice),
});
export const ODD_PET_OPERATION: Draw<PlannedOperation> = ({ next }) => ({
  kind: 'odd pet',
  odd: next('odd pet'),
});
const GET_PET: Draw<PlannedOperation> = (dice) => ({ kind: 'pet', pet: PET(dice) });
const ORDERS: Draw<PlannedOperation> = () => ({ kind: 'orders' });
const SPELLING: Draw<PlannedOperation> = (dice) => ({
  kind: 'spelling',
  spelling: dice.next('spelling'),
  pet: PET(dice),
});
export const USUAL_SPELLING_OPERATION: Draw<PlannedOperation> = (dice) => ({
  kind: 'usual spelling',
  spelling: dice.next('usual spelling'),
  pet: PET(dice),
});
const ROUTE: Draw<PlannedOperation> = ({ next }) => ({ kind: 'route', route: next('route') });
const METHODS = 7;
export const METHOD_OPERATION: Draw<PlannedOperation> = ({ next }) => {
  const method = next('method');
  return { kind: 'method', method, path: Math.floor(method / METHODS) };
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
    return shuffled(pets, count)(dice).map((pet) => ({ kind: 'update', pet, quantity: quantity + pet }));
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
export const EXTRA: Draw<number | null> = ({ next }) => next('extra');
const SOME_EXTRA = weighted([9, NONE], [1, EXTRA]);

interface RequestOptions {
  readonly operation: Draw<PlannedOperation>;
  /** Keys to choose from: the first so many slots. */
  readonly keys: number;
  readonly credential?: Draw<PlannedCredential>;
  readonly extra?: Draw<number | null>;
}

/** A request with one of the keys. */
export function drawRequest({
  operation,
  keys,
  credential = SOME_CREDENTIAL,
  extra = SOME_EXTRA,
}: RequestOptions): Draw<PlannedRequest> {
  return (dice) => ({
    key: dice.between(0, keys - 1),
    operation: operation(dice),
    credential: credential(dice),
    extra: extra(dice),
  });
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
