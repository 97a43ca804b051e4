import { isJsonObject } from '../../contract/lossless-json.ts';
import { decodeJson } from '../service/inventory-update.ts';
import type { Fault } from './fault.ts';
import {
  acceptBodies,
  acceptQuantities,
  changeUpdateAnswers,
  isFraction,
  isMissingQuantity,
  quantityIn,
  refuseWith,
} from '../alterations/update-changes.ts';

function toInteger(value: number): number {
  return Number.isNaN(value) ? 0 : Math.trunc(value);
}

/** The integer in the first member whose name is meant. */
function quantityNamed(bytes: Uint8Array, isMeant: (name: string) => boolean): number | undefined {
  const body = isMissingQuantity(bytes) ? decodeJson(bytes) : undefined;
  const value = Object.entries(isJsonObject(body) ? body : {}).find(([name]) => isMeant(name))?.[1];
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

export const UPDATE_VALIDATION_FAULTS: readonly Fault[] = [
  {
    id: 'missing-quantity-sets-zero',
    title: 'A body without quantity sets 0',
    breaks: 'update-missing-quantity',
    alter: acceptBodies((bytes) => (isMissingQuantity(bytes) ? 0 : undefined)),
  },
  {
    id: 'missing-quantity-accepted-beside-others',
    title: 'A body with other members and no quantity is answered 200 and changes nothing',
    breaks: 'update-missing-quantity',
    alter: acceptBodies((bytes) =>
      isMissingQuantity(bytes) && Object.keys(decodeJson(bytes) ?? {}).length > 0 ? 'keep' : undefined,
    ),
  },
  {
    id: 'quantity-in-any-letter-case',
    title: 'The member quantity is taken in any letter-case',
    breaks: 'update-missing-quantity',
    alter: acceptBodies((bytes) => quantityNamed(bytes, (name) => name.toLowerCase() === 'quantity')),
  },
  {
    id: 'quantity-capitalized',
    title: 'A member Quantity is taken for quantity',
    breaks: 'update-missing-quantity',
    alter: acceptBodies((bytes) => quantityNamed(bytes, (name) => name === 'Quantity')),
  },
  {
    id: 'quantity-with-space-around-its-name',
    title: 'The name of the member quantity is trimmed before it is compared',
    breaks: 'update-missing-quantity',
    alter: acceptBodies((bytes) => quantityNamed(bytes, (name) => name.trim() === 'quantity')),
  },
  {
    id: 'missing-quantity-answered-422',
    title: 'A body without quantity is answered 422',
    breaks: 'update-missing-quantity',
    alter: refuseWith(422, isMissingQuantity),
  },
  {
    id: 'nested-quantity-accepted',
    title: 'A quantity inside another member is accepted',
    breaks: 'update-missing-quantity',
    alter: acceptBodies((bytes) => {
      const body = isMissingQuantity(bytes) ? decodeJson(bytes) : undefined;
      const nested = Object.values(isJsonObject(body) ? body : {}).find((member) => isJsonObject(member));
      const quantity = isJsonObject(nested) ? nested['quantity'] : undefined;
      return typeof quantity === 'number' ? quantity : undefined;
    }),
  },
  {
    id: 'change-accepted-as-quantity',
    title: 'A member "delta" is accepted in place of a quantity',
    breaks: 'update-missing-quantity',
    alter: acceptBodies((bytes) => {
      const body = isMissingQuantity(bytes) ? decodeJson(bytes) : undefined;
      const delta = isJsonObject(body) ? body['delta'] : undefined;
      return typeof delta === 'number' ? delta : undefined;
    }),
  },
  {
    id: 'null-quantity-sets-zero',
    title: 'A quantity of null sets 0',
    breaks: 'update-invalid-quantity',
    alter: acceptQuantities((value) => (value === null ? 0 : undefined)),
  },
  {
    id: 'digits-in-string-accepted',
    title: 'A quantity that is a string of digits is accepted',
    breaks: 'update-invalid-quantity',
    alter: acceptQuantities((value) =>
      typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined,
    ),
  },
  {
    id: 'exponent-in-string-accepted',
    title: 'A quantity that is a string with an exponent is accepted',
    breaks: 'update-invalid-quantity',
    alter: acceptQuantities((value) =>
      typeof value === 'string' && /^\d+e\d+$/i.test(value) ? Number(value) : undefined,
    ),
  },
  {
    id: 'digits-before-a-word-accepted',
    title: 'A quantity that is a string which begins with digits is accepted',
    breaks: 'update-invalid-quantity',
    alter: acceptQuantities((value) =>
      typeof value === 'string' && /^\d+\D/.test(value) ? Number.parseInt(value, 10) : undefined,
    ),
  },
  {
    id: 'fraction-next-to-integer-rounded',
    title: 'A quantity within a millionth of an integer is taken for it',
    breaks: 'update-invalid-quantity',
    alter: acceptQuantities((value) =>
      isFraction(value) && Math.abs(value - Math.round(value)) < 1e-6 ? Math.round(value) : undefined,
    ),
  },
  {
    id: 'boolean-as-number',
    title: 'A quantity of true sets 1, and of false 0',
    breaks: 'update-invalid-quantity',
    alter: acceptQuantities((value) => (typeof value === 'boolean' ? Number(value) : undefined)),
  },
  {
    id: 'array-of-one-accepted',
    title: 'A quantity that is an array of one integer is accepted',
    breaks: 'update-invalid-quantity',
    alter: acceptQuantities((value) =>
      Array.isArray(value) && value.length === 1 ? toInteger(Number(value[0])) : undefined,
    ),
  },
  {
    id: 'fraction-truncated',
    title: 'The fraction of a quantity is cut off',
    breaks: 'update-invalid-quantity',
    alter: acceptQuantities((value) => (isFraction(value) ? Math.abs(Math.trunc(value)) : undefined)),
  },
  {
    id: 'invalid-quantity-answered-422',
    title: 'An invalid quantity is answered 422',
    breaks: 'update-invalid-quantity',
    alter: refuseWith(422, (bytes) => quantityIn(bytes) !== undefined),
  },
  {
    id: 'invalid-quantity-answered-200-with-error',
    title: 'An invalid quantity is answered 200 with an Error object',
    breaks: 'update-invalid-quantity',
    alter: changeUpdateAnswers(() => async (answer, { readBytes }) => {
      const isMeant = answer.status === 400 && quantityIn(await readBytes()) !== undefined;
      return isMeant ? { ...answer, status: 200 } : answer;
    }),
  },
];
