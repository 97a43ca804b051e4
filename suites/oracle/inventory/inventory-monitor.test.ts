import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { InventoryItem } from '../../../contract/inventory.ts';
import { parseJson, type JsonValue } from '../../../contract/json/index.ts';
import type { RequestMessage } from '../exchange.ts';
import type { Credential } from '../history.ts';
import {
  itemJson,
  listMessage,
  openScriptedHistory,
  updateRequest,
  VALID,
  type ScriptedHistory,
} from './scripted-history.test-data.ts';

const LARGE = 2n ** 53n + 1n;
const STORE: readonly InventoryItem[] = [
  { petId: 1n, quantity: 3, status: 'available' },
  { petId: 7n, quantity: 4, status: 'pending' },
  { petId: LARGE, quantity: 5, status: 'sold' },
  { petId: LARGE + 1n, quantity: 6, status: 'sold' },
];
const UNKNOWN: Credential = { kind: 'invalid', requirement: 'unknown-key' };

function withStore(): ScriptedHistory {
  const history = openScriptedHistory();
  history.replacing()(STORE);
  return history;
}

/** The store with some pets in another state; `null` for one that is gone. */
function storeWith(changes: Readonly<Record<string, number | null>>): readonly JsonValue[] {
  return STORE.filter(({ petId }) => changes[`${petId}`] !== null).map((item) =>
    itemJson({ ...item, quantity: changes[`${item.petId}`] ?? item.quantity }),
  );
}

function list(history: ScriptedHistory, body: readonly JsonValue[]): void {
  history.send(listMessage()).answer(200, body);
}

/** An update that is answered as it should be. */
function set(history: ScriptedHistory, petId: bigint, quantity: number): void {
  const status = STORE.find((item) => item.petId === petId)?.status ?? 'sold';
  history
    .send(updateRequest(petId, `{"quantity":${quantity}}`))
    .answer(200, itemJson({ petId, quantity, status }));
}

function refused(
  history: ScriptedHistory,
  status: number,
  petId: bigint,
  body: string,
  credential = VALID,
): void {
  history.send(updateRequest(petId, body), credential).answer(status);
}

type Telling = (history: ScriptedHistory) => void;

/** An update that is answered so, without a body. */
const answered =
  (status: number, petId: bigint, body: string, credential = VALID): Telling =>
  (history) =>
    refused(history, status, petId, body, credential);

/** An update that is answered with another item. */
const shown =
  (petId: bigint, quantity: number, item: Partial<InventoryItem>): Telling =>
  (history) =>
    history
      .send(updateRequest(petId, `{"quantity":${quantity}}`))
      .answer(200, itemJson({ petId, quantity, status: 'sold', ...item }));

/** An update that is answered as it should be, and lists that show these changes afterwards. */
const listed =
  (petId: bigint, quantity: number, ...lists: readonly Parameters<typeof storeWith>[0][]): Telling =>
  (history) => {
    set(history, petId, quantity);
    lists.forEach((changes) => list(history, storeWith(changes)));
  };

// What a single wrong answer or list breaks, the kill matrix shows.
describe('an answer is accused', () => {
  test.each<[string, string, Telling]>([
    ['update-succeeds', 'another quantity', shown(1n, 70_000, { quantity: 4_464 })],
    [
      'update-sets',
      'the sum of both quantities, while another update is known to be refused',
      (history) => {
        const refusal = history.send(updateRequest(1n, '{"quantity":null}'), VALID, true);
        shown(1n, 5, { quantity: 8 })(history);
        refusal.answer(400);
      },
    ],
    ['update-exact-pet', 'another pet', shown(1n, 5, { petId: 7n })],
    ['item-pet-id', 'a petId that lost digits', shown(LARGE, 5, { petId: LARGE - 1n })],
    [
      'update-missing-quantity',
      'no quantity, with a query',
      (history) => history.send(updateRequest('1?quantity=5', '{}')).answer(200),
    ],
    ['unknown-key', 'an unknown key, beside a bad body', answered(200, 1n, '{}', UNKNOWN)],
    ['authentication-first', 'a bad body before the key', answered(400, 1n, '{}', UNKNOWN)],
    [
      'every-operation-authenticates',
      'a spelling that shows the list without a key',
      (history) => history.send(listMessage('/inventory/'), UNKNOWN).answer(200, storeWith({})),
    ],
  ])('by %s: %s', (requirement, _what, tell) => {
    const history = withStore();
    tell(history);
    expect(history.broken()).toContain(requirement);
  });
});

