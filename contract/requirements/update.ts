import type { RequirementRow } from './row.ts';

const UPDATE = 'Endpoints, PATCH /inventory/{petId}';

export const UPDATE_ROWS = [
  {
    id: 'update-succeeds',
    clause: UPDATE,
    level: 'must',
    statement:
      'A valid update with a valid key is answered 200 with the updated InventoryItem: the same petId and the new quantity.',
  },
  {
    id: 'update-sets',
    clause: UPDATE,
    level: 'must',
    statement: 'An update sets the quantity; it does not add to it.',
  },
  {
    id: 'update-persists',
    clause: UPDATE,
    level: 'must',
    statement: 'After an update the list shows the new quantity.',
  },
  {
    id: 'update-touches-one-entry',
    clause: UPDATE,
    level: 'must',
    statement: 'An update changes no other entry of the list, and neither adds nor removes one.',
    reading:
      'Others may write to a shared store: what they might have done is a failure only if it comes back, or if the pet that left the list is still in the store.',
  },
  {
    id: 'update-exact-pet',
    clause: UPDATE,
    level: 'must',
    statement:
      'The pet that is updated is the one whose int64 petId stands in the path, exact to the last digit.',
  },
  {
    id: 'update-missing-quantity',
    clause: UPDATE,
    level: 'must',
    statement: 'A body without quantity is answered 400.',
    reading:
      'Names of members are compared with their letter-case (RFC 8259, section 8.3): a body that holds Quantity only holds no quantity.',
  },
  {
    id: 'update-invalid-quantity',
    clause: UPDATE,
    level: 'must',
    statement:
      'A quantity that is null, a string, a boolean, an array, an object or a fraction is answered 400.',
    reading: 'Bounds are not shown: negative and very large quantities, 1.0 and 1e2 are only observed.',
  },
  {
    id: 'update-malformed-body',
    clause: UPDATE,
    level: 'must',
    statement: 'A body that is empty, not JSON or not an object is answered 400.',
    reading:
      'A closed connection is no answer: it fails where it comes each time, on fresh connections too, or where the target is gone after it. A single one proves nothing.',
  },
  {
    id: 'update-unknown-pet',
    clause: UPDATE,
    level: 'must',
    statement: 'A petId that is a valid int64 and belongs to no entry is answered 404.',
    reading:
      'Judged for positive ids up to 9223372036854775807. Negative ids and zero, words, fractions and ids beyond int64 are only observed.',
  },
  {
    id: 'refused-changes-nothing',
    clause: 'Errors',
    level: 'must',
    statement: 'A request that was refused (400, 401, 404, 429) changed nothing.',
    reading:
      'What was answered 200 was not refused: it fails the requirement that wants it refused, and only that.',
  },
  {
    id: 'negative-quantity',
    clause: 'Resources and their fields, InventoryUpdate',
    level: 'observe',
    statement: 'What a negative quantity does.',
  },
  {
    id: 'large-quantity',
    clause: 'Resources and their fields, InventoryUpdate',
    level: 'observe',
    statement: 'What a very large quantity does.',
  },
  {
    id: 'integral-number-forms',
    clause: 'Resources and their fields, InventoryUpdate',
    level: 'observe',
    statement: 'What 1.0 and 1e2 do as a quantity.',
  },
  {
    id: 'further-request-members',
    clause: UPDATE,
    level: 'observe',
    statement: 'What further members in a request body do.',
  },
  {
    id: 'duplicate-request-members',
    clause: UPDATE,
    level: 'observe',
    statement: 'What a duplicate quantity in a request body does.',
  },
  {
    id: 'request-content-type',
    clause: UPDATE,
    level: 'observe',
    statement: 'What a missing or other Content-Type on an update does.',
  },
  {
    id: 'body-encoding',
    clause: UPDATE,
    level: 'observe',
    statement: 'What a request body with a byte order mark, or not in UTF-8, does.',
  },
  {
    id: 'odd-pet-ids',
    clause: UPDATE,
    level: 'observe',
    statement: 'What a petId that is no integer, beyond int64, zero or negative does.',
  },
  {
    id: 'status-after-update',
    clause: 'States and transitions',
    level: 'observe',
    statement: 'Whether an update of the quantity changes the status.',
  },
  {
    id: 'pet-status-transitions',
    clause: 'States and transitions',
    level: 'observe',
    statement: 'Which transitions of status there are.',
    notChecked: 'No operation that sets the status is shown.',
  },
] as const satisfies readonly RequirementRow[];
