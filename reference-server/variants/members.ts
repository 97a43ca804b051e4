import {
  isJsonObject,
  parseJson,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '../../contract/lossless-json.ts';
import type { ErrorBody } from '../../contract/inventory.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { Freedom, Variant } from './variant.ts';

/** Changes each InventoryItem, in the list and as the answer to an update. */
function changeItems(change: (item: JsonObject) => JsonObject): Alteration {
  const changeValue = (value: JsonValue): JsonValue => (isJsonObject(value) ? change(value) : value);
  return {
    parts: ({ representation: { inventory, item, ...others } }) => ({
      representation: {
        ...others,
        item: (given) => stringifyJson(changeValue(parseJson(item(given)))),
        inventory: (items) => {
          const list = parseJson(inventory(items));
          return stringifyJson(Array.isArray(list) ? list.map(changeValue) : list);
        },
      },
    }),
  };
}

function changeErrors(change: (error: JsonObject) => JsonObject): Alteration {
  return {
    parts: ({ representation }) => ({
      representation: {
        ...representation,
        error: (given) => {
          const error = parseJson(representation.error(given));
          return stringifyJson(isJsonObject(error) ? change(error) : error);
        },
      },
    }),
  };
}

function errorTexts(
  id: string,
  title: string,
  freedom: Freedom,
  change: (error: ErrorBody) => ErrorBody,
): Variant {
  return {
    id,
    title,
    freedom,
    alter: {
      parts: ({ representation }) => ({
        representation: { ...representation, error: (error) => representation.error(change(error)) },
      }),
    },
  };
}

function reversed(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).toReversed());
}

const ODD_MESSAGE = 'Anfrage „ungültig“ – 数量 ☹ 🐾 "quoted" \\ back\nnew line\ttab \u0000 \u2028 </script>';

export const MEMBER_VARIANTS: readonly Variant[] = [
  {
    id: 'items-with-look-alike-members',
    title: 'Items hold further members whose names differ in letter-case only',
    freedom: 'further members of items',
    alter: changeItems((item) => ({
      PetId: 0,
      petid: 'x',
      ...item,
      Quantity: -1,
      STATUS: 'gone',
      pet_id: '7',
    })),
  },
  {
    id: 'errors-with-nested-members',
    title: 'Errors hold further members that are nested',
    freedom: 'further members of errors',
    alter: changeErrors((error) => ({
      details: [{ field: 'quantity', status: 'invalid', code: 5 }],
      request: { path: { petId: '1' } },
      ...error,
    })),
  },
  {
    id: 'members-reversed',
    title: 'Members of items and errors come in the reverse order',
    freedom: 'order of members',
    alter: {
      parts: (parts) => {
        const withItems = { ...parts, ...changeItems(reversed).parts?.(parts) };
        return {
          representation: {
            ...withItems.representation,
            ...changeErrors(reversed).parts?.(withItems).representation,
          },
        };
      },
    },
  },

  errorTexts('same-code-for-all-errors', 'All errors have the same code', 'error codes', (error) => ({
    ...error,
    code: 'error',
  })),

  errorTexts(
    'messages-with-odd-characters',
    'Error messages hold quotes, controls and emoji',
    'error messages',
    (error) => ({
      ...error,
      message: ODD_MESSAGE,
    }),
  ),
];
