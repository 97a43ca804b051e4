import { dropConnections, onUpdateBody } from '../alterations/responses.ts';
import {
  acceptQuantities,
  changeUpdateAnswers,
  isFraction,
  quantityIn,
  refuseWith,
} from '../alterations/updates.ts';
import type { Fault } from './fault.ts';

function toInteger(value: number): number {
  return Number.isNaN(value) ? 0 : Math.trunc(value);
}

export const UPDATE_INVALID_QUANTITY_FAULTS: readonly Fault[] = [
  {
    id: 'quantity-null-closes-the-connection',
    title: 'An update to a quantity of null closes the connection without a response',
    breaks: 'update-invalid-quantity',
    alter: dropConnections(
      onUpdateBody((bytes) => quantityIn(bytes) === null),
      'goes on',
    ),
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
    title: 'A quantity that is a string beginning with digits is accepted',
    breaks: 'update-invalid-quantity',
    alter: acceptQuantities((value) =>
      typeof value === 'string' && /^\d+\D/.test(value) ? Number.parseInt(value, 10) : undefined,
    ),
  },
  {
    id: 'fraction-next-to-integer-rounded',
    title: 'A quantity within a millionth of an integer is rounded to it',
    breaks: 'update-invalid-quantity',
    alter: acceptQuantities((value) =>
      isFraction(value) && Math.abs(value - Math.round(value)) < 1e-6 ? Math.round(value) : undefined,
    ),
  },
  {
    id: 'boolean-as-number',
    title: 'A quantity of true sets 1, and one of false sets 0',
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
    title: 'The fractional part of a quantity is cut off',
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
    alsoBreaks: ['item-pet-id'],
    alter: changeUpdateAnswers(() => async (answer, { readBytes }) => {
      const isMeant = answer.status === 400 && quantityIn(await readBytes()) !== undefined;
      return isMeant ? { ...answer, status: 200 } : answer;
    }),
  },
];
