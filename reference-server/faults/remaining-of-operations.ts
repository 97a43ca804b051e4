import type { Alteration } from '../alterations/alteration.ts';
import { changeResponses, operationOf } from '../alterations/response-changes.ts';
import type { RoutedOperation } from '../service/router.ts';
import { createTwins, showOtherCounts } from '../alterations/decision-changes.ts';
import type { Fault } from './fault.ts';
import { setHeader } from './rate-limit-headers.ts';

/** Variants under which no request for the orders is accepted. */
const NO_ORDERS = ['other-operations-404', 'orders-403'];

/** Operations that X-RateLimit-Remaining does not know of each other. */
export const REMAINING_OF_OPERATIONS_FAULTS: readonly Fault[] = [
  {
    id: 'remaining-of-operation',
    title: 'X-RateLimit-Remaining is counted for each operation on its own',
    breaks: 'remaining-counts-operations',
    alter: showOtherCounts((parts) => {
      const twinOf = createTwins();
      return (key, request) => ({ shown: twinOf(key, operationOf(parts, request) ?? ''), counts: true });
    }),
  },
  uncounted(
    'remaining-ignores-updates',
    'X-RateLimit-Remaining does not fall for updates',
    'updateInventory',
  ),
  {
    ...uncounted(
      'remaining-ignores-orders',
      'X-RateLimit-Remaining does not fall for GET /store/orders',
      'listOrders',
    ),
    excludes: NO_ORDERS,
  },
  {
    id: 'remaining-constant-on-orders',
    excludes: NO_ORDERS,
    title: 'X-RateLimit-Remaining is always 42 on GET /store/orders',
    breaks: 'remaining-counts-operations',
    alter: changeResponses(
      (parts) => (response, request) =>
        operationOf(parts, request) === 'listOrders' && response.status < 300
          ? setHeader(response, 'X-RateLimit-Remaining', () => '42')
          : response,
    ),
  },
];

function uncounted(id: string, title: string, ignored: RoutedOperation): Fault {
  const alter: Alteration = showOtherCounts((parts) => {
    const twinOf = createTwins();
    return (key, request) => ({
      shown: twinOf(key, 'shown'),
      counts: operationOf(parts, request) !== ignored,
    });
  });
  return { id, title, breaks: 'remaining-counts-operations', alter };
}
