import { setTimeout as delay } from 'node:timers/promises';

import { DAY_SECONDS } from '../../contract/plans.ts';
import type { InventoryItem } from '../../contract/inventory.ts';
import type { ExactInteger } from '../../contract/lossless-json.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { answerWith, type Answer } from '../service/answer.ts';
import { createHandlers, type Handlers } from '../service/handlers.ts';
import { createInventoryStore, type InventoryStore } from '../service/inventory-store.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceRequest } from '../service/messages.ts';
import { keyOf, everyNth } from '../alterations/response-changes.ts';
import type { ServiceParts } from '../service/service.ts';
import type { Fault } from './fault.ts';
import {
  changeStore,
  forgetOnReplace,
  neighbourOf,
  pretendUpdate,
} from '../alterations/inventory-changes.ts';

const LATE_SECONDS = 3;
const CACHED_SECONDS = 5;
const KEPT_SECONDS = 30;
const SLOW_WRITE_MILLISECONDS = 5;

const NEXT_STATUS = { available: 'pending', pending: 'sold', sold: 'available' } as const;

/** Stores the sum of the old and the new quantity for some updates. */
function addQuantity(isMeant: (quantity: number, before: number) => boolean): Alteration {
  return changeStore((store) => ({
    setQuantity: (petId, quantity) => {
      const before = Number(store.find(petId)?.quantity ?? 0);
      const isAdded = isMeant(Number(quantity), before);
      return store.setQuantity(petId, isAdded ? before + Number(quantity) : quantity);
    },
  }));
}

/** Carries an update out and then does something to the other entries. */
function afterUpdate(
  change: (
    items: readonly InventoryItem[],
    petId: bigint,
    quantity: ExactInteger,
  ) => readonly InventoryItem[],
): Alteration {
  return changeStore((store) => ({
    setQuantity: (petId, quantity) => {
      const updated = store.setQuantity(petId, quantity);
      if (updated !== undefined) {
        store.replace(change(store.list(), petId, quantity));
      }
      return updated;
    },
  }));
}

/** Changes the entry after the one that was updated. */
function changeNeighbour(change: (neighbour: InventoryItem) => readonly InventoryItem[]): Alteration {
  return afterUpdate((items, petId) => {
    const neighbour = neighbourOf(items, petId);
    return items.flatMap((item) => (item === neighbour ? change(item) : [item]));
  });
}

/**
 * Keeps lists under a label for half a minute; an update with that label forgets its list.
 * @param labelOf `undefined` for what is not kept
 */