describe('a list is accused', () => {
  test.each<[string, string, Telling]>([
    [
      'update-persists',
      'a list with a query is kept',
      (history) => {
        history.send(listMessage('/inventory?x=1')).answer(200, storeWith({}));
        set(history, 1n, 9);
        history.send(listMessage('/inventory?x=1')).answer(200, storeWith({}));
        list(history, storeWith({ 1: 9 }));
      },
    ],
    [
      'item-pet-id',
      'a petId lost digits',
      (history) =>
        list(history, [
          ...storeWith({ [`${LARGE}`]: null }),
          { petId: LARGE - 1n, quantity: 5, status: 'sold' },
        ]),
    ],
    ['update-persists', 'an update is not there', listed(1n, 9, {})],
    [
      'update-sets',
      'an update was added while another one was refused',
      (history) => {
        const refusal = history.send(updateRequest(1n, '{"quantity":null}'));
        const added = history.send(updateRequest(1n, '{"quantity":9}'));
        const asked = history.send(listMessage());
        refusal.answer(400);
        added.answer(200, itemJson({ petId: 1n, quantity: 9, status: 'available' }));
        asked.answer(200, storeWith({ 1: 12 }));
      },
    ],
    ['update-touches-one-entry', 'an update changes another pet', listed(1n, 9, { 1: 9, 7: 0 })],
    [
      'update-touches-one-entry',
      'an update changes another pet, which was updated as well',
      (history) => {
        set(history, 1n, 71);
        set(history, 7n, 72);
        list(history, storeWith({ 1: 72, 7: 72 }));
      },
    ],
    ['update-exact-pet', 'an update lands in another pet', listed(LARGE, 9, { [`${LARGE + 1n}`]: 9 })],
    [
      'refused-changes-nothing',
      'a refused update is there',
      (history) => {
        refused(history, 401, 1n, '{"quantity":9}', UNKNOWN);
        list(history, storeWith({ 1: 9 }));
      },
    ],
  ])('by %s: %s', (requirement, _what, tell) => {
    const history = withStore();
    tell(history);
    expect(history.broken()).toContain(requirement);
    // What it shows is taken for what is, so that it is told once.
    const before = history.broken().length;
    const last = history.said.at(-1)?.proof.at(-1)?.response.body.toString() ?? '[]';
    history.send(listMessage()).answer(200, parseJson(last));
    expect(history.broken().length).toBe(before);
  });
});

test.each<[string, Telling]>([
  ['an update of another pet', (history) => set(history, 7n, 9)],
  ['a refused update', (history) => refused(history, 400, 1n, '{"quantity":9,}')],
])('what a pet showed before is an update that is not kept, though %s asked for the same', (_what, ask) => {
  const history = withStore();
  for (const quantity of [9, 71]) {
    set(history, 1n, quantity);
    list(history, storeWith({ 1: quantity }));
  }
  ask(history);
  list(history, storeWith({ 1: 9 }));
  expect(new Set(history.broken())).toEqual(new Set(['update-persists']));
});

