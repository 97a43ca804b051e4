import type { InventoryItem } from '../../contract/inventory.ts';
import { MINUTE_SECONDS } from '../../contract/plans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { answerInstead, changeLimitAnswers, redirect } from '../alterations/answers.ts';
import { changeEntries, changeList, changeStore, forgetOnReplace } from '../alterations/inventory.ts';
import { everyNth, keyOf, operationOf } from '../alterations/requests.ts';
import {
  type Condition,
  answerWhere,
  changeWhere,
  dropConnections,
  withBody,
} from '../alterations/responses.ts';
import { type Fault, breaking } from './fault.ts';
import { type Answer, answerWith } from '../service/answer.ts';
import type { KeyRecord } from '../service/key-store.ts';
import { headerOf, withHeader, type ServiceRequest } from '../service/messages.ts';
import type { ServiceParts } from '../service/service.ts';

/** Answers the list by other means. */
function answerList(
  change: (answer: Answer, parts: ServiceParts, request: ServiceRequest) => Answer,
): Alteration {
  return {
    answers: ({ listInventory }, parts) => ({
      listInventory: async (request, segment) =>
        change(await listInventory(request, segment), parts, request),
    }),
  };
}

/** Lists that were asked for in a way. */
function lists(isMeant: (request: ServiceRequest) => boolean): Condition {
  return ({ status }, request, parts) =>
    status === 200 && operationOf(parts, request) === 'listInventory' && isMeant(request);
}

function refuseListsWith(field: string): Alteration {
  return answerList((answer, parts, request) =>
    headerOf(request, field) === undefined ? answer : answerInstead(400, parts),
  );
}

function withoutStock(item: InventoryItem): InventoryItem {
  return { ...item, quantity: 0 };
}

const windows = new WeakMap<KeyRecord, { readonly from: number; readonly isRenewed: boolean }>();

const isTenth = everyNth(10);

/** Once the first minute of a key is over, serves only the first second of each further one. */
const breakRenewedWindows = answerWhere(500, (_response, request, parts) => {
  const key = keyOf(parts, request);
  const now = parts.clock.now();
  const window = key === undefined ? undefined : windows.get(key);
  if (key !== undefined && (window === undefined || now >= window.from + MINUTE_SECONDS)) {
    windows.set(key, { from: now, isRenewed: window !== undefined });
    return false;
  }
  return window?.isRenewed === true && now > window.from + 1;
});

