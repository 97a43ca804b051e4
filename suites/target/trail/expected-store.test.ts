import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { freeKey } from '../../oracle/monitors/watch.test-data.ts';
import { undocumented, updateInventory } from '../http/operations.ts';
import { buildSteps } from './build-trail.ts';
import { expectedStore } from './expected-store.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';
import { loggedRequest } from './trail-log.test-data.ts';

const KEY = freeKey({ label: 'writer', secret: 'writer' });
const FOUND = { petId: 7n, quantity: 0n, status: 'sold' } as const;

interface Sent {
  readonly request: LoggedRequest['request'];
  readonly status: number | null;
}

/** Groups that follow one another, of requests that are under way together; the list is in the last one. */
function history(groups: readonly (readonly Sent[])[]): {
  readonly groups: readonly (readonly LoggedRequest[])[];
  readonly store: ReturnType<typeof expectedStore>;
} {
  const sent = groups.map((group, index) =>
    group.map((one) => loggedRequest(KEY, { ...one, at: index * 10, endedAt: index * 10 + 5 })),
  );
  const last = (groups.length - 1) * 10;
  const until = loggedRequest(KEY, { at: last, endedAt: last + 5 });
  const before: LoggedEvent[] = [
    { do: 'replace inventory', at: 0, items: [FOUND] },
    { do: 'issue key', at: 0, key: KEY.label },
  ];
  const events = [...before, ...sent.flat(), until];
  const keys = new Map([[KEY.label, KEY]]);
  const clock = { at: () => undefined };
  const steps = buildSteps({ events, decisive: until, keys, revoked: [], clock, redact: String });
  return {
    groups: [...sent.slice(0, -1), [...(sent.at(-1) ?? []), until]],
    store: expectedStore(events, until, steps),
  };
}

/** What another target, which grants or refuses as it likes, shows if it carries out the groups in such an order. */
function shownBy(
  groups: readonly (readonly LoggedRequest[])[],
  granted: ReadonlySet<LoggedRequest>,
  order: (group: readonly LoggedRequest[]) => readonly LoggedRequest[],
): string {
  let quantity = FOUND.quantity.toString();
  for (const logged of groups.flatMap(order)) {
    const { request } = logged;
    if (request.operation === 'listInventory') {
      break;
    }
    if (granted.has(logged)) {
      quantity = plainQuantity(request) ?? ANYTHING;
    }
  }
  return quantity;
}

const ANYTHING = 'anything';
const OPEN = { ...updateInventory(FOUND.petId, 1), body: '{"quantity":1,"quantity":2}' };
const OTHER_METHOD = undocumented('PUT', '/inventory');

function plainQuantity({ body }: LoggedRequest['request']): string | undefined {
  return /^\{"quantity":(?<quantity>\d)\}$/.exec(String(body))?.groups?.['quantity'];
}

const write = fc.record({
  request: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }).map((n) => updateInventory(FOUND.petId, n)) },
    { weight: 1, arbitrary: fc.constantFrom(OPEN, OTHER_METHOD) },
  ),
  status: fc.constantFrom(200, 200, 429, 500, null),
});

test('what any target shows is expected, if it granted and refused what the quantity rests on', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(write, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.boolean()),
      fc.infiniteStream(fc.nat()),
      (drawn, grants, places) => {
        const { groups, store } = history(drawn);
        const granted = new Set(groups.flat().filter(() => grants.next().value));
        const pet = store.pets?.get(FOUND.petId.toString());
        const isSet = pet?.granted.length === 0 || pet?.granted.some((one) => granted.has(one));
        const isLeft = pet?.refused.every((one) => !granted.has(one));
        const order = (group: readonly LoggedRequest[]): readonly LoggedRequest[] =>
          group
            .map((request) => ({ request, place: places.next().value }))
            .toSorted((one, other) => one.place - other.place)
            .map(({ request }) => request);
        const isExpected = pet?.quantities?.has(shownBy(groups, granted, order)) ?? true;
        expect(isSet && isLeft ? isExpected : true).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

test.each([
  ['stands as it did if nothing was sent', [[]], ['0']],
  ['stands as the last update set it', [[[1, 200]], [[2, 200]], []], ['2']],
  [
    'may stand as any of those set it that were under way together',
    [
      [
        [1, 200],
        [2, 200],
      ],
      [],
    ],
    ['1', '2'],
  ],
  ['may have been set by what is under way together with the list', [[[1, 200]], [[2, 200]]], ['1', '2']],
  ['stands as it did if an update was refused', [[[1, 200]], [[2, 429]], []], ['1']],
  ['may have been set by an update that met an error', [[[1, 200]], [[2, 500]], []], ['1', '2']],
] as const)('a pet %s', (_, groups, quantities) => {
  const sent = groups.map((group) =>
    group.map(([quantity, status]) => ({ request: updateInventory(FOUND.petId, quantity), status })),
  );
  expect([...(history(sent).store.pets?.get('7')?.quantities ?? [])]).toEqual(quantities);
});

test.each([
  ['an update whose body may mean several things', OPEN],
  ['a request for another operation', OTHER_METHOD],
])('a pet may stand at anything after %s, until it is set', (_, request) => {
  const granted = { request, status: 200 };
  const pet = ({ store }: ReturnType<typeof history>) => store.pets?.get('7')?.quantities;
  expect(pet(history([[granted], []]))).toBeNull();
  const setAgain = { request: updateInventory(FOUND.petId, 3), status: 200 };
  expect(pet(history([[granted], [setAgain], []]))).toEqual(new Set(['3']));
});
