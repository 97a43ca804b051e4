import type { RequirementId } from '../../../../contract/requirements/index.ts';
import { BODY_FORMS } from '../../../../contract/trail.ts';
import { listOf, readRequest } from '../../../oracle/index.ts';
import type { ExpectedStore } from '../expected-store.ts';
import type { LoggedRequest } from '../trail-log.ts';
import { nameOf } from '../word-requests.ts';
import { type Candidate, isGrantedRequest, only, rowsOf, type FindingScene } from './candidate.ts';

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
  const { exchange, message, decisive } = scene;
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
          ...grantedUpdates(scene, petId),
        },
      };
    }),
    // Another status is a change of another entry.
    ...[...pets].map(([petId, { quantities, status }]): Candidate => ({
      about: only('update-touches-one-entry', 'refused-changes-nothing'),
      expectation: {
        expect: 'pet',
        answer,
        petId,
        isThere: true,
        quantities: [...quantities],
        status,
        ...grantedUpdates(scene, petId),
      },
    })),
  ];
}

/**
 * The updates that set a pet: those that are alike, if they were sent at once. A limit may refuse all of them the next
 * time, and others may be refused by another target, and then the pet stands as it did.
 */
function grantedUpdates(
  { events, steps, decisive }: FindingScene,
  petId: string,
): { readonly granted?: readonly (readonly [number, number])[] } {
  const sent = events.filter((event) => event.do === 'send');
  const last = sent.findLast((event) => {
    const { target } = readRequest(event.request);
    const isOfPet = target.kind !== 'undocumented' && String(target.petId) === petId;
    return isOfPet && isGrantedRequest(event) && (event.endedAt ?? Infinity) <= decisive.at;
  });
  if (last === undefined) {
    return {};
  }
  const [from] = steps.rowOf(last);
  const together = sent.filter((event) => steps.rowOf(event)[0] === from);
  const alike = together.filter((event) => nameOf(event) === nameOf(last));
  return { granted: rowsOf(steps, alike) };
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
