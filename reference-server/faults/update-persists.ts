import type { InventoryItem } from '../../contract/inventory.ts';
import { type ExactInteger, asInteger } from '../../contract/json/index.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import { type Alteration, combine } from '../alterations/alteration.ts';
import {
  changeEntriesAfterUpdate,
  changeStore,
  exactIntegerOf,
  currentEntries,
  forgetOnReplace,
  inventoryFor,
  pretendUpdate,
} from '../alterations/inventory.ts';
import { everyNth, keyOf, operationOf, stateOfEach } from '../alterations/requests.ts';
import { changeUpdateAnswers, quantityIn } from '../alterations/updates.ts';
import { changeResponses, tagLists } from '../alterations/responses.ts';
import { breaking } from './fault.ts';
import type { Answer } from '../service/answer.ts';
import type { InventoryStore } from '../service/inventory-store.ts';
import { headerOf, type ServiceRequest, type ServiceResponse } from '../service/messages.ts';
import type { ServiceParts } from '../service/service.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** Stores another quantity than the one that was sent, which is answered. */
function convertStored(change: (quantity: bigint) => bigint): Alteration {
  return changeStore((store) => ({
    setQuantity: (petId, quantity) => {
      const answered = pretendUpdate(store, petId, quantity);
      store.setQuantity(petId, exactIntegerOf(change(BigInt(quantity))));
      return answered;
    },
  }));
}

const isTwelfth = everyNth(12);

const transaction = stateOfEach(() => ({ isAborted: false }));

const lastAnswered = stateOfEach(() => ({ update: '' }));

const LATE_SECONDS = 3;

const CACHED_SECONDS = 5;

const KEPT_SECONDS = 30;

const SLOW_WRITE_MILLISECONDS = 5;

/** A quantity that a pet gets at a moment to come; `due` in Unix seconds. */
interface LaterWrite {
  readonly petId: bigint;
  readonly quantity: ExactInteger;
  readonly due: number;
}

/**
 * Has updates lead to writes at moments to come, of which nothing is seen before.
 * @param update carries an update out, and returns what is answered; it may add to what waits, and take from it
 */
function writeLater(
  update: (
    inventory: InventoryStore,
    waiting: Map<unknown, LaterWrite>,
    write: Omit<LaterWrite, 'due'>,
    now: number,
  ) => InventoryItem | undefined,
): Alteration {
  return {
    parts: ({ inventory, clock }) => {
      const waiting = new Map<unknown, LaterWrite>();
      const settled = (): InventoryStore => {
        for (const [name, { petId, quantity, due }] of waiting) {
          if (due <= clock.now()) {
            waiting.delete(name);
            inventory.setQuantity(petId, quantity);
          }
        }
        return inventory;
      };
      return {
        inventory: {
          ...inventory,
          ...forgetOnReplace(inventory, () => waiting.clear()),
          ...currentEntries(settled),
          setQuantity: (petId, quantity) => update(settled(), waiting, { petId, quantity }, clock.now()),
        },
      };
    },
  };
}

/** Undoes each update. @param momentFor when, for the one of now, both in Unix seconds */
function undoneAt(momentFor: (now: number) => number): Alteration {
  return writeLater((inventory, waiting, { petId, quantity }, now) => {
    const before = waiting.get(petId)?.quantity ?? inventory.find(petId)?.quantity;
    if (before !== undefined) {
      waiting.set(petId, { petId, quantity: before, due: momentFor(now) });
    }
    return inventory.setQuantity(petId, quantity);
  });
}

/** Undoes all updates of a period once its last second is over; periods follow one another from 1970 on. */
function undoneEvery(seconds: number): Alteration {
  return undoneAt((now) => (Math.floor(now / seconds) + 1) * seconds);
}

/**
 * Keeps lists under a label for some seconds; an update with that label forgets its list.
 * @param labelOf `undefined` for what is not kept
 */
