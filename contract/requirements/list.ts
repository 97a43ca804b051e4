import type { RequirementRow } from './row.ts';

const LIST = 'Endpoints, GET /inventory';
const ITEM = 'Resources and their fields, InventoryItem';

export const LIST_ROWS = [
  {
    id: 'list-succeeds',
    clause: LIST,
    level: 'must',
    statement: 'With a valid key GET /inventory is answered 200 with a JSON array of InventoryItem objects.',
    reading:
      'A redirect is no answer, not even one to another spelling of the path. A redirect to another host, scheme or base path is told as a wrong base address instead.',
  },
  {
    id: 'list-complete',
    clause: LIST,
    level: 'must',
    statement: 'The list holds the stock level of every pet in the store.',
    reading:
      'Judged where the suite knows the store: after it set the inventory through the control URL, and for every pet that the configuration names or that it updated. Pagination is not shown, so a list cut off at some length is incomplete.',
  },
  {
    id: 'list-one-entry-per-pet',
    clause: LIST,
    level: 'must',
    statement: 'Each pet stands in the list once.',
  },
  {
    id: 'item-pet-id',
    clause: ITEM,
    level: 'must',
    statement:
      'petId is present and an integer that fits int64, with every digit right, in the list and in the answer to an update.',
  },
  {
    id: 'item-quantity',
    clause: ITEM,
    level: 'must',
    statement: 'quantity is present and an integer.',
  },
  {
    id: 'item-status',
    clause: ITEM,
    level: 'must',
    statement: 'status is present and one of available, pending, sold, spelled so.',
  },
  {
    id: 'list-order',
    clause: LIST,
    level: 'observe',
    statement: 'In which order the list stands.',
  },
  {
    id: 'query-parameters',
    clause: LIST,
    level: 'observe',
    statement: 'What unknown query parameters on the list do.',
  },
  {
    id: 'extra-members',
    clause: ITEM,
    level: 'observe',
    statement: 'Which further members items and errors hold.',
  },
] as const satisfies readonly RequirementRow[];
