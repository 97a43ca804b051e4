import type { InventoryItem } from '../../../contract/inventory.ts';
import type { InventoryList } from '../inventory-list.ts';
import type { ListAccusation } from './deviation.ts';
import { entriesOf, isClaimed, type KnownStore } from './known-store.ts';
import { isEarlierQuantity, isSame, mayStandAt, type ReadSpan } from './possible-entries.ts';

const MOST_PATHS = 100;

/**
 * Judges lists under other spellings of the path, such as with a query. What such a path shows is open; if it showed
 * the list once, what it shows of a pet later has to be how the pet stands.
 */
export function judgeSpelledLists(
  store: KnownStore,
): (path: string, list: InventoryList, span: ReadSpan) => ListAccusation | undefined {
  const paths = new Set<string>();
  return (path, list, span) => {
    const { isOurs, entries, since, wild } = store;
    if (!isOurs || entries === null || span.sentAt <= since || wild.size > 0) {
      return undefined;
    }
    const wrong = list.items.values().find((item) => !mayBeListed(store, item, span));
    if (wrong === undefined) {
      if (list.items.size === entries.size && list.items.size > 0 && paths.size < MOST_PATHS) {
        paths.add(path);
      }
      return undefined;
    }
    if (!paths.delete(path)) {
      return undefined;
    }
    const isUpdated = store.written.get(wrong.petId)?.isUpdated === true;
    return {
      requirement: isUpdated ? 'update-persists' : 'list-complete',
      message: `GET ${path} showed the list before, and now shows pet ${wrong.petId} with ${wrong.quantity} ${wrong.status}, which it cannot have.`,
      cause: undefined,
    };
  };
}

function mayBeListed(store: KnownStore, item: InventoryItem, span: ReadSpan): boolean {
  if (store.doubtful.has(item.petId) || !isClaimed(store, item.petId)) {
    return true;
  }
  const known = store.written.has(item.petId) ? undefined : store.entries?.get(item.petId);
  if (known !== undefined && isSame(known, item)) {
    return true;
  }
  const possible = entriesOf(store, item.petId);
  if (possible === undefined) {
    return false;
  }
  // Somebody else may write to a claimed pet, but would hardly set it to what it stood at before.
  const isOther = store.claimed !== null && !isEarlierQuantity(possible, Number(item.quantity), 'lately');
  return isOther || mayStandAt(possible, item, span);
}
