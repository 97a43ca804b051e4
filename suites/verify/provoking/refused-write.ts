import { isAccepted, type Exchange, readListing } from '../../oracle/index.ts';
import { updateInventory, type Pet } from '../../target/index.ts';
import type { Lab } from '../lab.ts';
import { judgeUnlessUnanswered } from './unanswered.ts';

/**
 * Judges by a later list that a refused update left its pet as it was. A quantity that the update explains neither
 * by setting nor by adding came from elsewhere, and says nothing.
 * @param attempted the quantity that was refused
 * @param unanswered requests without a response, each of which may have been the update and been granted
 * @param cause begins a sentence, such as `An update by a banned key`
 */
export function judgeRefusedWrite(
  lab: Lab,
  {
    pet,
    attempted,
    listed,
    cause,
    unanswered = 0,
  }: { pet: Pet; attempted: number; listed: Exchange; cause: string; unanswered?: number },
): void {
  const before = Number(pet.item.quantity);
  const seen = readListing(listed)?.get(pet.petId.toString())?.quantity;
  if (seen === undefined || lab.isShared(pet.petId, 0)) {
    return;
  }
  const now = Number(seen);
  if (now === before || now === attempted || now === before + attempted) {
    const refused = lab.lastWrite((exchange) => isRefusalOf(exchange, pet, attempted));
    judgeUnlessUnanswered(
      lab,
      unanswered,
      'refused-changes-nothing',
      now === before,
      `${cause} changed pet ${pet.petId} from ${before} to ${now}.`,
      refused ?? listed,
    );
  }
  if (now !== before) {
    lab.owe(pet);
  }
}

/**
 * The refused update that is likeliest to have written after all: the last one that holds what is seen now, such as
 * the whole part of a fraction, else the last one.
 * @param seen digits of a quantity or of a petId
 */
export function refusedWriteOf(lab: Lab, seen: string): Exchange | undefined {
  const holds = ({ request }: Exchange): boolean =>
    request.path.endsWith(`/${seen}`) || (typeof request.body === 'string' && request.body.includes(seen));
  return (
    lab.lastWrite((exchange) => !isAccepted(exchange) && holds(exchange)) ??
    lab.lastWrite((exchange) => !isAccepted(exchange))
  );
}

function isRefusalOf(exchange: Exchange, { petId }: Pet, attempted: number): boolean {
  const { path, body } = updateInventory(petId, attempted);
  return exchange.request.path.endsWith(path) && exchange.request.body === body && !isAccepted(exchange);
}
