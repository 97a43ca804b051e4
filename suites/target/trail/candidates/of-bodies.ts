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
const NAMED_PET = /\bpet (?<petId>-?\d+)/gi;

/** Pets that are named, by the finding or by requests, before others, which other checks may have changed. */
export function candidatesOfStore(
  scene: FindingScene,
  answer: number,
  { pets, named }: ExpectedStore,
): readonly Candidate[] {
  const { exchange, message, decisive, steps } = scene;
  const own = candidatesOfAnswer(decisive, answer);
  const list = exchange === null ? undefined : listOf(exchange);
  if (list === undefined || pets === null) {
    return own;
  }
  const told = [...message.matchAll(NAMED_PET)].flatMap(({ groups }) => groups?.['petId'] ?? []);
  const seen = [...list.petIds].map(String);
  const petIds = new Set([...told, ...named, ...pets.keys(), ...seen]);
  // Another target may grant or refuse other updates, and then it tells nothing.
  const standing = (petId: string): StandingPet => {
    const pet = pets.get(petId);
    return pet === undefined
      ? { expect: 'pet', answer, petId, isThere: false }
      : {
          expect: 'pet',
          answer,
          petId,
          isThere: true,
          quantities: [...pet.quantities],
          ...(pet.granted.length === 0 ? {} : { granted: rowsOf(steps, pet.granted) }),
          ...(pet.refused.length === 0 ? {} : { refused: rowsOf(steps, pet.refused) }),
        };
  };
  return [
    ...own,
    ...[...petIds].map((petId): Candidate => ({ about: OF_STORE, expectation: standing(petId) })),
    // Another status is a change of another entry.
    ...[...pets].map(([petId, { status }]): Candidate => ({
      about: only('update-touches-one-entry', 'refused-changes-nothing'),
      expectation: { ...standing(petId), status },
    })),
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