describe('nothing is accused', () => {
  test.each<[string, Telling]>([
    [
      'if a lost update is there, or not',
      (history) => {
        history.send(updateRequest(1n, '{"quantity":9}')).lose();
        list(history, storeWith({}));
        list(history, storeWith({ 1: 9 }));
      },
    ],
    [
      'if updates overlap, whichever is there in the end',
      (history) => {
        const first = history.send(updateRequest(1n, '{"quantity":9}'));
        set(history, 1n, 8);
        first.answer(200, itemJson({ petId: 1n, quantity: 9, status: 'sold' }));
        list(history, storeWith({ 1: 8 }));
      },
    ],
    [
      'if a list overlaps an update',
      (history) => {
        const asked = history.send(listMessage());
        set(history, 1n, 9);
        asked.answer(200, storeWith({}));
      },
    ],
    [
      'if an update that was lost comes after a new inventory, and a list with a query shows it',
      (history) => {
        history.send(updateRequest(1n, '{"quantity":9}')).lose();
        history.replacing()(STORE);
        history.send(listMessage('/inventory?x=1')).answer(200, storeWith({}));
        history.send(listMessage('/inventory?x=1')).answer(200, storeWith({ 1: 9 }));
      },
    ],
    [
      'if others write',
      (history) => {
        history.gap();
        set(history, 1n, 9);
        list(history, storeWith({ 7: null }));
      },
    ],
    [
      'if the rate is exceeded, or a valid key refused, which others judge',
      (history) => {
        for (const status of [429, 401, 403]) {
          refused(history, status, 1n, '{"quantity":9}');
        }
        list(history, storeWith({}));
      },
    ],
    [
      'if a bad body for an unknown pet is answered either way',
      (history) => {
        refused(history, 400, 2n, '{}');
        refused(history, 404, 2n, '{}');
      },
    ],
  ])('%s', (_what, tell) => {
    const history = withStore();
    tell(history);
    expect(history.broken()).toEqual([]);
  });

  test('of what an update that was lost may do, once it was seen and replaced', () => {
    const history = withStore();
    history.send(updateRequest(1n, '{"quantity":9}')).lose();
    list(history, storeWith({ 1: 9 }));
    set(history, 1n, 8);
    list(history, storeWith({ 1: 8 }));
    expect(history.broken()).toEqual([]);
    list(history, storeWith({ 1: 9 }));
    expect(history.broken()).toEqual(['update-persists']);
  });

  test.each([
    [1_000, []],
    [61_000, ['update-persists']],
  ])('of a lost update that may set anything, %s ms later', (milliseconds, broken) => {
    const history = withStore();
    history.send(updateRequest(1n, '{"quantity":9}}')).lose();
    history.pass(milliseconds);
    set(history, 1n, 8);
    list(history, storeWith({ 1: 5 }));
    expect(history.broken()).toEqual(broken);
  });
});

describe('statuses that a new inventory does not have', () => {
  const asGiven: readonly InventoryItem[] = [12, 0].map((quantity, index) => ({
    petId: BigInt(index),
    quantity,
    status: 'available',
  }));
  const given = asGiven.map(itemJson);
  const derived = asGiven.map((item) =>
    itemJson({ ...item, status: item.quantity === 0 ? 'sold' : 'available' }),
  );

  test.each([
    ['accuse nothing', derived, []],
    ['accuse the list if one before had others', given, ['list-complete']],
  ])('%s', (_when, before, broken) => {
    const history = openScriptedHistory();
    history.replacing()(asGiven);
    list(history, before);
    list(history, derived);
    expect(history.broken()).toEqual(broken);
  });
});

describe('a list that came while a request was under way that may change any pet', () => {
  const wild = { operation: null, method: 'PUT', path: '/inventory', headers: [], body: null } as const;

  test.each([
    ['is accused once that was refused', 405, ['update-persists']],
    ['is not accused if that was carried out', 200, []],
  ])('%s', (_what, status, broken) => {
    const history = withStore();
    const other = history.send(wild);
    set(history, 1n, 5);
    list(history, storeWith({}));
    expect(history.broken()).toEqual([]);
    other.answer(status);
    expect(history.broken()).toEqual(broken);
  });
});

