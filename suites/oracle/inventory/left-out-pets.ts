import type { PetIds } from '../inventory-list.ts';
import { isAccepted, type Exchange } from '../exchange.ts';
import type { HistoryMonitor } from '../history-monitor.ts';
import { readEntries } from '../listing.ts';
import { readRequest } from '../answers/permitted-answers.ts';

/** What somebody says is in the inventory is in the list. No operation removes a pet. */
export const namedPetsMonitor: HistoryMonitor = {
  id: 'named-pets',
  title: 'The list holds the pets that the configuration names as existing',
  judges: ['list-complete'],
  open: (_context, report) => {
    let named: ReadonlySet<bigint> = new Set();
    return (event) => {
      switch (event.type) {
        case 'pets-named':
          named = event.petIds;
          break;
        case 'inventory-replacement-begun':
          named = new Set();
          break;
        case 'response-received': {
          const { exchange } = event;
          const isList = exchange.request.operation === 'listInventory' && isAccepted(exchange);
          const entries = isList && named.size > 0 ? readEntries(exchange) : undefined;
          for (const petId of entries === undefined ? [] : named) {
            report.judge(
              'list-complete',
              entries?.petIds.has(petId) === true,
              () => `Pet ${petId}, which the configuration names as existing, is not in the list.`,
              exchange,
            );
          }
          break;
        }
        default:
      }
    };
  },
};

const NO_QUANTITY = '{}';

/** What a history with whole lists shows of pets that left the list. */
interface Lists {
  /** Those of the first list, and of the latest. */
  readonly first: PetIds;
  readonly latest: PetIds;
}

/**
 * A pet that left the list, and is still in the store, was removed by nobody. Whether it is there, an update without a
 * quantity tells, which changes nothing, if it is answered otherwise than that of a pet that never was there.
 */
export const hiddenPetsMonitor: HistoryMonitor = {
  id: 'hidden-pets',
  title: 'A pet that is still in the store does not leave the list',
  judges: ['update-touches-one-entry'],
  open: (context, report) => {
    let lists: Lists | null = null;
    let isUnknownToldApart = false;
    const hidden = new Map<bigint, Exchange>();
    const begin = (): void => {
      lists = null;
      isUnknownToldApart = false;
      hidden.clear();
    };
    const noteUpdate = (petId: bigint, exchange: Exchange): void => {
      const { status } = exchange.response;
      const isMissing = lists?.latest.has(petId) === false;
      const wasThere = lists?.first.has(petId) === true;
      isUnknownToldApart ||= isMissing && !wasThere && status === 404;
      if (isMissing && wasThere && status === 400) {
        hidden.set(petId, exchange);
      }
    };
    const noteList = (exchange: Exchange): void => {
      const entries = readEntries(exchange);
      if (entries?.isWhole !== true) {
        return;
      }
      const { petIds } = entries;
      lists = { first: lists?.first ?? petIds, latest: petIds };
      const [lost] = isUnknownToldApart ? [...hidden].filter(([petId]) => !petIds.has(petId)) : [];
      if (lost !== undefined) {
        const [petId, update] = lost;
        const message = () =>
          `Pet ${petId} left the list with updates of other pets, though it is still in the store: an update of it without a quantity is answered 400, and that of an unknown pet 404.`;
        report.judge('update-touches-one-entry', false, message, update, exchange);
        hidden.clear();
      }
    };
    return (event) => {
      if (event.type === 'inventory-replacement-begun') {
        begin();
      } else if (event.type === 'response-received') {
        const { exchange } = event;
        const sent = context.requestOf(event.id)?.request;
        if (sent?.operation === 'listInventory' && isAccepted(exchange)) {
          noteList(exchange);
        } else if (sent?.body?.length === NO_QUANTITY.length && String(sent.body) === NO_QUANTITY) {
          const { target } = readRequest(sent);
          const petId = target.kind === 'undocumented' ? null : target.petId;
          if (typeof petId === 'bigint') {
            noteUpdate(petId, exchange);
          }
        }
      }
    };
  },
};
