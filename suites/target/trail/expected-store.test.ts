import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { freeKey } from '../../oracle/monitors/watch.test-data.ts';
import { listInventory, updateInventory } from '../http/operations.ts';
import { buildSteps } from './build-trail.ts';
import { expectedStore } from './expected-store.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';

const KEY = freeKey({ label: 'writer', secret: 'writer' });
const FOUND = { petId: 7n, quantity: 0n, status: 'sold' } as const;

interface Sent {
  readonly request: LoggedRequest['request'];
  readonly status: number | null;
}

function logged({ request, status }: Sent, at: number, endedAt: number): LoggedRequest {
  const response = status === null ? null : { status, headers: [], body: Buffer.alloc(0), exchange: null };
  const authorization = [`Bearer ${KEY.secret}`];
  return { do: 'send', at, request, authorization, key: KEY.label, endedAt, response, isRepeated: false };
}

const list = logged({ request: listInventory(), status: 200 }, 0, 0);

/** Groups that follow one another, of requests that are under way together; the list is in the last one. */
function history(groups: readonly (readonly Sent[])[]): {
  readonly groups: readonly (readonly LoggedRequest[])[];
  readonly store: ReturnType<typeof expectedStore>;
} {
  const sent = groups.map((group, index) => group.map((one) => logged(one, index * 10, index * 10 + 5)));
  const until = { ...list, at: (groups.length - 1) * 10, endedAt: (groups.length - 1) * 10 + 5 };
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
  for (const request of groups.flatMap(order)) {
    if (request.request.operation === 'listInventory') {
      break;
    }
    if (granted.has(request)) {
      quantity = /-?\d+/.exec(String(request.request.body))?.[0] ?? '';
    }
  }
  return quantity;
}

const update = fc.record({
  request: fc.integer({ min: 1, max: 4 }).map((quantity) => updateInventory(FOUND.petId, quantity)),
  status: fc.constantFrom(200, 429, null),
});

test('what any target shows is expected, if it granted and refused what the quantity rests on', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(update, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
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
        const isExpected = pet?.quantities.has(shownBy(groups, granted, order));
        expect(isSet && isLeft ? isExpected : true).toBe(true);
      },
    ),
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
] as const)('a pet %s', (_, groups, quantities) => {
  const sent = groups.map((group) =>
    group.map(([quantity, status]) => ({ request: updateInventory(FOUND.petId, quantity), status })),
  );
  expect([...(history(sent).store.pets?.get('7')?.quantities ?? [])]).toEqual(quantities);
});