describe('of a store of which only some pets are claimed', () => {
  const ABSENT = 404_404_404n;
  const LONG_MILLISECONDS = 6_000;

  function withClaims(): ScriptedHistory {
    const history = openScriptedHistory();
    history.claim([1n, 7n, ABSENT]);
    list(history, storeWith({}));
    return history;
  }

  test('a claimed pet that changes with updates of another is accused when that is seen again later', () => {
    const history = withClaims();
    for (const quantity of [300, 301]) {
      set(history, 1n, quantity);
      list(history, storeWith({ 1: quantity, 7: quantity - 200 }));
    }
    expect(history.broken()).toEqual([]);
    history.pass(LONG_MILLISECONDS);
    list(history, storeWith({ 1: 301, 7: 101 }));
    set(history, 1n, 302);
    list(history, storeWith({ 1: 302, 7: 102 }));
    expect(history.broken()).toEqual(['update-touches-one-entry']);
  });

  test.each([
    ['a list that still shows what its update replaced', 'update-persists', { 1: 3 }],
    ['a list that shows the sum', 'update-sets', { 1: 303 }],
    ['a list that lacks it', 'update-persists', { 1: null }],
    ['a list that shows it alone with another quantity', 'update-persists', { 1: 17 }],
  ])('one that was written to is told at once: %s', (_what, requirement, seen) => {
    const history = withClaims();
    set(history, 1n, 300);
    list(history, storeWith(seen));
    expect(history.broken()).toContain(requirement);
  });

  test('what it stood at just before is told at once, though that was its first quantity of many', () => {
    const history = withClaims();
    for (const quantity of [3, 300, 301, 302, 303, 304, 305, 306, 307, 308, 3, 310]) {
      set(history, 1n, quantity);
      list(history, storeWith({ 1: quantity }));
    }
    list(history, storeWith({ 1: 3 }));
    expect(history.broken()).toEqual(['update-persists']);
  });

  test('a slow target is no reason to think of others', () => {
    const SLOW_MILLISECONDS = 1_500;
    const history = withClaims();
    const slow = (request: RequestMessage, body: JsonValue): void => {
      const sent = history.send(request);
      history.pass(SLOW_MILLISECONDS);
      sent.answer(200, body);
    };
    slow(listMessage(), storeWith({}));
    slow(updateRequest(1n, '{"quantity":300}'), itemJson({ petId: 1n, quantity: 300, status: 'available' }));
    slow(listMessage(), storeWith({}));
    expect(history.broken()).toEqual(['update-persists']);
  });

  test('what changes while much time passes somebody else may have written', () => {
    const history = withClaims();
    for (const quantity of [300, 301, 302]) {
      set(history, 1n, quantity);
      history.pass(LONG_MILLISECONDS);
      list(history, storeWith({ 1: quantity, 7: quantity - 200 }));
    }
    expect(history.broken()).toEqual([]);
  });

  test('once pets change again and again though nothing was sent, somebody else writes to them', () => {
    const history = withClaims();
    for (const quantity of [300, 301]) {
      list(history, storeWith({ [`${LARGE}`]: quantity }));
    }
    for (const quantity of [300, 301, 302]) {
      set(history, 1n, quantity);
      list(history, storeWith({ 1: quantity, 7: quantity - 200, [`${LARGE}`]: 301 }));
      history.pass(LONG_MILLISECONDS);
      list(history, storeWith({ 1: quantity, 7: quantity - 200, [`${LARGE}`]: 301 }));
    }
    expect(history.broken()).toEqual([]);
    expect(history.strangeChanges().idle).toHaveLength(2);
  });

  test('what a list shows of a pet that this run had set long before is written by nobody else', () => {
    const history = withClaims();
    const quantities = Array.from({ length: 12 }, (_, index) => 300 + index);
    quantities.forEach((quantity) => set(history, 1n, quantity));
    list(history, storeWith({ 1: 311 }));
    list(history, storeWith({ 1: 300 }));
    list(history, storeWith({ 1: 311 }));
    expect(history.strangeChanges().idle).toEqual([]);
  });

  test('others may do anything to a pet that is not claimed', () => {
    const history = withClaims();
    for (const quantity of [300, 301, null, 302]) {
      set(history, 1n, 5);
      list(history, storeWith({ 1: 5, [`${LARGE}`]: quantity }));
      history.pass(LONG_MILLISECONDS);
      list(history, storeWith({ 1: 5, [`${LARGE}`]: quantity }));
    }
    expect(history.broken()).toEqual([]);
  });

  test('it may not stand again and again at what an update of another pet asked for', () => {
    const history = withClaims();
    for (const quantity of [300, 301]) {
      set(history, 1n, quantity);
      list(history, storeWith({ 1: quantity, [`${LARGE}`]: quantity }));
      history.pass(LONG_MILLISECONDS);
      list(history, storeWith({ 1: quantity, [`${LARGE}`]: quantity }));
    }
    expect(history.broken()).toEqual(['update-touches-one-entry']);
  });

  test('nor may it take small quantities of another pet, as often as that is updated', () => {
    const history = withClaims();
    for (const quantity of [3, 9, 1, 12, 7]) {
      set(history, 1n, quantity);
      set(history, 7n, 8);
      list(history, storeWith({ 1: quantity, 7: 8, [`${LARGE}`]: quantity }));
    }
    expect(history.broken()).toEqual([]);
    set(history, 1n, 2);
    list(history, storeWith({ 1: 2, 7: 8, [`${LARGE}`]: 2 }));
    expect(history.broken()).toEqual(['update-touches-one-entry']);
  });

  test('others who set small quantities hit now and then what was asked for', () => {
    const SMALL = Array.from({ length: 12 }, (_, index) => index + 1);
    fc.assert(
      fc.property(
        fc.shuffledSubarray(SMALL, { minLength: 12 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 12 })),
        (asked, drawn) => {
          const history = withClaims();
          for (const quantity of asked) {
            set(history, 1n, quantity);
            list(history, storeWith({ 1: quantity, [`${LARGE}`]: drawn.next().value }));
          }
          expect(history.broken()).toEqual([]);
        },
      ),
      { numRuns: Number(process.env['SOUNDNESS_RUNS'] ?? 300) },
    );
  });

  test('a claimed pet may be removed, but not come and go', () => {
    const history = withClaims();
    list(history, storeWith({ 7: null }));
    list(history, storeWith({ 7: null }));
    expect(history.broken()).toEqual([]);
    list(history, storeWith({}));
    list(history, storeWith({ 1: null }));
    expect(history.broken()).toEqual(['list-complete']);
  });

  test('an update of an unknown pet that is refused does not make it known', () => {
    const history = withClaims();
    refused(history, 404, ABSENT, '{"quantity":1}');
    list(history, [...storeWith({}), itemJson({ petId: ABSENT, quantity: 1, status: 'available' })]);
    expect(history.broken()).toEqual(['refused-changes-nothing']);
  });
});