function keepLists(
  labelOf: (request: ServiceRequest, parts: ServiceParts) => string | undefined,
  seconds = KEPT_SECONDS,
): Alteration {
  return {
    answers: (answers, parts) => {
      const kept = new Map<string, { readonly answer: Answer; readonly until: number }>();
      return {
        listInventory: async (request, segment) => {
          const label = labelOf(request, parts);
          const known = kept.get(label ?? '');
          if (label !== undefined && known !== undefined && parts.clock.now() < known.until) {
            return known.answer;
          }
          const answer = await answers.listInventory(request, segment);
          if (label !== undefined) {
            kept.set(label, { answer, until: parts.clock.now() + seconds });
          }
          return answer;
        },
        updateInventory: (request, segment) => {
          kept.delete(labelOf(request, parts) ?? '');
          return answers.updateInventory(request, segment);
        },
      };
    },
  };
}

/** Drops some updates, which are answered as if they had been carried out. */
function dropUpdates(
  start: (store: InventoryStore) => (petId: bigint, quantity: ExactInteger) => boolean,
): Alteration {
  return changeStore((store) => {
    const isDropped = start(store);
    return {
      setQuantity: (petId, quantity) =>
        isDropped(petId, quantity)
          ? pretendUpdate(store, petId, quantity)
          : store.setQuantity(petId, quantity),
    };
  });
}

/** Undoes some updates, which are answered as if they had been carried out. */
function undoUpdates(isUndone: (request: ServiceRequest, parts: ServiceParts) => boolean): Alteration {
  return changeUpdateAnswers((answer, { before, request }, parts) => {
    if (before !== undefined && isUndone(request, parts)) {
      parts.inventory.setQuantity(before.petId, before.quantity);
    }
    return answer;
  });
}

/**
 * Undoes the update that comes next after a response of a kind.
 * @param whoseOf where it has to come: the same value for both requests
 */
function undoUpdateAfter(
  isMeant: (response: ServiceResponse, request: ServiceRequest, parts: ServiceParts) => boolean,
  whoseOf: (request: ServiceRequest, parts: ServiceParts) => object | undefined = (request, parts) =>
    keyOf(parts, request),
): Alteration {
  const due = new WeakSet();
  return combine(
    undoUpdates((request, parts) => due.delete(whoseOf(request, parts) ?? request)),
    changeResponses((response, request, parts) => {
      if (isMeant(response, request, parts)) {
        due.add(whoseOf(request, parts) ?? request);
      }
      return response;
    }),
  );
}

const updatesOf = stateOfEach(() => ({ count: 0 }));

const lastUpdated = stateOfEach((): { before: InventoryItem | undefined } => ({ before: undefined }));

const undoneByUnknownPath = combine(
  changeUpdateAnswers((answer, { before }, parts) => {
    lastUpdated(parts).before = answer.status === 200 ? before : lastUpdated(parts).before;
    return answer;
  }),
  changeResponses((response, { method, target }, parts) => {
    const { before } = lastUpdated(parts);
    if (before !== undefined && parts.route(method, target).kind === 'not-found') {
      parts.inventory.setQuantity(before.petId, before.quantity);
    }
    return response;
  }),
);

