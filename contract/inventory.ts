import { asInteger, isInt64, isJsonObject, type ExactInteger, type JsonValue } from './json/index.ts';

/** PetStatus of the specification, section "Resources and their fields". */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

/** One entry of the inventory, which is JSON as it is; `petId` is an int64, exact to the last digit. */
export type InventoryItem = {
  readonly petId: bigint;
  readonly quantity: ExactInteger;
  readonly status: PetStatus;
};

/** The Error object of the specification. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

export function isPetStatus(value: JsonValue | undefined): value is PetStatus {
  return PET_STATUSES.some((status) => status === value);
}

/** Reads an InventoryItem from JSON, or names each member that is missing or of the wrong type. */
export function readInventoryItem(
  value: JsonValue | undefined,
): { readonly item: InventoryItem } | { readonly problems: readonly ItemProblem[] } {
  if (!isJsonObject(value)) {
    return { problems: [{ member: 'object', message: 'is not a JSON object' }] };
  }
  const problems: ItemProblem[] = [];
  const petId = asInteger(value['petId']);
  if (petId === undefined) {
    problems.push({ member: 'petId', message: describeWrong(value['petId'], 'an integer') });
  } else if (!isInt64(petId)) {
    problems.push({ member: 'petId', message: `${petId} does not fit int64` });
  }
  const quantity = asInteger(value['quantity']);
  if (quantity === undefined) {
    problems.push({ member: 'quantity', message: describeWrong(value['quantity'], 'an integer') });
  }
  const status = value['status'];
  if (!isPetStatus(status)) {
    problems.push({ member: 'status', message: describeWrong(status, `one of ${PET_STATUSES.join(', ')}`) });
  }
  if (problems.length > 0 || petId === undefined || quantity === undefined || !isPetStatus(status)) {
    return { problems };
  }
  const narrow = Number(quantity);
  return { item: { petId, quantity: Number.isSafeInteger(narrow) ? narrow : quantity, status } };
}

export interface ItemProblem {
  readonly member: 'object' | 'petId' | 'quantity' | 'status';
  readonly message: string;
}

function describeWrong(value: JsonValue | undefined, wanted: string): string {
  if (value === undefined) {
    return 'is missing';
  }
  return `is ${describeValue(value)}, not ${wanted}`;
}

/** Objects and arrays are only named, since they may be nested deeper than `JSON.stringify` goes. */
function describeValue(value: JsonValue): string {
  if (typeof value === 'object' && value !== null) {
    return Array.isArray(value) ? 'an array' : 'an object';
  }
  const shown = typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
}