export const LIST_FAULTS: readonly Fault[] = [
  ...breaking('list-succeeds', {
    'renewed-window-breaks-after-a-second': [
      'Each minute of a key but the first is answered 500 from its second second on',
      breakRenewedWindows,
    ],
    'list-wrapped-in-items': [
      'The list is nested in a member of an object',
      changeList((items) => ({ items })),
    ],
    'list-with-null': ['The list ends with a null', changeList((list) => [...list, null])],
    'valid-key-answered-500': [
      'Every request with a valid key is answered 500',
      changeWhere(
        (_response, request, parts) => keyOf(parts, request) !== undefined,
        (response, parts) => withBody({ ...response, status: 500 }, answerInstead(500, parts).body),
      ),
    ],
    'list-refused-with-cache-control': [
      'The list is answered 400 if the request has a Cache-Control field',
      refuseListsWith('Cache-Control'),
    ],
    'list-refused-with-content-type': [
      'The list is answered 400 if the request has a Content-Type field, though no content',
      refuseListsWith('Content-Type'),
    ],
    'list-refused-for-any-media-type': [
      'The list is answered 406 if Accept is */*',
      answerWhere(
        406,
        lists((request) => headerOf(request, 'Accept') === '*/*'),
      ),
    ],
    'list-as-html-for-browsers': [
      'The list is answered as HTML to browsers',
      changeWhere(
        lists((request) => headerOf(request, 'User-Agent')?.startsWith('Mozilla') === true),
        (response) => withBody(withHeader(response, 'Content-Type', 'text/html'), '<ul></ul>'),
      ),
    ],
    'list-unchanged-for-any-tag': [
      'The list is answered 304 to any If-None-Match',
      changeWhere(
        lists((request) => headerOf(request, 'If-None-Match') !== undefined),
        (response) => ({ ...withBody(response, ''), status: 304 }),
      ),
    ],
    'list-closed-on-good-keys': [
      'GET /inventory with a good key is answered by closing the connection',
      dropConnections(
        (request, parts) =>
          operationOf(parts, request) === 'listInventory' && keyOf(parts, request) !== undefined,
        'goes on',
      ),
    ],
    'list-of-one-not-an-array': [
      'The list of an inventory with one entry is that entry itself',
      changeList((list) => (list.length === 1 ? (list[0] ?? null) : list)),
    ],
    'empty-list-null': [
      'The list of an empty inventory is null',
      changeList((list) => (list.length === 0 ? null : list)),
    ],
    'long-list-fails': [
      'A list of more than a thousand entries is answered 500',
      answerList((answer, parts) =>
        parts.inventory.list().length > 1_000 ? answerInstead(500, parts) : answer,
      ),
    ],
    'list-redirected-to-a-slash': [
      'GET /inventory is redirected to /inventory/',
      redirect('listInventory', 308, (path) => `${path}/`),
      { excludes: ['trailing-slashes-404'] },
    ],
    'list-redirected-to-a-query': [
      'GET /inventory is redirected to the same path with a query',
      redirect('listInventory', 302, (path) => `${path}?page=1`),
    ],
    'limit-answered-200-with-error': [
      'A request beyond a limit is answered 200 with an Error object whose status is 429',
      changeLimitAnswers((answer) => ({ ...answer, status: 200 })),
      { alsoBreaks: ['minute-limit-free'] },
    ],
  }),
  ...breaking('list-complete', {
    'list-cut-off-at-ten': ['The list ends after ten entries', changeEntries((items) => items.slice(0, 10))],
    'list-cut-off-at-thousand': [
      'The list ends after a thousand entries',
      changeEntries((items) => items.slice(0, 1_000)),
    ],
    'list-lacks-last-entry': ['The list lacks its last entry', changeEntries((items) => items.slice(0, -1))],
    'list-hides-zero': [
      'The list hides entries without stock',
      changeEntries((items) => items.filter(({ quantity }) => quantity !== 0)),
      { alsoBreaks: ['update-persists'] },
    ],
    'list-hides-pet-0': [
      'The list hides the pet 0',
      changeEntries((items) => items.filter(({ petId }) => petId !== 0n)),
      { alsoBreaks: ['update-persists'] },
    ],
    'list-merges-equal-doubles': [
      'The list shows only one of the entries whose petIds are the same double',
      changeEntries((items) => [...new Map(items.map((item) => [Number(item.petId), item])).values()]),
    ],
    'list-lacks-entry-once-in-ten': [
      'One list in ten lacks its first entry',
      answerList((answer, parts) =>
        isTenth(parts)
          ? answerWith(
              answer.status,
              parts.representation.inventory(parts.inventory.list().slice(1)),
              answer.headers,
            )
          : answer,
      ),
    ],
    'list-shows-old-quantities-as-zero': [
      'The list shows 0 for a pet that was never updated',
      changeStore((store) => {
        const updated = new Set<bigint>();
        return {
          ...forgetOnReplace(store, () => updated.clear()),
          list: () => store.list().map((item) => (updated.has(item.petId) ? item : withoutStock(item))),
          setQuantity: (petId, quantity) => {
            updated.add(petId);
            return store.setQuantity(petId, quantity);
          },
        };
      }),
    ],
  }),
  ...breaking('list-one-entry-per-pet', {
    'list-repeats-first-entry': [
      'The first entry is repeated at the end of the list',
      changeEntries((items) => [...items, ...items.slice(0, 1)]),
    ],
    'list-repeats-updated-entry': [
      'An updated entry is listed a second time with its old quantity',
      changeStore((store) => {
        const earlier = new Map<bigint, InventoryItem>();
        return {
          ...forgetOnReplace(store, () => earlier.clear()),
          list: () => [...store.list(), ...earlier.values()],
          setQuantity: (petId, quantity) => {
            const found = store.find(petId);
            if (found !== undefined) {
              earlier.set(petId, found);
            }
            return store.setQuantity(petId, quantity);
          },
        };
      }),
    ],
    'long-list-repeats-at-page-boundary': [
      'Every hundredth entry is listed twice',
      changeList((list) => list.flatMap((item, index) => (index % 100 === 99 ? [item, item] : [item]))),
    ],
  }),
];
