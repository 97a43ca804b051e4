import {
  type JsonObject,
  type JsonValue,
  asInteger,
  isJsonObject,
  stringifyJson,
} from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import {
  LARGEST_SAFE,
  changeAnsweredItem,
  changeItems,
  changeListedItems,
  changeOneListedItem,
  without,
} from '../alterations/inventory.ts';
import { bytesOf, everyNth, rereadable } from '../alterations/requests.ts';
import { answerWith } from '../service/answer.ts';
import { decodeJson } from '../service/inventory-update.ts';
import { type Fault, breaking } from './fault.ts';

const isFifteenth = everyNth(15);

function petIdOf(item: JsonObject): bigint {
  return asInteger(item['petId']) ?? 0n;
}

function quantityOf(item: JsonObject): bigint {
  return asInteger(item['quantity']) ?? 0n;
}

function statusOf(item: JsonObject): string {
  const { status } = item;
  return typeof status === 'string' ? status : '';
}

function withoutStock(change: (item: JsonObject) => JsonValue): Alteration {
  return changeItems((item) => (quantityOf(item) === 0n ? change(item) : item));
}

/** The list shows what the last update of a pet had as its status. */
const listStatusOfBodies: Alteration = {
  answers: (answers, parts) => {
    const told = new Map<bigint, JsonValue>();
    const asTold = (item: JsonValue): JsonValue =>
      isJsonObject(item) ? { ...item, status: told.get(petIdOf(item)) ?? statusOf(item) } : item;
    return {
      updateInventory: async (request, segment) => {
        const again = rereadable(request);
        const answer = await answers.updateInventory(again, segment);
        const body = answer.status === 200 ? decodeJson(await bytesOf(again)) : undefined;
        const status = isJsonObject(body) ? body['status'] : undefined;
        if (status !== undefined) {
          told.set(parts.readPetId(segment) ?? 0n, status);
        }
        return answer;
      },
      listInventory: async (request, segment) => {
        const answer = await answers.listInventory(request, segment);
        const list = told.size === 0 ? undefined : decodeJson(Buffer.from(answer.body));
        return Array.isArray(list)
          ? answerWith(answer.status, stringifyJson(list.map(asTold)), answer.headers)
          : answer;
      },
    };
  },
};

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

export const ITEM_FAULTS: readonly Fault[] = [
  ...breaking('item-pet-id', {
    'large-pet-id-as-string': [
      'A petId above 2^53 is a string',
      changeItems((item) => (petIdOf(item) > LARGEST_SAFE ? { ...item, petId: `${petIdOf(item)}` } : item)),
    ],
    'pet-id-as-double': [
      'petId in the list loses digits above 2^53',
      changeListedItems((item) => ({ ...item, petId: Number(petIdOf(item)) })),
    ],
    'pet-id-as-32-bits-in-answer': [
      'petId in the answer to an update is cut to 32 bits',
      changeAnsweredItem((item) => ({ ...item, petId: BigInt.asIntN(32, petIdOf(item)) })),
    ],
    'pet-id-missing-once': [
      'One entry of the list has no petId',
      changeOneListedItem((item) => without(item, 'petId')),
    ],
  }),
  ...breaking('item-quantity', {
    'quantity-as-string-once': [
      'quantity is a string in one entry of the list',
      changeOneListedItem((item) => ({ ...item, quantity: `${quantityOf(item)}` })),
    ],
    'quantity-missing-without-stock': [
      'A quantity of 0 is left out',
      withoutStock((item) => without(item, 'quantity')),
    ],
    'quantity-as-fraction-once': [
      'quantity is a fraction in one entry of the list',
      changeOneListedItem((item) => ({ ...item, quantity: Number(quantityOf(item)) + 0.5 })),
    ],
    'quantity-as-string-once-in-fifteen': [
      'quantity is a string in one answer to an update in fifteen',
      changeAnsweredItem((item, parts) =>
        isFifteenth(parts) ? { ...item, quantity: `${quantityOf(item)}` } : item,
      ),
    ],
  }),
  ...breaking('item-status', {
    'status-capitalised': [
      'status is capitalised in the list',
      changeListedItems((item) => ({ ...item, status: capitalised(statusOf(item)) })),
    ],
    'status-of-any-body-listed': [
      'A status in the body of an update comes to stand in the list, whatever it is',
      listStatusOfBodies,
    ],
    'status-out-of-stock': [
      'status is a fourth value if quantity is 0',
      withoutStock((item) => ({ ...item, status: 'out_of_stock' })),
    ],
    'status-null-in-answer': [
      'status is null in the answer to an update',
      changeAnsweredItem((item) => ({ ...item, status: null })),
    ],
    'status-unknown-of-pet-1': [
      'status of pet 1 is a fourth value in the list',
      changeListedItems((item) => (petIdOf(item) === 1n ? { ...item, status: 'unknown' } : item)),
    ],
    'status-misspelled-once': [
      'status is misspelled in one entry of the list',
      changeOneListedItem((item) => ({ ...item, status: 'availible' })),
    ],
  }),
];
