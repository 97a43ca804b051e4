import type { RequestMessage } from '../exchange.ts';
import type { RequestReading } from './permitted-answers.ts';
import { MAY_ASK_FOR_ANOTHER } from './request-fields.ts';

/** What a request may change in the inventory, if it is granted: one pet, any pet, or nothing. */
export type RequestEffect = PetEffect | 'any pet' | null;

export interface PetEffect {
  readonly petId: bigint;
  /** What the pet is set to; `null` if that is open. */
  readonly quantity: bigint | null;
}

/** @param reading that of the request */
export function effectOf(
  { headers }: Pick<RequestMessage, 'headers'>,
  { target, body, fields }: RequestReading,
): RequestEffect {
  if (headers.some(([name]) => MAY_ASK_FOR_ANOTHER.test(name))) {
    return 'any pet';
  }
  if (target.kind === 'undocumented') {
    return target.mayWrite ? 'any pet' : null;
  }
  if (target.operation !== 'updateInventory') {
    return null;
  }
  const { petId } = target;
  if (petId === 'beyond int64') {
    return null;
  }
  return typeof petId === 'bigint' ? { petId, quantity: quantityAskedFor({ body, fields }) } : 'any pet';
}

/** The quantity that an update asks for; `null` if that is open. */
export function quantityAskedFor({ body, fields }: Pick<RequestReading, 'body' | 'fields'>): bigint | null {
  const isClear =
    typeof body === 'object' &&
    (fields === 'plain' || fields === 'in chunks') &&
    (body.kind === 'plain' || body.kind === 'beyond' || body.kind === 'further');
  return isClear ? body.quantity : null;
}

export type WriteOutcome = 'granted' | 'refused' | 'unknown';

/**
 * Whether a request that may change something did so, by the status of its answer. A server error, a timeout, a promise to
 * do it later, and no response at all (`null`) do not tell.
 */
export function outcomeOfWrite(status: number | null): WriteOutcome {
  if (status === null || status < 200 || status === 202 || status === 408 || status >= 500) {
    return 'unknown';
  }
  return status < 300 ? 'granted' : 'refused';
}
