import type { RequirementRow } from './row.ts';

/** What an InventoryItem consists of. */
export const ITEM_MEMBERS = ['item-pet-id', 'item-quantity', 'item-status'] as const;

const LIST = 'Endpoints, GET /inventory';
const ITEM = 'Resources and their fields, InventoryItem';

export const LIST_ROWS = [
  {
    id: 'list-succeeds',
    clause: LIST,
    level: 'must',
    statement: 'GET /inventory with a valid key is answered 200 with a JSON array of InventoryItem objects.',
    quotes: ['Response 200: JSON array of InventoryItem objects.'],
    reading:
      'A redirect does not count as an answer, not even a redirect to another spelling of the path. A redirect to another host, scheme or base path is reported as a wrong base address instead.',
    dependsOn: ['valid-key-accepted', 'ban-answer', 'refusal-is-429'],
  },
  {
    id: 'list-complete',
    clause: LIST,
    level: 'must',
    statement: 'The list contains the stock level of every pet in the store.',
    quotes: ['Purpose: return the current stock levels for all pets in the store.'],
    reading:
      'Judged for the pets that the suite knows to be in the store: those that it set through the control URL, those that the configuration names, and those that it updated. Pagination is not shown, so a list that is cut off at some length is incomplete.',
    dependsOn: ['list-succeeds', ...ITEM_MEMBERS, 'update-touches-one-entry', 'refused-changes-nothing'],
  },
  {
    id: 'list-one-entry-per-pet',
    clause: LIST,
    level: 'must',
    statement: 'Each pet appears in the list once.',
    quotes: ['Purpose: return the current stock levels for all pets in the store.'],
    dependsOn: ['list-succeeds', ...ITEM_MEMBERS],
  },
  {
    id: 'item-pet-id',
    clause: ITEM,
    level: 'must',
    statement:
      'petId is present and an int64 integer with every digit right, in the list and in the answer to an update.',
    quotes: ['| petId | integer | int64 | yes | Identifier of the animal the entry tracks. |'],
    dependsOn: ['list-succeeds', 'update-exact-pet', 'valid-key-accepted'],
  },
  {
    id: 'item-quantity',
    clause: ITEM,
    level: 'must',
    statement: 'quantity is present and an integer.',
    quotes: ['| quantity | integer | - | yes | Current stock count. |'],
    dependsOn: ['list-succeeds', 'item-pet-id', 'update-invalid-quantity'],
  },
  {
    id: 'item-status',
    clause: ITEM,
    level: 'must',
    statement: 'status is present and is exactly one of available, pending and sold.',
    quotes: ['| status | string | PetStatus | yes | One of the PetStatus values. |'],
    dependsOn: ['list-succeeds', 'item-pet-id', 'update-invalid-quantity'],
  },
  {
    id: 'list-order',
    clause: LIST,
    level: 'observe',
    statement: 'In which order the list is returned.',
    quotes: ['Query parameters, pagination, filtering and ordering of the array: not shown.'],
  },
  {
    id: 'query-parameters',
    clause: LIST,
    level: 'observe',
    statement: 'What unknown query parameters on the list do.',
    quotes: ['Query parameters, pagination, filtering and ordering of the array: not shown.'],
  },
  {
    id: 'extra-members',
    clause: ITEM,
    level: 'observe',
    statement: 'Which additional members items and errors have.',
    basis: 'The specification lists the members of its objects and does not forbid others.',
  },
] as const satisfies readonly RequirementRow[];
