import { type Exchange, readListing } from '../../oracle/index.ts';
import type { Pet } from '../../target/index.ts';
import type { CheckContext } from '../check-context.ts';

/** Has a pet put back if a list shows that an update changed it which was refused. */
export function restoreIfChanged(context: CheckContext, pet: Pet | undefined, listed: Exchange): void {
  if (pet === undefined) {
    return;
  }
  const seen = readListing(listed)?.get(pet.petId.toString())?.quantity;
  if (seen !== undefined && Number(seen) !== Number(pet.item.quantity)) {
    context.restoreLater(pet);
  }
}
