import { describe, expect, test } from 'vitest';

import type { InventoryItem } from '../../../contract/inventory.ts';
import { parseJson, type JsonValue } from '../../../contract/json/index.ts';
import type { RequestMessage } from '../exchange.ts';
import type { Credential } from '../history.ts';
import { itemJson, listMessage, openStory, updateRequest, VALID, type Story } from './story.test-data.ts';

const LARGE = 2n ** 53n + 1n;
const STORE: readonly InventoryItem[] = [
  { petId: 1n, quantity: 3, status: 'available' },
  { petId: 7n, quantity: 4, status: 'pending' },
  { petId: LARGE, quantity: 5, status: 'sold' },
  { petId: LARGE + 1n, quantity: 6, status: 'sold' },
];
const UNKNOWN: Credential = { kind: 'invalid', requirement: 'unknown-key' };

function withStore(): Story {
  const story = openStory();
  story.replacing()(STORE);
  return story;
}

/** The store with some pets in another state; `null` for one that is gone. */
function storeWith(changes: Readonly<Record<string, number | null>>): readonly JsonValue[] {
  return STORE.filter(({ petId }) => changes[`${petId}`] !== null).map((item) =>
    itemJson({ ...item, quantity: changes[`${item.petId}`] ?? item.quantity }),
  );
}

function list(story: Story, body: readonly JsonValue[]): void {
  story.send(listMessage()).answer(200, body);
}

/** An update that is answered as it should be. */
function set(story: Story, petId: bigint, quantity: number): void {
  const status = STORE.find((item) => item.petId === petId)?.status ?? 'sold';
  story
    .send(updateRequest(petId, `{"quantity":${quantity}}`))
    .answer(200, itemJson({ petId, quantity, status }));
}

function refused(story: Story, status: number, petId: bigint, body: string, credential = VALID): void {
  story.send(updateRequest(petId, body), credential).answer(status);
}

describe('an answer is accused', () => {
  test.each<[string, string, (story: Story) => void]>([
    ['list-succeeds', 'a list that fails', (story) => story.send(listMessage()).answer(500)],
    ['update-succeeds', 'a plain update that fails', (story) => refused(story, 400, 1n, '{"quantity":5}')],
    ['update-succeeds', 'an update answered 204', (story) => refused(story, 204, 1n, '{"quantity":5}')],
    [
      'update-succeeds',
      'another quantity',
      (story) =>
        story
          .send(updateRequest(1n, '{"quantity":70000}'))
          .answer(200, itemJson({ petId: 1n, quantity: 4464, status: 'sold' })),
    ],
    [
      'update-sets',
      'the sum of both quantities',
      (story) =>
        story
          .send(updateRequest(1n, '{"quantity":5}'))
          .answer(200, itemJson({ petId: 1n, quantity: 8, status: 'sold' })),
    ],
    [
      'update-sets',
      'the sum of both quantities, while another update is known to be refused',
      (story) => {
        const refusal = story.send(updateRequest(1n, '{"quantity":null}'), VALID, true);
        story
          .send(updateRequest(1n, '{"quantity":5}'))
          .answer(200, itemJson({ petId: 1n, quantity: 8, status: 'sold' }));
        refusal.answer(400);
      },
    ],
    [
      'update-exact-pet',
      'another pet',
      (story) =>
        story
          .send(updateRequest(1n, '{"quantity":5}'))
          .answer(200, itemJson({ petId: 7n, quantity: 5, status: 'sold' })),
    ],
    [
      'item-pet-id',
      'a petId that lost digits',
      (story) =>
        story
          .send(updateRequest(LARGE, '{"quantity":5}'))
          .answer(200, itemJson({ petId: LARGE - 1n, quantity: 5, status: 'sold' })),
    ],
    ['update-exact-pet', 'a known pet not found', (story) => refused(story, 404, LARGE, '{"quantity":5}')],
    ['update-unknown-pet', 'an unknown pet accepted', (story) => refused(story, 200, 2n, '{"quantity":5}')],
    [
      'update-unknown-pet',
      'an unknown pet answered 400',
      (story) => refused(story, 400, 2n, '{"quantity":5}'),
    ],
    ['update-exact-pet', 'pet 0 accepted', (story) => refused(story, 200, 0n, '{"quantity":5}')],
    ['update-missing-quantity', 'no quantity', (story) => refused(story, 200, 1n, '{"Quantity":5}')],
    ['update-invalid-quantity', 'a fraction', (story) => refused(story, 422, 1n, '{"quantity":1.5}')],
    ['update-malformed-body', 'no JSON', (story) => refused(story, 200, 1n, '{"quantity":5')],
    [
      'update-missing-quantity',
      'no quantity, with a query',
      (story) => story.send(updateRequest('1?quantity=5', '{}')).answer(200),
    ],
    ['missing-key', 'no key', (story) => story.send(listMessage(), { kind: 'missing' }).answer(200, [])],
    ['unknown-key', 'an unknown key', (story) => story.send(listMessage(), UNKNOWN).answer(403)],
    ['unknown-key', 'an unknown key, beside a bad body', (story) => refused(story, 200, 1n, '{}', UNKNOWN)],
    ['authentication-first', 'a bad body before the key', (story) => refused(story, 400, 1n, '{}', UNKNOWN)],
    [
      'every-operation-authenticates',
      'an operation without a key',
      (story) =>
        story
          .send(
            { operation: 'listOrders', method: 'GET', path: '/store/orders', headers: [], body: null },
            UNKNOWN,
          )
          .answer(200, []),
    ],
    [
      'every-operation-authenticates',
      'a spelling that shows the list without a key',
      (story) => story.send(listMessage('/inventory/'), UNKNOWN).answer(200, storeWith({})),
    ],
  ])('by %s: %s', (requirement, _what, tell) => {
    const story = withStore();
    tell(story);
    expect(story.broken()).toContain(requirement);
  });
});

