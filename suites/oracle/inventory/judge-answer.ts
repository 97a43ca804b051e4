import { readInventoryItem } from '../../../contract/inventory.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { jsonOf, type Exchange } from '../exchange.ts';
import { isSum } from './write-record.ts';

/** An update that was answered 200. */
export interface AnsweredUpdate {
  readonly exchange: Exchange;
  /** The pet in its path. */
  readonly petId: bigint;
  /** What it asked for; `null` if that is open. */
  readonly quantity: number | null;
  /** What other updates of the pet asked for meanwhile; `null` if that is open. */
  readonly rivals: readonly (number | null)[];
  /** What the pet may have stood at before; `null` for anything. */
  readonly before: readonly (number | null)[];
}

interface AnswerJudgement {
  readonly requirement: RequirementId;
  readonly holds: boolean;
  readonly message: string;
}

/** Judges that an update is answered with its own pet and the new quantity, if the answer can be read. */
export function judgeUpdateAnswer(update: AnsweredUpdate): readonly AnswerJudgement[] {
  const { petId, quantity, rivals, before } = update;
  const reading = readInventoryItem(jsonOf(update.exchange));
  if ('problems' in reading) {
    return [];
  }
  const { item } = reading;
  const isSame = item.petId === petId;
  const named = `The answer to an update of pet ${petId} names pet ${item.petId}.`;
  const judgements: AnswerJudgement[] = [{ requirement: 'update-exact-pet', holds: isSame, message: named }];
  if (!isSame) {
    return isTruncated(item.petId, petId)
      ? [...judgements, { requirement: 'item-pet-id', holds: false, message: named }]
      : judgements;
  }
  const seen = Number(item.quantity);
  if (quantity === null) {
    return judgements;
  }
  const holds = seen === quantity || rivals.some((rival) => rival === null || rival === seen);
  const message = `The answer to an update of pet ${petId} to ${quantity} shows quantity ${item.quantity}.`;
  judgements.push({ requirement: 'update-succeeds', holds, message });
  if (!holds && before.length === 1 && isSum(update, seen)) {
    const sum = `Pet ${petId} stood at ${before[0]}, and an update to ${quantity} made it ${seen}.`;
    judgements.push({ requirement: 'update-sets', holds: false, message: sum });
  }
  return judgements;
}

/** Whether a double, or an integer of fewer bits, makes this of an int64. */
export function isTruncated(seen: bigint, petId: bigint): boolean {
  return (
    seen !== petId &&
    (Number(seen) === Number(petId) ||
      [32, 53].some((bits) => BigInt.asUintN(bits, seen) === BigInt.asUintN(bits, petId)))
  );
}
