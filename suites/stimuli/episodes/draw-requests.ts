import * as fc from 'fast-check';
import type { PlannedCredential, PlannedOperation, PlannedRequest } from './episode.ts';

/** One of several arbitraries, each as often as its weight says. */
export function weighted<Value>(
  ...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Value>])[]
): fc.Arbitrary<Value> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

// A number that stands for any entry of a corpus.
const ANY = fc.nat({ max: 999 });

// The first pets are hit most, so that requests meet.
const PET = weighted([4, fc.nat({ max: 2 })], [1, fc.nat({ max: 50 })]);

/** Few values, so that updates repeat each other, and those at which a narrow type ends. */
const QUANTITY = weighted(
  [8, fc.nat({ max: 4 })],
  [2, fc.constantFrom(11, 12, 13, 100, 457)],
  [2, fc.constantFrom(127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536, 70_000, 1_000_003)],
  [1, fc.constantFrom(-1, -5)],
);

export const LIST_OPERATION: fc.Arbitrary<PlannedOperation> = fc.constant({ kind: 'list' });
export const UPDATE_OPERATION: fc.Arbitrary<PlannedOperation> = fc.record({
  kind: fc.constant('update'),
  pet: PET,
  quantity: QUANTITY,
});
export const BODY_OPERATION: fc.Arbitrary<PlannedOperation> = fc.record({
  kind: fc.constant('body'),
  pet: PET,
  body: ANY,
});
export const UNKNOWN_PET_OPERATION: fc.Arbitrary<PlannedOperation> = fc.record({
  kind: fc.constant('unknown pet'),
  unknown: ANY,
  body: weighted([6, fc.constant(null)], [1, ANY]),
});
export const ODD_PET_OPERATION: fc.Arbitrary<PlannedOperation> = fc.record({
  kind: fc.constant('odd pet'),
  odd: ANY,
});
const GET_PET: fc.Arbitrary<PlannedOperation> = fc.record({ kind: fc.constant('pet'), pet: PET });
const ORDERS: fc.Arbitrary<PlannedOperation> = fc.constant({ kind: 'orders' });
const SPELLING: fc.Arbitrary<PlannedOperation> = fc.record({
  kind: fc.constant('spelling'),
  spelling: ANY,
  pet: PET,
});
export const USUAL_SPELLING_OPERATION: fc.Arbitrary<PlannedOperation> = fc.record({
  kind: fc.constant('usual spelling'),
  spelling: ANY,
  pet: PET,
});
const ROUTE: fc.Arbitrary<PlannedOperation> = fc.record({ kind: fc.constant('route'), route: ANY });
export const METHOD_OPERATION: fc.Arbitrary<PlannedOperation> = fc.record({
  kind: fc.constant('method'),
  method: ANY,
  path: fc.nat({ max: 3 }),
});

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
/** Updates of different pets, by their number in the store. */
export function updatesOf(pets: readonly number[], count: number): fc.Arbitrary<readonly PlannedOperation[]> {
  return fc
    .tuple(fc.shuffledSubarray([...pets], { minLength: count, maxLength: count }), QUANTITY)
    .map(([chosen, quantity]) => chosen.map((pet) => ({ kind: 'update', pet, quantity: quantity + pet })));
}
export const SPELLING_OPERATION = weighted([1, SPELLING], [3, USUAL_SPELLING_OPERATION]);
/** The documented operations, each as likely. */
export const DOCUMENTED_OPERATION = weighted(
  [2, LIST_OPERATION],
  [2, UPDATE_OPERATION],
  [1, GET_PET],
  [1, ORDERS],
);

export const NONE = fc.constant(null);
const CREDENTIAL: fc.Arbitrary<PlannedCredential> = weighted<PlannedCredential>(
  [5, fc.record({ of: fc.constant('all'), entry: ANY })],
  [1, fc.constant({ of: 'none', entry: 0 })],
);
/** Another spelling, which may be accepted. */
export const SPELLED_CREDENTIAL: fc.Arbitrary<PlannedCredential> = fc.record({
  of: fc.constantFrom('spelled', 'acceptable'),
  entry: ANY,
});
/** Mostly as the specification says. */
const SOME_CREDENTIAL = weighted<PlannedCredential>([9, NONE], [1, CREDENTIAL]);
const SOME_EXTRA = weighted([9, NONE], [1, ANY]);

interface RequestOptions {
  readonly operation: fc.Arbitrary<PlannedOperation>;
  /** Keys to choose from: the first so many slots. */
  readonly keys: number;
  readonly credential?: fc.Arbitrary<PlannedCredential>;
  readonly extra?: fc.Arbitrary<number | null>;
}

/** A request with one of the keys. */
export function drawRequest({
  operation,
  keys,
  credential = SOME_CREDENTIAL,
  extra = SOME_EXTRA,
}: RequestOptions): fc.Arbitrary<PlannedRequest> {
  return fc.record({ key: fc.nat({ max: keys - 1 }), operation, credential, extra });
}

/** A request that is served in good order unless a limit refuses it. */
export function drawGoodRequest(
  keys: number,
  operation: fc.Arbitrary<PlannedOperation> = GOOD_OPERATION,
): fc.Arbitrary<PlannedRequest> {
  return drawRequest({ operation, keys, credential: NONE, extra: NONE });
}

/** A request with a bad or an unusual credential. */
export function drawStrangerRequest(
  keys: number,
  operation: fc.Arbitrary<PlannedOperation> = DOCUMENTED_OPERATION,
): fc.Arbitrary<PlannedRequest> {
  return drawRequest({ operation, keys, credential: CREDENTIAL });
}
