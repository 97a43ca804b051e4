import { isJsonObject } from '../../contract/json/index.ts';
import { acceptBodies, isMissingQuantity, refuseWith } from '../alterations/updates.ts';
import { hangsAfter, leavesBodyAfter, type Fault } from './fault.ts';
import { decodeJson } from '../service/inventory-update.ts';

/** The integer in the first member whose name is meant. */
function quantityNamed(bytes: Uint8Array, isMeant: (name: string) => boolean): number | undefined {
  const body = isMissingQuantity(bytes) ? decodeJson(bytes) : undefined;
  const value = Object.entries(isJsonObject(body) ? body : {}).find(([name]) => isMeant(name))?.[1];
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

export const UPDATE_MISSING_QUANTITY_FAULTS: readonly Fault[] = [
  hangsAfter(400, 'update-missing-quantity'),
  leavesBodyAfter(400, 'update-missing-quantity'),
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
    title: 'The member quantity is accepted in any letter-case',
    breaks: 'update-missing-quantity',
    alter: acceptBodies((bytes) => quantityNamed(bytes, (name) => name.toLowerCase() === 'quantity')),
  },
  {
    id: 'quantity-capitalized',
    title: 'A member Quantity is accepted as quantity',
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
];