describe('a list is accused', () => {
  test.each<[string, string, (story: Story) => void]>([
    ['list-complete', 'a pet is missing', (story) => list(story, storeWith({ 1: null }))],
    ['list-complete', 'a quantity is another', (story) => list(story, storeWith({ 1: 9 }))],
    [
      'update-persists',
      'a list with a query is kept',
      (story) => {
        story.send(listMessage('/inventory?x=1')).answer(200, storeWith({}));
        set(story, 1n, 9);
        story.send(listMessage('/inventory?x=1')).answer(200, storeWith({}));
        list(story, storeWith({ 1: 9 }));
      },
    ],
    [
      'item-pet-id',
      'a petId lost digits',
      (story) =>
        list(story, [
          ...storeWith({ [`${LARGE}`]: null }),
          { petId: LARGE - 1n, quantity: 5, status: 'sold' },
        ]),
    ],
    [
      'update-persists',
      'an update is not there',
      (story) => {
        set(story, 1n, 9);
        list(story, storeWith({}));
      },
    ],
    [
      'update-persists',
      'an update that was there is gone',
      (story) => {
        set(story, 1n, 9);
        list(story, storeWith({ 1: 9 }));
        list(story, storeWith({}));
      },
    ],
    [
      'update-persists',
      'an update removes its pet',
      (story) => {
        set(story, 1n, 0);
        list(story, storeWith({ 1: null }));
      },
    ],
    [
      'update-sets',
      'an update was added',
      (story) => {
        set(story, 1n, 9);
        list(story, storeWith({ 1: 12 }));
      },
    ],
    [
      'update-sets',
      'an update was added while another one was refused',
      (story) => {
        const refusal = story.send(updateRequest(1n, '{"quantity":null}'));
        const added = story.send(updateRequest(1n, '{"quantity":9}'));
        const asked = story.send(listMessage());
        refusal.answer(400);
        added.answer(200, itemJson({ petId: 1n, quantity: 9, status: 'available' }));
        asked.answer(200, storeWith({ 1: 12 }));
      },
    ],
    [
      'update-touches-one-entry',
      'an update changes another pet',
      (story) => {
        set(story, 1n, 9);
        list(story, storeWith({ 1: 9, 7: 0 }));
      },
    ],
    [
      'update-touches-one-entry',
      'an update removes another pet',
      (story) => {
        set(story, 1n, 9);
        list(story, storeWith({ 1: 9, 7: null }));
      },
    ],
    [
      'update-exact-pet',
      'an update lands in another pet',
      (story) => {
        set(story, LARGE, 9);
        list(story, storeWith({ [`${LARGE + 1n}`]: 9 }));
      },
    ],
    [
      'refused-changes-nothing',
      'a refused update is there',
      (story) => {
        refused(story, 401, 1n, '{"quantity":9}', UNKNOWN);
        list(story, storeWith({ 1: 9 }));
      },
    ],
    [
      'refused-changes-nothing',
      'a refused update changes a neighbour',
      (story) => {
        refused(story, 400, 1n, '{}');
        list(story, storeWith({ 7: 0 }));
      },
    ],
    [
      'refused-changes-nothing',
      'a refused update creates its pet',
      (story) => {
        refused(story, 404, 2n, '{"quantity":9}');
        list(story, [...storeWith({}), { petId: 2, quantity: 9, status: 'available' }]);
      },
    ],
  ])('by %s: %s', (requirement, _what, tell) => {
    const story = withStore();
    tell(story);
    expect(story.broken()).toContain(requirement);
    // What it shows is taken for what is, so that it is told once.
    const before = story.broken().length;
    const last = story.said.at(-1)?.proof.at(-1)?.response.body.toString() ?? '[]';
    story.send(listMessage()).answer(200, parseJson(last));
    expect(story.broken().length).toBe(before);
  });
});

