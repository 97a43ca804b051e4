import { isAccepted, type Exchange, readListing } from '../../oracle/index.ts';
import { updateInventory, type Pet } from '../../target/index.ts';
import type { CheckContext } from '../check-context.ts';
import { judgeUnlessResponsesLost } from './lost-responses.ts';

/**
 * Judges by a later list that a refused update left its pet as it was. A quantity that the update explains neither
 * by setting nor by adding came from elsewhere, and says nothing.
 * @param attempted the quantity that was refused
 * @param lostResponses requests without a response, each of which may have been the update and been granted
 * @param cause begins a sentence, such as `An update by a banned key`
 */
export function judgeRefusedWrite(
  context: CheckContext,
  {
    pet,
    attempted,
    listed,
    cause,
    lostResponses = 0,
  }: { pet: Pet; attempted: number; listed: Exchange; cause: string; lostResponses?: number },
): void {
  const before = Number(pet.item.quantity);
  const seen = readListing(listed)?.get(pet.petId.toString())?.quantity;
  if (seen === undefined || context.isShared(pet.petId, 0)) {
    return;
  }
  const now = Number(seen);
  if (now === before || now === attempted || now === before + attempted) {
    const refused = context.lastWrite((exchange) => isRefusalOf(exchange, pet, attempted));
    judgeUnlessResponsesLost(
      context,
      lostResponses,
      'refused-changes-nothing',
      now === before,
      `${cause} changed pet ${pet.petId} from ${before} to ${now}.`,
      listed,
      refused,
    );
  }
  if (now !== before) {
    context.restoreLater(pet);
  }
}

/**
 * The refused update that is likeliest to have written after all: the last one that holds what is seen now, such as
 * the whole part of a fraction, else the last one.
 * @param seen digits of a quantity or of a petId
 */
export function refusedWriteOf(context: CheckContext, seen: string): Exchange | undefined {
  const holds = ({ request }: Exchange): boolean =>
    request.path.endsWith(`/${seen}`) || (typeof request.body === 'string' && request.body.includes(seen));
  return (
    context.lastWrite((exchange) => !isAccepted(exchange) && holds(exchange)) ??
    context.lastWrite((exchange) => !isAccepted(exchange))
  );
}

function isRefusalOf(exchange: Exchange, { petId }: Pet, attempted: number): boolean {
  const { path, body } = updateInventory(petId, attempted);
  return exchange.request.path.endsWith(path) && exchange.request.body === body && !isAccepted(exchange);
}
