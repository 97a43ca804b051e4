import type { InventoryItem } from '../../../contract/inventory.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Exchange } from '../exchange.ts';
import { isSum, type WriteRecord } from './write-record.ts';

/** A pet that the list shows as it cannot stand. */
export interface Deviation {
  readonly petId: bigint;
  /** `undefined` if the list lacks the pet. */
  readonly seen: InventoryItem | undefined;
  /** What it may stand at, in words; '' if nothing fits, `undefined` if it is not in the store. */
  readonly expected: string | undefined;
  /** Whether the quantity is right, and the status alone is not. */
  readonly isStatusOnly: boolean;
  /** Whether an update of it was ever accepted. */
  readonly isUpdated: boolean;
  /** Whether it stood at the quantity that is shown before an update, lately. */
  readonly isEarlier: boolean;
  /** Whether it ever did, so that nobody else need have written it. */
  readonly wasOwn: boolean;
}

/** A requirement that a list breaks. */
export interface ListAccusation {
  readonly requirement: RequirementId;
  readonly message: string;
  /** The update that it comes from, if one can be told. */
  readonly cause: Exchange | undefined;
}

/** What is known beside the deviation itself. */
interface Surroundings {
  /** The updates since the list before. */
  readonly records: readonly WriteRecord[];
  /** Each pet that the list shows as it cannot stand. */
  readonly deviating: ReadonlyMap<bigint, Deviation>;
  /** What was broken before, and nothing else could have been; is added to. */
  readonly proven: Set<RequirementId>;
  /** How many lists were as they should be after updates that were all accepted, and after ones that were all refused. */
  readonly clean: { readonly accepted: number; readonly refused: number };
}

/** Names the requirements that a deviation breaks. */
export function accuse(deviation: Deviation, surroundings: Surroundings): readonly ListAccusation[] {
  const { records } = surroundings;
  const own = records.filter(({ petId, isAccepted }) => isAccepted && petId === deviation.petId);
  const reason =
    deviation.expected !== undefined && own.length > 0 && !isByOthers(deviation, surroundings)
      ? reasonAfterUpdate(deviation, own, surroundings)
      : (reasonByQuantity(deviation, surroundings) ?? reasonWithoutUpdate(deviation, surroundings));
  const first = `Pet ${deviation.petId} ${describe(deviation)}`;
  const accusations = reason === null ? [] : [{ ...reason, message: `${first} ${reason.message}` }];
  return deviation.seen !== undefined || reason?.requirement === 'list-complete'
    ? accusations
    : [...accusations, { requirement: 'list-complete', message: first, cause: undefined }];
}

/** Whether something else than its own update has changed it: its status alone, or as others were seen to change pets. */
function isByOthers(
  { petId, isStatusOnly, isEarlier }: Deviation,
  { records, proven }: Surroundings,
): boolean {
  const isKnown = proven.has('refused-changes-nothing') || proven.has('update-touches-one-entry');
  return isStatusOnly || (!isEarlier && isKnown && records.some((record) => record.petId !== petId));
}

function because(requirement: RequirementId, message: string, cause?: WriteRecord): ListAccusation {
  return { requirement, message, cause: cause?.exchange };
}

const SUM = 'An update sets the quantity and does not add to it.';
const ADDED_BEFORE = 'It was updated before, and an update sets the quantity: it does not add to it.';
const AS_REFUSED = 'That is what a refused update asked for.';
const UNASKED = 'Nothing was updated since the list before.';
const ONLY_OTHERS = 'Only other pets were updated since the list before.';
const OTHERS_AND_REFUSED =
  'It was not updated since the list before; other pets were, and other updates were refused.';

/** @returns `null` if it is told with another pet */
function reasonAfterUpdate(
  { petId, seen, isEarlier, wasOwn }: Deviation,
  own: readonly WriteRecord[],
  { records, deviating, proven }: Surroundings,
): ListAccusation | null {
  const quantity = quantityOf(seen);
  const misled = misledTo(records, quantity);
  if (misled !== undefined) {
    return misled;
  }
  // Small quantities make sums by chance.
  const added = isEarlier ? undefined : own.find((record) => isSum(record, quantity));
  if (added !== undefined) {
    proven.add('update-sets');
    return because('update-sets', SUM, added);
  }
  const refused = refusedOf(records, quantity).findLast((record) => record.petId === petId);
  if (refused !== undefined && !isEarlier && !wasOwn) {
    return because('refused-changes-nothing', AS_REFUSED, refused);
  }
  const misplaced = wasOwn ? undefined : misplacedFrom(petId, quantity, { records, deviating });
  if (misplaced !== undefined) {
    return misplaced;
  }
  const last = own.at(-1);
  const asked = `It was set to ${last?.quantity ?? 'another quantity'} before the list.`;
  return last !== undefined && isShownElsewhere(last, records, deviating)
    ? null
    : because('update-persists', asked, last);
}

