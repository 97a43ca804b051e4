import type { InventoryItem } from '../../../contract/inventory.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Exchange } from '../exchange.ts';
import type { WriteRecord } from './write-record.ts';

/** A pet that the list shows as it cannot stand. */
export interface Deviation {
  readonly petId: bigint;
  /** `undefined` if the list lacks the pet. */
  readonly seen: InventoryItem | undefined;
  /** What it may stand at, in words; `undefined` if it is no pet of the store. */
  readonly expected: string | undefined;
  /** Whether the quantity is right, and the status alone is not. */
  readonly isStatusOnly: boolean;
  /** Whether an update of it was ever accepted. */
  readonly isUpdated: boolean;
}

/** A requirement that a list breaks. */
export interface Accusation {
  readonly requirement: RequirementId;
  readonly message: string;
  /** The update that it comes from, if one can be told. */
  readonly cause: Exchange | undefined;
}

/**
 * Names the requirements that a deviation breaks.
 * @param records the updates since the list before
 * @param deviating each pet that the list shows as it cannot stand
 */
export function accuse(
  deviation: Deviation,
  records: readonly WriteRecord[],
  deviating: ReadonlyMap<bigint, Deviation>,
): readonly Accusation[] {
  const own = records.filter(({ petId, isAccepted }) => isAccepted && petId === deviation.petId);
  const reason =
    deviation.expected !== undefined && own.length > 0
      ? reasonAfterUpdate(deviation, own, { records, deviating })
      : reasonWithoutUpdate(deviation, records, deviating);
  const first = `Pet ${deviation.petId} ${describe(deviation)}`;
  const accusations = reason === null ? [] : [{ ...reason, message: `${first} ${reason.message}` }];
  return deviation.seen !== undefined || reason?.requirement === 'list-complete'
    ? accusations
    : [...accusations, { requirement: 'list-complete', message: first, cause: undefined }];
}

function because(requirement: RequirementId, message: string, cause?: WriteRecord): Accusation {
  return { requirement, message, cause: cause?.exchange };
}

interface Surroundings {
  readonly records: readonly WriteRecord[];
  readonly deviating: ReadonlyMap<bigint, Deviation>;
}

/** @returns `null` if it is told with another pet */
function reasonAfterUpdate(
  { petId, seen }: Deviation,
  own: readonly WriteRecord[],
  { records, deviating }: Surroundings,
): Accusation | null {
  const quantity = quantityOf(seen);
  const added = own.find((record) => isSum(record, quantity));
  if (added !== undefined) {
    return because('update-sets', 'An update sets the quantity and does not add to it.', added);
  }
  const refused = refusedOf(records, quantity).findLast((record) => record.petId === petId);
  if (refused !== undefined) {
    return because('refused-changes-nothing', 'That is what a refused update asked for.', refused);
  }
  const last = own.at(-1);
  return last !== undefined && isShownElsewhere(last, records, deviating)
    ? null
    : because(
        'update-persists',
        `It was set to ${last?.quantity ?? 'that'} by an update before the list.`,
        last,
      );
}

function reasonWithoutUpdate(
  deviation: Deviation,
  records: readonly WriteRecord[],
  deviating: ReadonlyMap<bigint, Deviation>,
): Accusation {
  const quantity = deviation.isStatusOnly ? undefined : quantityOf(deviation.seen);
  const written = refusedOf(records, quantity).at(-1);
  if (written !== undefined) {
    return because('refused-changes-nothing', 'That is what a refused update asked for.', written);
  }
  const accepted = records.filter(({ isAccepted }) => isAccepted);
  const misled = accepted.findLast(
    (record) => record.quantity === quantity && record.petId !== null && deviating.has(record.petId),
  );
  if (misled !== undefined) {
    const what = `That is what pet ${misled.petId} was set to, and it does not stand there.`;
    return because('update-exact-pet', what, misled);
  }
  const last = records.at(-1);
  if (last !== undefined) {
    return last.isAccepted || accepted.length > 0
      ? because(
          'update-touches-one-entry',
          'Only other pets were updated since the list before.',
          accepted.at(-1),
        )
      : because('refused-changes-nothing', 'Updates were only refused since the list before.', last);
  }
  return because(
    deviation.isUpdated && deviation.seen !== undefined ? 'update-persists' : 'list-complete',
    'Nothing was updated since the list before.',
  );
}

/** The updates that were refused and asked for what is shown. */
function refusedOf(records: readonly WriteRecord[], seen: number | undefined): readonly WriteRecord[] {
  return records.filter(({ isAccepted, quantity }) => !isAccepted && quantity !== null && quantity === seen);
}

/** Whether the sum of the old and the new quantity is shown. */
function isSum({ before, quantity }: WriteRecord, seen: number | undefined): boolean {
  return before.some((old) => old !== null && old !== 0 && quantity !== null && old + quantity === seen);
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
  return expected === undefined
    ? `is not in the store, and the list ${shown}.`
    : `stands at ${expected}, and the list ${shown}.`;
}