test('an answer to an oddly spelled update may show what another one made of it', () => {
  const history = withStore();
  const [first, second] = [70_000, 2].map((quantity) =>
    history.send(updateRequest('007', `{"quantity":${quantity}}`)),
  );
  list(history, storeWith({ 7: 70_000 }));
  const answer = itemJson({ petId: 7n, quantity: 2, status: 'pending' });
  first?.answer(200, answer);
  second?.answer(200, answer);
  expect(history.broken()).toEqual([]);
  list(history, storeWith({ 7: 2 }));
  expect(history.broken()).toEqual([]);
  list(history, storeWith({ 7: 9 }));
  expect(history.broken()).toEqual(['update-persists']);
});

test.each([
  [3, ['update-succeeds', 'update-exact-pet']],
  [5, ['update-exact-pet', 'update-succeeds']],
])('404 to an update to %i of a pet that stands at 3 is explained by %j', (quantity, ids) => {
  const history = openScriptedHistory();
  history.replacing()([{ petId: 1n, quantity: 3, status: 'sold' }]);
  history.send(updateRequest(1n, `{"quantity":${quantity}}`)).answer(404, {});
  const first = history.said.find(({ holds }) => !holds);
  expect([first?.id, ...(first?.others ?? []).map(({ id }) => id)]).toEqual(ids);
});