function keepLists(
  labelOf: (request: ServiceRequest, parts: ServiceParts) => string | undefined,
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
            kept.set(label, { answer, until: parts.clock.now() + KEPT_SECONDS });
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

/** A store of its own that begins with the entries of another, and anew whenever those are replaced. */
function createPrivateStore(shared: InventoryStore): InventoryStore {
  const own = createInventoryStore(shared.list());
  let seen = shared.version();
  const current = (): InventoryStore => {
    if (shared.version() !== seen) {
      seen = shared.version();
      own.replace(shared.list());
    }
    return own;
  };
  return {
    ...own,
    find: (petId) => current().find(petId),
    list: () => current().list(),
    version: () => current().version(),
    setQuantity: (petId, quantity) => current().setQuantity(petId, quantity),
  };
}

/** Keeps an inventory for each group of keys. */
function inventoryFor(groupOf: (key: KeyRecord) => string): Alteration {
  return {
    answers: (_answers, parts) => {
      const handlers = new Map<string, Handlers>();
      const handlersFor = (request: ServiceRequest): Handlers => {
        const key = keyOf(parts, request);
        const group = key === undefined ? '' : groupOf(key);
        const found =
          handlers.get(group) ?? createHandlers({ ...parts, inventory: createPrivateStore(parts.inventory) });
        handlers.set(group, found);
        return found;
      };
      return {
        listInventory: (request, segment) => handlersFor(request).listInventory(request, segment),
        updateInventory: (request, segment) => handlersFor(request).updateInventory(request, segment),
      };
    },
  };
}

/**
 * Leaves the last entry that was not updated out of lists, once there was an update.
 * @param whoseOf whose lists lack it; the same value for the update and for the lists
 */
function hideAfterUpdate(
  whoseOf: (request: ServiceRequest, parts: ServiceParts) => object | undefined,
): Alteration {
  return {
    answers: (answers, parts) => {
      const updated = new WeakMap<object, Set<bigint>>();
      return {
        updateInventory: async (request, segment) => {
          const answer = await answers.updateInventory(request, segment);
          const whose = whoseOf(request, parts);
          const petId = parts.readPetId(segment);
          if (answer.status === 200 && whose !== undefined && petId !== undefined) {
            updated.set(whose, new Set([...(updated.get(whose) ?? []), petId]));
          }
          return answer;
        },
        listInventory: (request, segment) => {
          const own = updated.get(whoseOf(request, parts) ?? {});
          const items = parts.inventory.list();
          const hidden = own === undefined ? undefined : items.findLast(({ petId }) => !own.has(petId));
          return hidden === undefined
            ? answers.listInventory(request, segment)
            : answerWith(200, parts.representation.inventory(items.filter((item) => item !== hidden)));
        },
      };
    },
  };
}

export const UPDATE_FAULTS: readonly Fault[] = [
  {
    id: 'update-adds',
    title: 'An update adds to the quantity',
    breaks: 'update-sets',
    alter: addQuantity(() => true),
  },
  {
    id: 'update-to-same-quantity-doubles',
    title: 'An update to the quantity that the pet has already is added to it',
    breaks: 'update-sets',
    alter: addQuantity((quantity, before) => quantity === before),
  },
  {
    id: 'update-only-raises',
    title: 'An update to a smaller quantity is ignored',
    breaks: 'update-persists',
    alter: dropUpdates((store) => (petId, quantity) => quantity < Number(store.find(petId)?.quantity)),
  },
  {
    id: 'update-lost-once-in-twelve',
    title: 'One update in twelve is answered and not stored',
    breaks: 'update-persists',
    alter: dropUpdates(() => everyNth(12)),
  },
  {
    id: 'second-update-ignored',
    title: 'Only the first update of a pet is stored',
    breaks: 'update-persists',
    alter: changeStore((store) => {
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
  },
  {
    id: 'repeated-update-from-memory',
    title: 'An update that a pet has had before is answered and not stored',
    breaks: 'update-persists',
    alter: dropUpdates(() => {
      const known = new Set<string>();
      return (petId, quantity) => {
        const update = `${petId} ${quantity}`;
        const isKnown = known.has(update);
        known.add(update);
        return isKnown;
      };
    }),
  },
  {
    id: 'same-update-of-another-pet-dropped',
    title: 'An update to the same quantity as that of another pet just before is answered and not stored',
    breaks: 'update-persists',
    alter: dropUpdates(() => {
      let last: { readonly petId: bigint; readonly quantity: ExactInteger } | undefined;
      return (petId, quantity) => {
        const isSame = last !== undefined && last.petId !== petId && last.quantity === quantity;
        last = { petId, quantity };
        return isSame;
      };
    }),
  },
  {
    id: 'update-after-404-undone',
    title: 'The update after one of an unknown pet is undone',
    breaks: 'update-persists',
    alter: {
      answers: (answers, { inventory, readPetId }) => {
        let isAborted = false;
        return {
          updateInventory: async (request, segment) => {
            const before = inventory.find(readPetId(segment) ?? 0n);
            const answer = await answers.updateInventory(request, segment);
            if (answer.status === 200 && before !== undefined && isAborted) {
              inventory.setQuantity(before.petId, before.quantity);
            }
            isAborted = answer.status === 404 || (isAborted && answer.status !== 200);
            return answer;
          },
        };
      },
    },
  },
  {
    id: 'updates-undone-at-midnight',
    title: 'At midnight all updates of the day are undone',
    breaks: 'update-persists',
    alter: {
      parts: ({ inventory, clock }) => {
        const first = new Map<bigint, ExactInteger>();
        let day = Math.floor(clock.now() / DAY_SECONDS);
        const ofToday = (): InventoryStore => {
          const today = Math.floor(clock.now() / DAY_SECONDS);
          if (today !== day) {
            day = today;
            for (const [petId, quantity] of first) {
              inventory.setQuantity(petId, quantity);
            }
            first.clear();
          }
          return inventory;
        };
        return {
          inventory: {
            ...inventory,
            ...forgetOnReplace(inventory, () => first.clear()),
            find: (petId) => ofToday().find(petId),
            list: () => ofToday().list(),
            version: () => ofToday().version(),
            setQuantity: (petId, quantity) => {
              const before = ofToday().find(petId)?.quantity;
              if (before !== undefined && !first.has(petId)) {
                first.set(petId, before);
              }
              return inventory.setQuantity(petId, quantity);
            },
          },
        };
      },
    },
  },
  {
    id: 'update-to-zero-removes',
    title: 'An update to 0 removes the pet from the list',
    breaks: 'update-persists',
    alter: afterUpdate((items, petId, quantity) =>
      quantity === 0 ? items.filter((item) => item.petId !== petId) : items,
    ),
  },
  {
    id: 'update-stored-late',
    title: 'An update is stored three seconds after it is answered',
    breaks: 'update-persists',
    alter: {
      parts: ({ inventory, clock }) => {
        let waiting: { readonly petId: bigint; readonly quantity: ExactInteger; readonly due: number }[] = [];
        const settled = (): InventoryStore => {
          const due = waiting.filter((write) => write.due <= clock.now());
          waiting = waiting.filter((write) => !due.includes(write));
          for (const { petId, quantity } of due) {
            inventory.setQuantity(petId, quantity);
          }
          return inventory;
        };
        return {
          inventory: {
            ...inventory,
            ...forgetOnReplace(inventory, () => {
              waiting = [];
            }),
            find: (petId) => settled().find(petId),
            list: () => settled().list(),
            version: () => settled().version(),
            setQuantity: (petId, quantity) => {
              waiting.push({ petId, quantity, due: clock.now() + LATE_SECONDS });
              return pretendUpdate(inventory, petId, quantity);
            },
          },
        };
      },
    },
  },
  {
    id: 'list-cached-for-seconds',
    title: 'The list is kept for five seconds, whatever is updated',
    breaks: 'update-persists',
    alter: {
      answers: (answers, { clock }) => {
        let kept: Answer | undefined;
        let until = Number.NEGATIVE_INFINITY;
        return {
          listInventory: async (request, segment) => {
            if (kept === undefined || clock.now() >= until) {
              kept = await answers.listInventory(request, segment);
              until = clock.now() + CACHED_SECONDS;
            }
            return kept;
          },
        };
      },
    },
  },
  {
    id: 'list-kept-for-each-key',
    title: 'The list is kept for each key until that key updates a pet, for half a minute at most',
    breaks: 'update-persists',
    alter: keepLists((request, parts) => keyOf(parts, request)?.key ?? ''),
  },
  {
    id: 'list-with-query-kept',
    title: 'A list that was asked for with a query string is kept for half a minute',
    breaks: 'update-persists',
    excludes: ['query parameters'],
    alter: keepLists(({ target }) => /\?.+/s.exec(target)?.[0]),
  },
  {
    id: 'pet-read-undoes-updates',
    title: 'GET /pets/{petId} puts the quantity back that the pet had before',
    breaks: 'update-persists',
    excludes: ['other operations'],
    alter: {
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
  },
  {
    id: 'update-seen-by-its-key-only',
    title: 'Each key has its own inventory',
    breaks: 'update-persists',
    alter: inventoryFor(({ key }) => key),
  },
  {
    id: 'update-seen-by-its-plan-only',
    title: 'Each plan has its own inventory',
    breaks: 'update-persists',
    alter: inventoryFor(({ plan }) => plan),
  },
  {
    id: 'concurrent-update-lost',
    title: 'Of updates of several pets at once only the last is kept',
    breaks: 'update-persists',
    // Then no two are under way.
    excludes: ['one-request-at-a-time'],
    alter: {
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
  },
  {
    id: 'update-changes-status-of-neighbour',
    title: 'An update changes the status of the next pet',
    breaks: 'update-touches-one-entry',
    alter: changeNeighbour((item) => [{ ...item, status: NEXT_STATUS[item.status] }]),
  },
  {
    id: 'update-removes-neighbour',
    title: 'An update removes the next pet',
    breaks: 'update-touches-one-entry',
    alter: changeNeighbour(() => []),
  },
  {
    id: 'list-lacks-entry-after-own-update',
    title: 'Once a key has updated a pet, its lists lack the last other entry',
    breaks: 'update-touches-one-entry',
    alter: hideAfterUpdate((request, parts) => keyOf(parts, request)),
  },
  {
    id: 'list-lacks-entry-after-any-update',
    title: 'Once a pet was updated, all lists lack the last other entry',
    breaks: 'update-touches-one-entry',
    alter: hideAfterUpdate((_request, parts) => parts),
  },
  {
    id: 'update-adds-neighbour',
    title: 'An update puts the pet into the list under the petId before it too',
    breaks: 'update-touches-one-entry',
    alter: afterUpdate((items, petId) => {
      const updated = items.find((item) => item.petId === petId);
      const isFree = items.every((item) => item.petId !== petId - 1n);
      return updated !== undefined && isFree ? [...items, { ...updated, petId: petId - 1n }] : items;
    }),
  },
  {
    id: 'update-changes-all',
    title: 'An update sets the quantity of every pet of the same status',
    breaks: 'update-touches-one-entry',
    alter: afterUpdate((items, petId, quantity) => {
      const status = items.find((item) => item.petId === petId)?.status;
      return items.map((item) => (item.status === status ? { ...item, quantity } : item));
    }),
  },
  {
    id: 'update-changes-neighbour-once-in-ten',
    title: 'One update in ten sets the next pet to the same quantity too',
    breaks: 'update-touches-one-entry',
    alter: {
      parts: (parts) => {
        const isNext = everyNth(10);
        const { parts: change } = afterUpdate((items, petId, quantity) => {
          const neighbour = isNext() ? neighbourOf(items, petId) : undefined;
          return items.map((item) => (item === neighbour ? { ...item, quantity } : item));
        });
        return { ...change?.(parts) };
      },
    },
  },
];
