import { type JsonValue, isJsonObject, parseIfJson } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { answerInstead } from '../alterations/answers.ts';
import { changeStore, changeEntriesAfterUpdate, neighbourOf } from '../alterations/inventory.ts';
import { dropConnections, handleRequests, onUpdateBody, withStatus } from '../alterations/responses.ts';
import {
  type Leniency,
  acceptBodies,
  acceptQuantities,
  bodyText,
  changeUpdateAnswers,
  isFraction,
  isMissingQuantity,
  isNoJson,
  quantityIn,
  refuseWith,
} from '../alterations/updates.ts';
import { decodeJson } from '../service/inventory-update.ts';
import { type Fault, breaking, hangsAfter, leavesBodyAfter } from './fault.ts';
import type { InventoryItem } from '../../contract/inventory.ts';
import { bytesOf, everyNth, keyOf, rereadable, stateOfEach } from '../alterations/requests.ts';
import { answerWith } from '../service/answer.ts';
import { type BodyReading, type ServiceRequest, headerOf } from '../service/messages.ts';
import type { ServiceParts } from '../service/service.ts';

/** Stores the sum of the old and the new quantity for some updates. */
function addQuantity(isMeant: (quantity: number, before: number) => boolean): Alteration {
  return changeStore((store) => ({
    setQuantity: (petId, quantity) => {
      const before = Number(store.find(petId)?.quantity ?? 0);
      const isAdded = isMeant(Number(quantity), before);
      return store.setQuantity(petId, isAdded ? before + Number(quantity) : quantity);
    },
  }));
}

/** The integer in the first member whose name is meant. */
function quantityNamed(bytes: Uint8Array, isMeant: (name: string) => boolean): number | undefined {
  const body = isMissingQuantity(bytes) ? decodeJson(bytes) : undefined;
  const value = Object.entries(isJsonObject(body) ? body : {}).find(([name]) => isMeant(name))?.[1];
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

function toInteger(value: number): number {
  return Number.isNaN(value) ? 0 : Math.trunc(value);
}

const isNullBody = onUpdateBody((bytes) => bodyText(bytes) === 'null');

/** Accepts bodies that are no JSON, once something was repaired. */
function repair(change: (text: string) => string): Alteration {
  return acceptBodies((bytes) => {
    if (decodeJson(bytes) !== undefined) {
      return undefined;
    }
    return quantityOfBody(parseIfJson(change(bodyText(bytes))));
  });
}

const bodyOfConnection = stateOfEach((): { reading: BodyReading | null } => ({ reading: null }));

/** Takes the last body of the connection for the one of a request that has none. */
function takeBodyBefore(): Alteration {
  return handleRequests((request, service) => {
    const last = bodyOfConnection(request.connection);
    const hasLength = ['Content-Length', 'Transfer-Encoding'].some(
      (name) => headerOf(request, name) !== undefined,
    );
    const readBody = async (): Promise<BodyReading> => {
      if (request.method === 'PATCH' && !hasLength && last.reading !== null) {
        return last.reading;
      }
      const reading = await request.readBody();
      last.reading = reading;
      return reading;
    };
    return service.respond({ ...request, readBody });
  });
}

/** Accepts JSON that is no object. */
function acceptValues(judge: (value: JsonValue) => Leniency): Alteration {
  return acceptBodies((bytes) => {
    const value = decodeJson(bytes);
    return value === undefined || isJsonObject(value) ? undefined : judge(value);
  });
}

function quantityOfBody(body: JsonValue | undefined): number | undefined {
  const quantity = isJsonObject(body) ? body['quantity'] : undefined;
  return typeof quantity === 'number' && Number.isInteger(quantity) ? quantity : undefined;
}

function isPair(value: JsonValue): value is [string, JsonValue] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string';
}

const isTenth = everyNth(10);

const NEXT_STATUS = { available: 'pending', pending: 'sold', sold: 'available' } as const;

/** Changes the entry after the one that was updated. */
function changeNeighbour(change: (neighbour: InventoryItem) => readonly InventoryItem[]): Alteration {
  return changeEntriesAfterUpdate((items, petId) => {
    const neighbour = neighbourOf(items, petId);
    return items.flatMap((item) => (item === neighbour ? change(item) : [item]));
  });
}

/**
 * Leaves the last entry that was not updated out of lists, once there was an update.
 * @param whoseOf whose lists lack it; the same value for the update and for the lists
 */