/** What the quantity that is shown tells, of a pet that was not updated since the list before. */
function reasonByQuantity(
  deviation: Deviation,
  { records, deviating }: Surroundings,
): ListAccusation | undefined {
  if (deviation.isStatusOnly) {
    return undefined;
  }
  const quantity = quantityOf(deviation.seen);
  const nobody = misledTo(records, quantity);
  if (nobody !== undefined) {
    return nobody;
  }
  const misplaced = deviation.wasOwn
    ? undefined
    : misplacedFrom(deviation.petId, quantity, { records, deviating });
  if (misplaced?.requirement === 'update-exact-pet') {
    return misplaced;
  }
  const refused = refusedOf(records, quantity);
  const written = refused.findLast(({ petId }) => petId === deviation.petId) ?? refused.at(-1);
  const isWritten = written !== undefined && (!deviation.isEarlier || written.petId === deviation.petId);
  if (isWritten && !deviation.wasOwn) {
    return because('refused-changes-nothing', AS_REFUSED, written);
  }
  return deviation.wasOwn
    ? because('update-persists', 'That is what it stood at before it was updated.')
    : undefined;
}

/** What the updates since the list before tell, of a pet that was not updated since. */
function reasonWithoutUpdate(deviation: Deviation, { records, proven, clean }: Surroundings): ListAccusation {
  if (deviation.isUpdated && deviation.seen !== undefined && proven.has('update-sets')) {
    return because('update-sets', ADDED_BEFORE);
  }
  const accepted = records.findLast(({ isAccepted }) => isAccepted);
  const ofRefused = records.filter(({ isAccepted }) => !isAccepted);
  const isPresence = (deviation.seen === undefined) !== (deviation.expected === undefined);
  // A refusal hardly removes another pet, or brings one back, as a list does that is read while others write.
  const refused =
    ofRefused.findLast(({ petId }) => petId === deviation.petId) ??
    (isPresence ? undefined : ofRefused.at(-1));
  if (accepted !== undefined && refused !== undefined) {
    const isKnown = proven.has('refused-changes-nothing') !== proven.has('update-touches-one-entry');
    const isByRefused = isKnown
      ? proven.has('refused-changes-nothing')
      : refused.petId === deviation.petId ||
        (clean.accepted === clean.refused
          ? refused.answeredAt > accepted.answeredAt
          : clean.accepted > clean.refused);
    return isByRefused
      ? because('refused-changes-nothing', OTHERS_AND_REFUSED, refused)
      : because('update-touches-one-entry', OTHERS_AND_REFUSED, accepted);
  }
  if (accepted !== undefined) {
    proven.add('update-touches-one-entry');
    return because('update-touches-one-entry', ONLY_OTHERS, accepted);
  }
  if (refused !== undefined) {
    proven.add('refused-changes-nothing');
    return because('refused-changes-nothing', 'Updates were only refused since the list before.', refused);
  }
  const isUndone = deviation.isUpdated && deviation.seen !== undefined;
  return because(isUndone ? 'update-persists' : 'list-complete', UNASKED);
}

/** An accepted update that spells the id of no pet asked for what is shown. */
function misledTo(records: readonly WriteRecord[], seen: number | undefined): ListAccusation | undefined {
  const misled = records.findLast(
    ({ petId, isAccepted, quantity }) =>
      petId === null && isAccepted && quantity !== null && quantity === seen,
  );
  const { method, path } = misled?.exchange.request ?? {};
  const what = `That is what ${method} ${path} asked for, which spells the id of no pet.`;
  return misled === undefined ? undefined : because('update-exact-pet', what, misled);
}

/** An accepted update of another pet asked for what is shown. */
function misplacedFrom(
  shownBy: bigint,
  seen: number | undefined,
  { records, deviating }: Pick<Surroundings, 'records' | 'deviating'>,
): ListAccusation | undefined {
  const other = records.findLast(
    ({ petId, isAccepted, quantity }) =>
      petId !== null && petId !== shownBy && isAccepted && quantity === seen,
  );
  const { petId = null } = other ?? {};
  if (petId === null) {
    return undefined;
  }
  const what = `That is what pet ${petId} was set to`;
  return deviating.has(petId)
    ? because('update-exact-pet', `${what}, and it does not stand there.`, other)
    : because('update-touches-one-entry', `${what}.`, other);
}

/** The updates that were refused and asked for what is shown. */
function refusedOf(records: readonly WriteRecord[], seen: number | undefined): readonly WriteRecord[] {
  return records.filter(({ isAccepted, quantity }) => !isAccepted && quantity !== null && quantity === seen);
}

/** Whether a pet that was not updated shows what this one was set to. */
function isShownElsewhere(
  record: WriteRecord,
  records: readonly WriteRecord[],
  deviating: ReadonlyMap<bigint, Deviation>,
): boolean {
  return deviating
    .values()
    .filter(({ petId }) => !records.some((other) => other.isAccepted && other.petId === petId))
    .some(({ seen, petId }) => petId !== record.petId && quantityOf(seen) === record.quantity);
}

function quantityOf(seen: InventoryItem | undefined): number | undefined {
  return seen === undefined ? undefined : Number(seen.quantity);
}

function describe({ seen, expected }: Deviation): string {
  const shown = seen === undefined ? 'lacks it' : `shows ${seen.quantity} ${seen.status}`;
  if (expected === undefined) {
    return `is not in the store, and the list ${shown}.`;
  }
  return expected === ''
    ? `has no quantity that fits all that was answered before, and the list ${shown}.`
    : `stands at ${expected}, and the list ${shown}.`;
}