export const UPDATE_PERSISTS_FAULTS = breaking('update-persists', {
  'list-tagged-by-its-length': [
    'The list has its length as ETag, and is answered 304 to that though a quantity as long was changed',
    tagLists((body) => `${Buffer.byteLength(body)}`),
  ],
  'list-tagged-by-its-sum': [
    'The list has the sum of its quantities as ETag, and is answered 304 to that though two quantities were changed',
    tagLists((body) => {
      const quantities = Buffer.from(body)
        .toString()
        .matchAll(/"quantity":(-?\d+)/g);
      return String(quantities.reduce((sum, [, quantity]) => sum + Number(quantity), 0));
    }),
  ],
  'list-tagged-by-its-last-update': [
    'The list has its last update as ETag, and is answered 304 to that though another pet was updated in between',
    combine(
      changeResponses((response, request, parts) => {
        if (response.status === 200 && operationOf(parts, request) === 'updateInventory') {
          lastAnswered(parts).update = Buffer.from(response.body).toString('base64url');
        }
        return response;
      }),
      tagLists((_body, parts) => lastAnswered(parts).update),
    ),
  ],
  'quantity-stored-in-16-bits': [
    'quantity is stored in 16 bits, and answered as it was sent',
    convertStored((quantity) => BigInt.asUintN(16, quantity)),
  ],
  'negative-quantity-kept-apart': [
    'A negative quantity is answered as it was sent, but the pet keeps its quantity',
    {
      parts: ({ readUpdate, inventory }) => ({
        readUpdate: (bytes) => {
          const quantity = asInteger(quantityIn(bytes));
          return quantity === undefined || quantity >= 0n
            ? readUpdate(bytes)
            : { quantity: exactIntegerOf(quantity) };
        },
        inventory: {
          ...inventory,
          setQuantity: (petId, quantity) =>
            quantity < 0 ? pretendUpdate(inventory, petId, quantity) : inventory.setQuantity(petId, quantity),
        },
      }),
    },
  ],
  'update-only-raises': [
    'An update to a smaller quantity is ignored',
    dropUpdates((store) => (petId, quantity) => quantity < Number(store.find(petId)?.quantity)),
  ],
  'update-lost-once-in-twelve': [
    'One update in twelve is answered but not stored',
    dropUpdates((store) => () => isTwelfth(store)),
  ],
  'second-update-ignored': [
    'Only the first update of a pet is stored',
    changeStore((store) => {
      const updated = new Set<bigint>();
      return {
        ...forgetOnReplace(store, () => updated.clear()),
        setQuantity: (petId, quantity) => {
          const isSecond = updated.has(petId);
          updated.add(petId);
          return isSecond ? pretendUpdate(store, petId, quantity) : store.setQuantity(petId, quantity);
        },
      };
    }),
  ],
  'repeated-update-from-memory': [
    'An update that repeats an earlier one of the pet is answered but not stored',
    dropUpdates(() => {
      const known = new Set<string>();
      return (petId, quantity) => {
        const update = `${petId} ${quantity}`;
        const isKnown = known.has(update);
        known.add(update);
        return isKnown;
      };
    }),
  ],
  'same-update-of-another-pet-dropped': [
    'An update to the same quantity as the previous update of another pet is answered but not stored',
    dropUpdates(() => {
      let last: { readonly petId: bigint; readonly quantity: ExactInteger } | undefined;
      return (petId, quantity) => {
        const isSame = last !== undefined && last.petId !== petId && last.quantity === quantity;
        last = { petId, quantity };
        return isSame;
      };
    }),
  ],
  'update-after-404-undone': [
    'The update after one of an unknown pet is undone',
    changeUpdateAnswers((answer, { before }, parts) => {
      const last = transaction(parts);
      if (answer.status === 200 && before !== undefined && last.isAborted) {
        parts.inventory.setQuantity(before.petId, before.quantity);
      }
      last.isAborted = answer.status === 404 || (last.isAborted && answer.status !== 200);
      return answer;
    }),
  ],
  'update-after-401-undone': [
    'The next update on a connection that was answered 401 is undone',
    undoUpdateAfter(
      ({ status }) => status === 401,
      ({ connection }) => connection,
    ),
    { excludes: ['connections'] },
  ],
  'update-after-head-undone': [
    'The next update of a key that sent HEAD is undone',
    undoUpdateAfter((_response, { method }) => method === 'HEAD'),
  ],
  'update-after-unknown-pet-read-undone': [
    'The next update of a key whose GET /pets/{petId} was answered 404 is undone',
    undoUpdateAfter(
      ({ status }, request, parts) => status === 404 && operationOf(parts, request) === 'getPet',
    ),
    { excludes: ['other operations'] },
  ],
  'update-after-closing-undone': [
    'The next update of a key that asked for its connection to be closed is undone',
    undoUpdateAfter((_response, request) => headerOf(request, 'Connection') === 'close'),
  ],
  'update-undone-by-unknown-path': [
    'A request for an unknown path undoes the update before it',
    undoneByUnknownPath,
  ],
  'update-undone-after-twenty-seconds': [
    'An update is undone after twenty seconds',
    undoneAt((now) => now + 20),
  ],
  'updates-undone-at-midnight': ['At midnight all updates of the day are undone', undoneEvery(DAY_SECONDS)],
  'updates-undone-every-half-minute': [
    'Every half minute all updates since the last one are undone',
    undoneEvery(MINUTE_SECONDS / 2),
  ],
  'update-to-zero-removes': [
    'An update to 0 removes the pet from the list',
    changeEntriesAfterUpdate((items, petId, quantity) =>
      quantity === 0 ? items.filter((item) => item.petId !== petId) : items,
    ),
  ],
  'update-stored-late': [
    'An update is stored three seconds after it is answered',
    writeLater((inventory, waiting, write, now) => {
      waiting.set(write, { ...write, due: now + LATE_SECONDS });
      return pretendUpdate(inventory, write.petId, write.quantity);
    }),
  ],
  'list-cached-for-seconds': [
    'The list is cached for five seconds, whatever is updated',
    keepLists(({ method }) => (method === 'PATCH' ? undefined : 'all'), CACHED_SECONDS),
    { alsoBreaks: ['list-complete'] },
  ],
  'list-for-gzip-cached-for-seconds': [
    'The list is cached for five seconds for those who accept gzip',
    keepLists(
      (request) =>
        request.method !== 'PATCH' && /gzip/.test(headerOf(request, 'Accept-Encoding') ?? '')
          ? 'gzip'
          : undefined,
      CACHED_SECONDS,
    ),
  ],
  'list-kept-for-each-key': [
    'The list is cached for each key until that key updates a pet, for half a minute at most',
    keepLists((request, parts) => keyOf(parts, request)?.key ?? ''),
  ],
  'list-with-query-kept': [
    'A list that was requested with a query string is cached for half a minute',
    keepLists(({ target }) => /\?.+/s.exec(target)?.[0]),
    { excludes: ['query parameters'] },
  ],
  'pet-read-undoes-updates': [
    'GET /pets/{petId} restores the quantity that the pet had before',
    {
      answers: (answers, { inventory, readPetId }) => {
        const first = new Map<string, InventoryItem>();
        return {
          updateInventory: (request, segment) => {
            const item = inventory.find(readPetId(segment) ?? 0n);
            if (item !== undefined && !first.has(segment)) {
              first.set(segment, item);
            }
            return answers.updateInventory(request, segment);
          },
          getPet: (request, segment) => {
            const item = first.get(segment);
            if (item !== undefined) {
              inventory.setQuantity(item.petId, item.quantity);
            }
            return answers.getPet(request, segment);
          },
        };
      },
    },
    { excludes: ['other operations'] },
  ],
  'last-update-of-a-minute-not-stored': [
    'An update that spends the last request of a minute is answered, and the pet keeps its quantity',
    undoUpdates((request, parts) => {
      const key = keyOf(parts, request);
      return key !== undefined && parts.limiter.look(key, parts.clock.now()).minute.remaining === 0;
    }),
  ],
  'first-update-of-a-renewed-minute-not-stored': [
    'An update with the first request of a minute is answered, and the pet keeps its quantity; not the first of its key',
    undoUpdates((request, parts) => {
      const key = keyOf(parts, request);
      if (key === undefined) {
        return false;
      }
      const updates = updatesOf(key);
      updates.count += 1;
      const { limit, remaining } = parts.limiter.look(key, parts.clock.now()).minute;
      return updates.count > 1 && remaining === limit - 1;
    }),
  ],
  'update-after-429-undone': [
    'The next update of a key that was answered 429 is undone',
    undoUpdateAfter(({ status }) => status === 429),
  ],
  'update-in-chunks-not-stored': [
    'An update in chunks is answered, and the pet keeps its quantity',
    undoUpdates((request) => headerOf(request, 'Transfer-Encoding') !== undefined),
    { excludes: ['request length'] },
  ],
  'update-seen-by-its-key-only': ['Each key has its own inventory', inventoryFor(({ key }) => key)],
  'update-seen-by-its-plan-only': ['Each plan has its own inventory', inventoryFor(({ plan }) => plan)],
  'concurrent-update-lost': [
    'Only the last of several simultaneous updates is kept',
    {
      answers: (answers, { inventory, readPetId }) => ({
        updateInventory: async (request, segment) => {
          const before = inventory.list();
          const answer = await answers.updateInventory(request, segment);
          const updated = inventory.find(readPetId(segment) ?? 0n);
          if (answer.status === 200 && updated !== undefined) {
            await delay(SLOW_WRITE_MILLISECONDS);
            inventory.replace(before.map((item) => (item.petId === updated.petId ? updated : item)));
          }
          return answer;
        },
      }),
    },
    {
      // Then no two are under way.
      excludes: ['one-request-at-a-time'],
    },
  ],
});