describe('nothing is accused', () => {
  test.each<[string, (story: Story) => void]>([
    [
      'if a lost update is there, or not',
      (story) => {
        story.send(updateRequest(1n, '{"quantity":9}')).lose();
        list(story, storeWith({}));
        list(story, storeWith({ 1: 9 }));
      },
    ],
    [
      'if updates overlap, whichever is there in the end',
      (story) => {
        const first = story.send(updateRequest(1n, '{"quantity":9}'));
        set(story, 1n, 8);
        first.answer(200, itemJson({ petId: 1n, quantity: 9, status: 'sold' }));
        list(story, storeWith({ 1: 8 }));
      },
    ],
    [
      'if a list overlaps an update',
      (story) => {
        const asked = story.send(listMessage());
        set(story, 1n, 9);
        asked.answer(200, storeWith({}));
      },
    ],
    [
      'if an update that was lost comes after a new inventory, and a list with a query shows it',
      (story) => {
        story.send(updateRequest(1n, '{"quantity":9}')).lose();
        story.replacing()(STORE);
        story.send(listMessage('/inventory?x=1')).answer(200, storeWith({}));
        story.send(listMessage('/inventory?x=1')).answer(200, storeWith({ 1: 9 }));
      },
    ],
    [
      'if others write',
      (story) => {
        story.gap();
        set(story, 1n, 9);
        list(story, storeWith({ 7: null }));
      },
    ],
    [
      'if the rate is exceeded, or a valid key refused, which others judge',
      (story) => {
        for (const status of [429, 401, 403]) {
          refused(story, status, 1n, '{"quantity":9}');
        }
        list(story, storeWith({}));
      },
    ],
    [
      'if a bad body for an unknown pet is answered either way',
      (story) => {
        refused(story, 400, 2n, '{}');
        refused(story, 404, 2n, '{}');
      },
    ],
  ])('%s', (_what, tell) => {
    const story = withStore();
    tell(story);
    expect(story.broken()).toEqual([]);
  });

  test('of what an update that was lost may do, once it was seen and replaced', () => {
    const story = withStore();
    story.send(updateRequest(1n, '{"quantity":9}')).lose();
    list(story, storeWith({ 1: 9 }));
    set(story, 1n, 8);
    list(story, storeWith({ 1: 8 }));
    expect(story.broken()).toEqual([]);
    list(story, storeWith({ 1: 9 }));
    expect(story.broken()).toEqual(['update-persists']);
  });
});

describe('a list that came while a request was under way that may change any pet', () => {
  const wild = { operation: null, method: 'PUT', path: '/inventory', headers: [], body: null } as const;

  test.each([
    ['is accused once that was refused', 405, ['update-persists']],
    ['is not accused if that was carried out', 200, []],
  ])('%s', (_what, status, broken) => {
    const story = withStore();
    const other = story.send(wild);
    set(story, 1n, 5);
    list(story, storeWith({}));
    expect(story.broken()).toEqual([]);
    other.answer(status);
    expect(story.broken()).toEqual(broken);
  });
});

