import { readInventoryItem } from '../../../contract/inventory.ts';
import { jsonOf, type Exchange } from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import type { Pet } from '../../target/index.ts';

/** What `judgeAnswer` judges. */
export const ANSWER_JUDGES = [
  'update-exact-pet',
  'update-succeeds',
  'item-pet-id',
  'status-after-update',
] as const;

/** The answer to an update names its pet and the new quantity. */
export function judgeAnswer(context: CheckContext, exchange: Exchange, pet: Pet, quantity: number): void {
  const reading = readInventoryItem(jsonOf(exchange));
  if ('problems' in reading) {
    const problems = reading.problems.map(({ member, message }) => `${member} ${message}`).join(', ');
    context.fail(
      'update-succeeds',
      `The answer to an update of pet ${pet.petId} is no InventoryItem: ${problems}.`,
      exchange,
    );
  } else {
    const { item } = reading;
    const isSame = context.judge(
      'update-exact-pet',
      item.petId === pet.petId,
      `The answer to an update of pet ${pet.petId} names pet ${item.petId}.`,
      exchange,
    );
    if (!isSame && isRemnant(item.petId, pet.petId)) {
      context.fail(
        'item-pet-id',
        `The answer to an update of pet ${pet.petId} has lost digits of it: ${item.petId}.`,
        exchange,
      );
    }
    context.judge(
      'update-succeeds',
      item.quantity === quantity,
      `The answer to an update of pet ${pet.petId} to ${quantity} shows quantity ${item.quantity}.`,
      exchange,
    );
    const kept = item.status === pet.item.status ? 'kept' : 'changed';
    context.observe('status-after-update', quantity === 0 ? `${kept} at 0` : kept);
  }
}

/** Whether a double, or an integer of fewer bits, makes this of an int64. */
function isRemnant(seen: bigint, petId: bigint): boolean {
  return Number(seen) === Number(petId) || [32, 53].some((bits) => isSameModulo(seen, petId, bits));
}

function isSameModulo(left: bigint, right: bigint, bits: number): boolean {
  return BigInt.asUintN(bits, left) === BigInt.asUintN(bits, right);
}
