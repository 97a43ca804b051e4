import type { RequirementId } from '../../../../contract/requirements/index.ts';
import { BODY_FORMS, type TrailExpectation } from '../../../../contract/trail.ts';
import { listOf, readRequest } from '../../../oracle/index.ts';
import type { ExpectedStore } from '../expected-store.ts';
import type { LoggedRequest } from '../trail-log.ts';
import { type Candidate, only, rowsOf, type FindingScene } from './candidate.ts';

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

export function candidatesOfForm(): readonly Candidate[] {
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
const OF_STATUS = only('update-touches-one-entry', 'refused-changes-nothing');
const NAMED_PET = /\bpet (?<petId>-?\d+)/gi;

/** Those of the pets that the finding names; of all if it names none, first of those that requests name. */
export function candidatesOfStore(
  scene: FindingScene,
  answer: number,
  { pets, other, named }: ExpectedStore,
): readonly Candidate[] {
  const { exchange, message, decisive, steps } = scene;
  const own = candidatesOfAnswer(decisive, answer);
  const list = exchange === null ? undefined : listOf(exchange);
  if (list === undefined || pets === null) {
    return own;
  }
  const told = [...message.matchAll(NAMED_PET)].flatMap(({ groups }) => groups?.['petId'] ?? []);
  const seen = [...list.petIds].map(String);
  const petIds = [...new Set(told.length > 0 ? told : [...named, ...pets.keys(), ...seen])];
  const standing = petIds.flatMap((petId): readonly StandingPet[] => {
    const pet = pets.get(petId);
    const { quantities, granted, refused } = pet ?? other;
    if (quantities === null) {
      return [];
    }
    return [
      {
        expect: 'pet',
        answer,
        petId,
        isThere: pet !== undefined,
        ...(pet === undefined ? {} : { quantities: [...quantities] }),
        // Another target may grant or refuse other requests, and then it tells nothing.
        ...(granted.length === 0 ? {} : { granted: rowsOf(steps, granted) }),
        ...(refused.length === 0 ? {} : { refused: rowsOf(steps, refused) }),
      },
    ];
  });
  return [
    ...own,
    ...standing.map((expectation): Candidate => ({ about: OF_STORE, expectation })),
    // Another status is a change of another entry.
    ...standing.flatMap((expectation): readonly Candidate[] => {
      const status = pets.get(expectation.petId)?.status;
      return status === undefined ? [] : [{ about: OF_STATUS, expectation: { ...expectation, status } }];
    }),
  ];
}

type StandingPet = Extract<TrailExpectation, { readonly expect: 'pet' }>;

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
  // One that a double cannot hold may come back rounded.
  const isExact = typeof body === 'object' && 'quantity' in body && isSafe(body.quantity);
  const quantities = isExact ? [body.quantity.toString()] : undefined;
  const pet = { expect: 'pet', answer, petId: target.petId.toString(), isThere: true } as const;
  return [
    { about: only('update-exact-pet', 'item-pet-id'), expectation: pet },
    {
      about: only('update-succeeds', 'update-sets', 'update-persists'),
      expectation: { ...pet, ...(quantities === undefined ? {} : { quantities }) },
    },
  ];
}

function isSafe(quantity: bigint): boolean {
  return Number.isSafeInteger(Number(quantity));
}
