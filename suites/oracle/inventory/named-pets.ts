import { isAccepted } from '../exchange.ts';
import type { HistoryMonitor } from '../history-monitor.ts';
import { readEntries } from '../listing.ts';

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
