import { ITEM_MEMBERS } from './list.ts';
import type { RequirementRow } from './row.ts';

const UPDATE = 'Endpoints, PATCH /inventory/{petId}';
const UPDATE_BODY = 'Resources and their fields, InventoryUpdate';

const SUCCESS = 'Response 200: the updated InventoryItem.';
const PURPOSE = 'Purpose: set the stock quantity for one pet.';
const BAD_REQUEST = 'Response 400: Error object; the body is missing required fields or has invalid values.';
const PET_ID = 'Path parameter `petId`: required, integer, int64; the ID of the pet whose stock is updated.';

export const UPDATE_ROWS = [
  {
    id: 'update-succeeds',
    clause: UPDATE,
    level: 'must',
    statement:
      'A valid update with a valid key is answered 200 with the updated InventoryItem: the same petId and the new quantity.',
    quotes: [SUCCESS],
    reading:
      'An update with a good quantity and further members, or with a quantity that is negative or above a bound of the target, may be accepted or refused; a quantity of up to 99 is within any bound, and one of up to 999 is if a larger one was accepted. A 5xx status is neither.',
    dependsOn: [
      'update-unknown-pet',
      'valid-key-accepted',
      'ban-answer',
      'refusal-is-429',
      'list-succeeds',
      'update-sets',
      'update-exact-pet',
    ],
  },
  {
    id: 'update-sets',
    clause: UPDATE,
    level: 'must',
    statement: 'An update sets the quantity; it does not add to it.',
    quotes: [PURPOSE],
    dependsOn: ['list-succeeds', 'list-one-entry-per-pet'],
  },
  {
    id: 'update-persists',
    clause: UPDATE,
    level: 'must',
    statement: 'After an update the list shows the new quantity.',
    quotes: [PURPOSE],
    dependsOn: [
      'list-succeeds',
      'list-complete',
      'list-one-entry-per-pet',
      'update-succeeds',
      'update-sets',
      'update-exact-pet',
      'refused-changes-nothing',
      ...ITEM_MEMBERS,
    ],
  },
  {
    id: 'update-touches-one-entry',
    clause: UPDATE,
    level: 'must',
    statement: 'An update does not change, add or remove any other entry of the list.',
    quotes: [PURPOSE],
    reading:
      'Others may write to a shared inventory. A change that they could have made is a failure only if it happens again, or if the pet that left the list is still in the store.',
    dependsOn: [
      'list-succeeds',
      'list-complete',
      'list-one-entry-per-pet',
      'update-persists',
      ...ITEM_MEMBERS,
    ],
  },
  {
    id: 'update-exact-pet',
    clause: UPDATE,
    level: 'must',
    statement: 'An update changes the pet whose int64 petId is in the path, exact to the last digit.',
    quotes: [PET_ID],
    reading:
      'How an id beyond int64 is answered is only observed, but an update of one changes no pet that has another id.',
    dependsOn: ['list-complete', 'list-one-entry-per-pet', 'update-unknown-pet', 'update-touches-one-entry'],
  },
  {
    id: 'update-missing-quantity',
    clause: UPDATE,
    level: 'must',
    refusal: 400,
    statement: 'A body without quantity is answered 400.',
    quotes: [BAD_REQUEST],
    reading:
      'Member names are case-sensitive (RFC 8259, section 8.3): a body with Quantity only has no quantity.',
    dependsOn: ['update-malformed-body', 'update-succeeds', 'update-exact-pet'],
  },
  {
    id: 'update-invalid-quantity',
    clause: UPDATE,
    level: 'must',
    statement:
      'A quantity that is null, a string, a boolean, an array, an object or a fraction is answered 400.',
    quotes: [BAD_REQUEST],
    reading: 'Bounds are not shown: negative and very large quantities, 1.0 and 1e2 are only observed.',
    dependsOn: ['update-succeeds', 'update-exact-pet'],
  },
  {
    id: 'update-malformed-body',
    clause: UPDATE,
    level: 'must',
    statement: 'A body that is empty, not JSON or not an object is answered 400.',
    quotes: [BAD_REQUEST],
    reading:
      'A closed connection is not an answer. It is a failure if it happens every time, on fresh connections too, or if the target is gone afterwards. A single one proves nothing.',
    dependsOn: ['update-succeeds', 'update-exact-pet'],
  },
  {
    id: 'update-unknown-pet',
    clause: UPDATE,
    level: 'must',
    refusal: 404,
    statement: 'A petId that is a valid int64 and belongs to no entry is answered 404.',
    quotes: ['Response 404: Error object; the requested resource could not be found.'],
    reading:
      'Judged for positive ids up to 9223372036854775807. Negative ids and zero, words, fractions and ids beyond int64 are only observed.',
    dependsOn: ['update-succeeds'],
  },
  {
    id: 'refused-changes-nothing',
    clause: 'Errors',
    level: 'must',
    statement: 'A request that is refused (400, 401, 404, 429) changes nothing.',
    quotes: [
      '| 400 | Request body missing required fields or containing invalid values. | PATCH /inventory/{petId} |',
      '| 401 | API key missing or invalid. | All operations |',
      '| 404 | The requested resource (pet entry) is not found. | PATCH /inventory/{petId} |',
      '| 429 | The rate limit is exceeded. The `Retry-After` header tells the client when to retry. | All operations |',
    ],
    reading:
      'A request that is answered 200 was not refused: it fails only the requirement that demands the refusal.',
    dependsOn: ['update-succeeds', 'update-exact-pet', 'update-touches-one-entry', ...ITEM_MEMBERS],
  },
  {
    id: 'negative-quantity',
    clause: UPDATE_BODY,
    level: 'observe',
    statement: 'What a negative quantity does.',
    quotes: ['Bounds on quantity (for example whether negative values are accepted): not shown.'],
  },
  {
    id: 'large-quantity',
    clause: UPDATE_BODY,
    level: 'observe',
    statement: 'What a very large quantity does.',
    quotes: ['Bounds on quantity (for example whether negative values are accepted): not shown.'],
  },
  {
    id: 'integral-number-forms',
    clause: UPDATE_BODY,
    level: 'observe',
    statement: 'What 1.0 and 1e2 do as a quantity.',
    basis:
      'quantity is an integer; the specification does not say whether an integer may be written 1.0 or 1e2, and JSON knows only numbers (RFC 8259, section 6).',
  },
  {
    id: 'further-request-members',
    clause: UPDATE,
    level: 'observe',
    statement: 'What additional members in a request body do.',
    basis: 'The specification names one member, quantity, and does not say what others do.',
  },
  {
    id: 'duplicate-request-members',
    clause: UPDATE,
    level: 'observe',
    statement: 'What a duplicate quantity in a request body does.',
    basis:
      'RFC 8259, section 4, says that names should be unique and leaves open what a receiver does if they are not.',
  },
  {
    id: 'request-content-type',
    clause: UPDATE,
    level: 'observe',
    statement: 'What an update with another Content-Type, or without one, does.',
    basis:
      'Bodies are application/json; the specification does not say what happens to a request that declares something else.',
  },
  {
    id: 'body-encoding',
    clause: UPDATE,
    level: 'observe',
    statement: 'What a request body that has a byte order mark, or is not UTF-8, does.',
    basis:
      'RFC 8259, section 8.1, demands UTF-8 without a byte order mark and leaves open what a receiver does with anything else.',
  },
  {
    id: 'odd-pet-ids',
    clause: UPDATE,
    level: 'observe',
    statement: 'What a petId that is not an integer, beyond int64, zero or negative does.',
    basis: 'petId is an int64; the specification does not say how any other value is answered.',
  },
  {
    id: 'status-after-update',
    clause: 'States and transitions',
    level: 'observe',
    statement: 'Whether an update of the quantity changes the status.',
    quotes: ['Updating the quantity does not document any change of status.'],
  },
  {
    id: 'pet-status-transitions',
    clause: 'States and transitions',
    level: 'observe',
    statement: 'Which transitions of status exist.',
    quotes: ['Transitions: not shown.'],
    notChecked: 'No operation that sets the status is shown.',
  },
] as const satisfies readonly RequirementRow[];