function hideAfterUpdate(
  whoseOf: (request: ServiceRequest, parts: ServiceParts) => object | undefined,
): Alteration {
  return {
    answers: (answers, parts) => {
      const updated = new WeakMap<object, Set<bigint>>();
      return {
        updateInventory: async (request, segment) => {
          const answer = await answers.updateInventory(request, segment);
          const whose = whoseOf(request, parts);
          const petId = parts.readPetId(segment);
          if (answer.status === 200 && whose !== undefined && petId !== undefined) {
            updated.set(whose, new Set([...(updated.get(whose) ?? []), petId]));
          }
          return answer;
        },
        listInventory: (request, segment) => {
          const own = updated.get(whoseOf(request, parts) ?? {});
          const items = parts.inventory.list();
          const hidden = own === undefined ? undefined : items.findLast(({ petId }) => !own.has(petId));
          return hidden === undefined
            ? answers.listInventory(request, segment)
            : answerWith(200, parts.representation.inventory(items.filter((item) => item !== hidden)));
        },
      };
    },
  };
}

export const UPDATE_FAULTS: readonly Fault[] = [
  ...breaking('update-sets', {
    'update-adds': ['An update adds to the quantity', addQuantity(() => true)],
    'update-to-one-adds': [
      'An update to 1 is added to the quantity',
      addQuantity((quantity) => quantity === 1),
    ],
    'update-to-sixty-four-adds': [
      'An update to 64 is added to the quantity',
      addQuantity((quantity) => quantity === 64),
    ],
    'update-to-same-quantity-doubles': [
      'An update to the quantity that the pet already has is added to it',
      addQuantity((quantity, before) => quantity === before),
    ],
  }),
  hangsAfter(400, 'update-missing-quantity'),
  leavesBodyAfter(400, 'update-missing-quantity'),
  ...breaking('update-missing-quantity', {
    'missing-quantity-sets-zero': [
      'A body without quantity sets 0',
      acceptBodies((bytes) => (isMissingQuantity(bytes) ? 0 : undefined)),
    ],
    'missing-quantity-accepted-beside-others': [
      'A body with other members and no quantity is answered 200 and changes nothing',
      acceptBodies((bytes) =>
        isMissingQuantity(bytes) && Object.keys(decodeJson(bytes) ?? {}).length > 0 ? 'keep' : undefined,
      ),
    ],
    'quantity-in-any-letter-case': [
      'The member quantity is accepted in any letter-case',
      acceptBodies((bytes) => quantityNamed(bytes, (name) => name.toLowerCase() === 'quantity')),
    ],
    'quantity-capitalized': [
      'A member Quantity is accepted as quantity',
      acceptBodies((bytes) => quantityNamed(bytes, (name) => name === 'Quantity')),
    ],
    'quantity-with-space-around-its-name': [
      'The name of the member quantity is trimmed before it is compared',
      acceptBodies((bytes) => quantityNamed(bytes, (name) => name.trim() === 'quantity')),
    ],
    'missing-quantity-answered-422': [
      'A body without quantity is answered 422',
      refuseWith(422, isMissingQuantity),
    ],
    'nested-quantity-accepted': [
      'A quantity inside another member is accepted',
      acceptBodies((bytes) => {
        const body = isMissingQuantity(bytes) ? decodeJson(bytes) : undefined;
        const nested = Object.values(isJsonObject(body) ? body : {}).find((member) => isJsonObject(member));
        const quantity = isJsonObject(nested) ? nested['quantity'] : undefined;
        return typeof quantity === 'number' ? quantity : undefined;
      }),
    ],
    'change-accepted-as-quantity': [
      'A member "delta" is accepted in place of a quantity',
      acceptBodies((bytes) => {
        const body = isMissingQuantity(bytes) ? decodeJson(bytes) : undefined;
        const delta = isJsonObject(body) ? body['delta'] : undefined;
        return typeof delta === 'number' ? delta : undefined;
      }),
    ],
  }),
  ...breaking('update-invalid-quantity', {
    'quantity-null-closes-the-connection': [
      'An update to a quantity of null closes the connection without a response',
      dropConnections(
        onUpdateBody((bytes) => quantityIn(bytes) === null),
        'goes on',
      ),
    ],
    'null-quantity-sets-zero': [
      'A quantity of null sets 0',
      acceptQuantities((value) => (value === null ? 0 : undefined)),
    ],
    'digits-in-string-accepted': [
      'A quantity that is a string of digits is accepted',
      acceptQuantities((value) =>
        typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined,
      ),
    ],
    'sign-or-separators-in-string-accepted': [
      'A quantity that is a string of digits with a sign or commas is accepted',
      acceptQuantities((value) =>
        typeof value === 'string' && /^(?:\+\d+|\d{1,3}(?:,\d{3})+)$/.test(value)
          ? Number(value.replaceAll(',', ''))
          : undefined,
      ),
    ],
    'space-in-string-accepted': [
      'A quantity that is a string of white space sets 0',
      acceptQuantities((value) => (typeof value === 'string' && /^\s+$/.test(value) ? 0 : undefined)),
    ],
    'exponent-in-string-accepted': [
      'A quantity that is a string with an exponent is accepted',
      acceptQuantities((value) =>
        typeof value === 'string' && /^\d+e\d+$/i.test(value) ? Number(value) : undefined,
      ),
    ],
    'digits-before-a-word-accepted': [
      'A quantity that is a string beginning with digits is accepted',
      acceptQuantities((value) =>
        typeof value === 'string' && /^\d+\D/.test(value) ? Number.parseInt(value, 10) : undefined,
      ),
    ],
    'fraction-next-to-integer-rounded': [
      'A quantity within a millionth of an integer is rounded to it',
      acceptQuantities((value) =>
        isFraction(value) && Math.abs(value - Math.round(value)) < 1e-6 ? Math.round(value) : undefined,
      ),
    ],
    'boolean-as-number': [
      'A quantity of true sets 1, and one of false sets 0',
      acceptQuantities((value) => (typeof value === 'boolean' ? Number(value) : undefined)),
    ],
    'array-of-one-accepted': [
      'A quantity that is an array of one integer is accepted',
      acceptQuantities((value) =>
        Array.isArray(value) && value.length === 1 ? toInteger(Number(value[0])) : undefined,
      ),
    ],
    'operator-carried-out': [
      'A quantity that is an object with the operator $inc is accepted',
      acceptQuantities((value) =>
        isJsonObject(value) && '$inc' in value ? toInteger(Number(value['$inc'])) : undefined,
      ),
    ],
    'fraction-truncated': [
      'The fractional part of a quantity is cut off',
      acceptQuantities((value) => (isFraction(value) ? Math.abs(Math.trunc(value)) : undefined)),
    ],
    'invalid-quantity-answered-422': [
      'An invalid quantity is answered 422',
      refuseWith(422, (bytes) => quantityIn(bytes) !== undefined),
    ],
    'invalid-quantity-answered-200-with-error': [
      'An invalid quantity is answered 200 with an Error object',
      changeUpdateAnswers(async (answer, { readBytes }) => {
        const isMeant = answer.status === 400 && quantityIn(await readBytes()) !== undefined;
        return isMeant ? { ...answer, status: 200 } : answer;
      }),
      { alsoBreaks: ['item-pet-id'] },
    ],
  }),
  ...breaking('update-malformed-body', {
    'body-null-closes-the-connection': [
      'An update with the body null closes the connection without a response',
      dropConnections(isNullBody, 'goes on'),
    ],
    'body-null-ends-the-service': [
      'An update with the body null ends the service',
      dropConnections(isNullBody, 'is gone'),
    ],
    'empty-body-ends-the-service': [
      'An update with an empty body ends the service',
      dropConnections(
        onUpdateBody((bytes) => bytes.byteLength === 0),
        'is gone',
      ),
    ],
    'single-quotes-accepted-in-a-further-member': [
      'Single quotes are accepted around the text of a further member',
      repair((text) => text.replaceAll(/(?<=,.*:\s*)'(\w*)'/g, '"$1"')),
    ],
    'body-cut-in-a-string-closes-the-connection': [
      'An update whose body ends within a string closes the connection without a response',
      dropConnections(
        onUpdateBody((bytes) => bodyText(bytes).replaceAll(/\\./g, '').split('"').length % 2 === 0),
        'goes on',
      ),
    ],
    'incomplete-numbers-accepted-in-a-further-member': [
      'Numbers of a further member may end with the letter of the exponent or its sign',
      repair((text) => text.replaceAll(/(?<=,.*\d)e[+-]?(?!\d)/gi, '')),
    ],
    'semicolon-for-comma-accepted': [
      'A semicolon is accepted for the comma between two members',
      repair((text) => text.replaceAll(';"', ',"')),
    ],
    'two-commas-accepted': [
      'Two commas in a row are accepted for one',
      repair((text) => text.replaceAll(',,', ',')),
    ],
    'malformed-body-of-unknown-pet-answered-500': [
      'An update of an unknown pet is answered 500 if its body is not JSON',
      changeUpdateAnswers(async (answer, { before, readBytes }, parts) =>
        before === undefined && isNoJson(await readBytes()) ? answerInstead(500, parts) : answer,
      ),
    ],
    'malformed-body-beyond-a-limit-answered-500': [
      'An update that a limit refuses is answered 500 if its body is not JSON',
      handleRequests(async (request, service) => {
        const again = rereadable(request);
        const response = await service.respond(again);
        const isMeant = again.method === 'PATCH' && response.status === 429;
        return isMeant && isNoJson(await bytesOf(again)) ? withStatus(response, 500) : response;
      }),
    ],
    'body-before-taken': [
      'An update without a Content-Length takes the body of the one before it on its connection',
      takeBodyBefore(),
    ],
    'empty-body-sets-zero': [
      'An empty body sets 0',
      acceptBodies((bytes) => (bytes.byteLength === 0 ? 0 : undefined)),
    ],
    'update-in-array-accepted': [
      'The first element of an array is accepted as the update',
      acceptValues((value) => (Array.isArray(value) ? quantityOfBody(value[0]) : undefined)),
    ],
    'pairs-accepted': [
      'An array of names and values is accepted as an update',
      acceptValues((value) =>
        Array.isArray(value) && value.every(isPair) ? quantityOfBody(Object.fromEntries(value)) : undefined,
      ),
    ],
    'unknown-escapes-accepted': [
      'A backslash before any character is accepted in the strings of a body',
      repair((text) => text.replaceAll(/\\(?!["\\/bfnrtu])/g, '')),
    ],
    'control-characters-in-strings-accepted': [
      'Control characters in the strings of a body are accepted',
      repair((text) => text.replaceAll(/\p{Cc}/gu, ' ')),
    ],
    'malformed-json-accepted': [
      'A body that is not JSON is answered 200 and changes nothing',
      acceptBodies((bytes) => (isNoJson(bytes) && bytes.byteLength > 0 ? 'keep' : undefined)),
    ],
    'trailing-bytes-ignored': [
      'Anything after the first JSON object in a body is ignored',
      repair((text) => text.slice(0, text.indexOf('}') + 1)),
    ],
    'brace-too-many-ignored': [
      'An extra brace at the end of a body is ignored',
      repair((text) => text.replace(/\}\s*\}\s*$/, '}')),
    ],
    'call-around-json-ignored': [
      'JSON inside a function call is accepted as the body',
      repair((text) => /^\w+\((.*)\)$/s.exec(text)?.[1] ?? text),
    ],
    'nul-around-json-ignored': [
      'NUL characters around the JSON of a body are ignored',
      repair((text) => text.replaceAll('\u0000', '')),
    ],
    'unfinished-json-completed': ['A body that ends too early is completed', repair((text) => `${text}}`)],
    'form-data-accepted': [
      'Form data is accepted as an update',
      repair((text) => text.replace(/^quantity=(\d+)$/, '{"quantity":$1}')),
    ],
  }),
  ...breaking('update-touches-one-entry', {
    'update-changes-status-of-neighbour': [
      'An update changes the status of the next pet',
      changeNeighbour((item) => [{ ...item, status: NEXT_STATUS[item.status] }]),
    ],
    'update-removes-neighbour': ['An update removes the next pet', changeNeighbour(() => [])],
    'list-lacks-entry-after-own-update': [
      'Once a key has updated a pet, its lists lack the last other entry',
      hideAfterUpdate((request, parts) => keyOf(parts, request)),
    ],
    'list-lacks-entry-after-any-update': [
      'Once a pet was updated, all lists lack the last other entry',
      hideAfterUpdate((_request, parts) => parts),
    ],
    'update-adds-neighbour': [
      'An update also adds the pet to the list under the previous petId',
      changeEntriesAfterUpdate((items, petId) => {
        const updated = items.find((item) => item.petId === petId);
        const isFree = items.every((item) => item.petId !== petId - 1n);
        return updated !== undefined && isFree ? [...items, { ...updated, petId: petId - 1n }] : items;
      }),
    ],
    'update-changes-all': [
      'An update sets the quantity of every pet of the same status',
      changeEntriesAfterUpdate((items, petId, quantity) => {
        const status = items.find((item) => item.petId === petId)?.status;
        return items.map((item) => (item.status === status ? { ...item, quantity } : item));
      }),
    ],
    'update-sells-empty-pets': [
      'An update makes every other pet without stock sold',
      changeEntriesAfterUpdate((items, petId) =>
        items.map((item) =>
          item.petId !== petId && Number(item.quantity) === 0 ? { ...item, status: 'sold' } : item,
        ),
      ),
    ],
    'update-changes-neighbour-once-in-ten': [
      'One update in ten sets the next pet to the same quantity too',
      changeEntriesAfterUpdate((items, petId, quantity, store) => {
        const neighbour = isTenth(store) ? neighbourOf(items, petId) : undefined;
        return items.map((item) => (item === neighbour ? { ...item, quantity } : item));
      }),
    ],
  }),
];