describe('of a store of which only some pets are claimed', () => {
  const ABSENT = 404_404_404n;
  const LONG_MILLISECONDS = 6_000;

  function withClaims(): Story {
    const story = openStory();
    story.claim([1n, 7n, ABSENT]);
    list(story, storeWith({}));
    return story;
  }

  test('a claimed pet that changes with updates of another is accused when that is seen again later', () => {
    const story = withClaims();
    for (const quantity of [300, 301]) {
      set(story, 1n, quantity);
      list(story, storeWith({ 1: quantity, 7: quantity - 200 }));
    }
    expect(story.broken()).toEqual([]);
    story.pass(LONG_MILLISECONDS);
    list(story, storeWith({ 1: 301, 7: 101 }));
    set(story, 1n, 302);
    list(story, storeWith({ 1: 302, 7: 102 }));
    expect(story.broken()).toEqual(['update-touches-one-entry']);
  });

  test.each([
    ['a list that still shows what its update replaced', 'update-persists', { 1: 3 }],
    ['a list that shows the sum', 'update-sets', { 1: 303 }],
    ['a list that lacks it', 'update-persists', { 1: null }],
    ['a list that shows it alone with another quantity', 'update-persists', { 1: 17 }],
  ])('one that was written to is told at once: %s', (_what, requirement, seen) => {
    const story = withClaims();
    set(story, 1n, 300);
    list(story, storeWith(seen));
    expect(story.broken()).toContain(requirement);
  });

  test('a slow target is no reason to think of others', () => {
    const SLOW_MILLISECONDS = 1_500;
    const story = withClaims();
    const slow = (request: RequestMessage, body: JsonValue): void => {
      const sent = story.send(request);
      story.pass(SLOW_MILLISECONDS);
      sent.answer(200, body);
    };
    slow(listMessage(), storeWith({}));
    slow(updateRequest(1n, '{"quantity":300}'), itemJson({ petId: 1n, quantity: 300, status: 'available' }));
    slow(listMessage(), storeWith({}));
    expect(story.broken()).toEqual(['update-persists']);
  });

  test('what changes while much time passes somebody else may have written', () => {
    const story = withClaims();
    for (const quantity of [300, 301, 302]) {
      set(story, 1n, quantity);
      story.pass(LONG_MILLISECONDS);
      list(story, storeWith({ 1: quantity, 7: quantity - 200 }));
    }
    expect(story.broken()).toEqual([]);
  });

  test('once pets change again and again though nothing was sent, somebody else writes to them', () => {
    const story = withClaims();
    for (const quantity of [300, 301]) {
      list(story, storeWith({ [`${LARGE}`]: quantity }));
    }
    for (const quantity of [300, 301, 302]) {
      set(story, 1n, quantity);
      list(story, storeWith({ 1: quantity, 7: quantity - 200, [`${LARGE}`]: 301 }));
      story.pass(LONG_MILLISECONDS);
      list(story, storeWith({ 1: quantity, 7: quantity - 200, [`${LARGE}`]: 301 }));
    }
    expect(story.broken()).toEqual([]);
    expect(story.strangeChanges().idle).toHaveLength(2);
  });

  test('others may do anything to a pet that is not claimed', () => {
    const story = withClaims();
    for (const quantity of [300, 301, null, 302]) {
      set(story, 1n, 5);
      list(story, storeWith({ 1: 5, [`${LARGE}`]: quantity }));
      story.pass(LONG_MILLISECONDS);
      list(story, storeWith({ 1: 5, [`${LARGE}`]: quantity }));
    }
    expect(story.broken()).toEqual([]);
  });

  test('it may not stand again and again at what an update of another pet asked for', () => {
    const story = withClaims();
    for (const quantity of [300, 301]) {
      set(story, 1n, quantity);
      list(story, storeWith({ 1: quantity, [`${LARGE}`]: quantity }));
      story.pass(LONG_MILLISECONDS);
      list(story, storeWith({ 1: quantity, [`${LARGE}`]: quantity }));
    }
    expect(story.broken()).toEqual(['update-touches-one-entry']);
  });

  test('a claimed pet may be removed, but not come and go', () => {
    const story = withClaims();
    list(story, storeWith({ 7: null }));
    list(story, storeWith({ 7: null }));
    expect(story.broken()).toEqual([]);
    list(story, storeWith({}));
    list(story, storeWith({ 1: null }));
    expect(story.broken()).toEqual(['list-complete']);
  });

  test('an update of an unknown pet that is refused does not make it known', () => {
    const story = withClaims();
    refused(story, 404, ABSENT, '{"quantity":1}');
    list(story, [...storeWith({}), itemJson({ petId: ABSENT, quantity: 1, status: 'available' })]);
    expect(story.broken()).toEqual(['refused-changes-nothing']);
  });
});

test('an answer to an oddly spelled update may show what another one made of it', () => {
  const story = withStore();
  const [first, second] = [70_000, 2].map((quantity) =>
    story.send(updateRequest('007', `{"quantity":${quantity}}`)),
  );
  list(story, storeWith({ 7: 70_000 }));
  const answer = itemJson({ petId: 7n, quantity: 2, status: 'pending' });
  first?.answer(200, answer);
  second?.answer(200, answer);
  expect(story.broken()).toEqual([]);
  list(story, storeWith({ 7: 2 }));
  expect(story.broken()).toEqual([]);
  list(story, storeWith({ 7: 9 }));
  expect(story.broken()).toEqual(['update-persists']);
});
