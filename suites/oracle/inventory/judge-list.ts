import type { InventoryItem } from '../../../contract/inventory.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { NOTHING_STRANGE, type StrangeChanges } from '../history-monitor.ts';
import type { InventoryList } from '../inventory-list.ts';
import { siftDeviations, type ListMoment } from './claimed-pets.ts';
import { isTruncated } from './judge-answer.ts';
import { accuse, type ListAccusation, type Deviation } from './deviation.ts';
import { entriesOf, isClaimed, learn, MOST_KNOWN_PETS, type KnownStore } from './known-store.ts';
import {
  admit,
  confirm,
  describeKnown,
  describePossible,
  isEarlierQuantity,
  isSame,
  mayStandAt,
  type PossibleEntries,
  type ReadSpan,
} from './possible-entries.ts';
import type { WriteRecord } from './write-record.ts';

/** What a list shows of the store, which learns from it. */
interface ListJudgement {
  /** One for each requirement that is broken; several pets may break it. */
  readonly accusations: readonly ListAccusation[];
  /** Whether it was compared with every pet of the store whose entry can be read, and lacks none. */
  readonly isWhole: boolean;
  /** Whether some pets cannot stand so, and it may have been somebody else. */
  readonly isDoubtful: boolean;
  readonly strange: StrangeChanges;
}

const UNKNOWN_PET = { isStatusOnly: false, isUpdated: false, isEarlier: false, wasOwn: false };
const NOT_COMPARED: ListJudgement = {
  accusations: [],
  isWhole: false,
  isDoubtful: false,
  strange: NOTHING_STRANGE,
};

/**
 * Compares a list with the store. What cannot be is taken for what is, so that it is told once.
 * @param proven what was broken before, and nothing else could have been; is added to
 */
export function judgeList(
  store: KnownStore,
  list: InventoryList,
  moment: ListMoment,
  proven: Set<RequirementId>,
): ListJudgement {
  const { records, span } = moment;
  if (!store.isOurs || span.sentAt <= store.since || store.wild.size > 0) {
    return NOT_COMPARED;
  }
  const { problems, repeated, length } = list;
  const areIdsReadable = !problems.has('object') && !problems.has('petId');
  const isReadable = areIdsReadable && repeated === undefined;
  if (store.entries === null || list.length > MOST_KNOWN_PETS) {
    const deviations = [...deviationsOfWritten(store, list, span)];
    if (isReadable && store.entries === null && list.length <= MOST_KNOWN_PETS && deviations.length === 0) {
      learn(store, list.items.values(), span.now);
      unreadablePets(list).forEach((petId) => store.doubtful.add(petId));
    }
    const { answerable, strange } = siftDeviations(store, deviations, moment);
    return { ...NOT_COMPARED, accusations: accusationsOf(store, answerable, records, proven), strange };
  }
  const { entries } = store;
  const showsAbsence = isReadable || (areIdsReadable && length === entries.size);
  const settled = settledPets(store, span, records);
  const deviations = [
    ...deviationsOfListed(store, entries, list, { span, settled }),
    ...(showsAbsence ? deviationsOfAbsent(store, entries, list, settled) : []),
  ];
  const misspelled = misspelledPetId(list, entries.size, deviations);
  for (const { petId } of deviations.filter(
    ({ seen, expected }) => (seen === undefined) !== (expected === undefined),
  )) {
    store.doubtful.add(petId);
    store.disputed.add(petId);
  }
  const { answerable, strange } = siftDeviations(store, deviations, moment);
  const accusations =
    misspelled === undefined ? accusationsOf(store, answerable, records, proven) : [misspelled];
  if (deviations.length === 0) {
    noteClean(store, records);
  }
  return { accusations, isWhole: isReadable, isDoubtful: answerable.length < deviations.length, strange };
}

/** The pets that a list names, and whose other members cannot be read. */
function unreadablePets({ petIds, items, problems }: InventoryList): readonly bigint[] {
  return problems.size === 0 ? [] : [...petIds].filter((petId) => !items.has(petId));
}

/** The doubtful pets that nothing was written to since a list was asked for, so that it tells how they stand. */
function settledPets(
  { doubtful }: KnownStore,
  { sentAt }: ReadSpan,
  records: readonly WriteRecord[],
): ReadonlySet<bigint> {
  const unsettled = new Set(
    doubtful.size === 0
      ? []
      : records.filter(({ answeredAt }) => answeredAt >= sentAt).map(({ petId }) => petId),
  );
  return new Set(doubtful.values().filter((petId) => !unsettled.has(petId)));
}

/** The pets that something was written to, of a store that is not known as a whole. */
function* deviationsOfWritten(store: KnownStore, list: InventoryList, span: ReadSpan): Generator<Deviation> {
  for (const [petId, possible] of store.written) {
    const seen = list.items.get(petId);
    if (seen !== undefined && !store.doubtful.has(petId)) {
      const deviation = judgeEntry(petId, possible, seen, span);
      if (deviation !== undefined) {
        yield deviation;
      }
    }
  }
}

function* deviationsOfListed(
  store: KnownStore,
  entries: NonNullable<KnownStore['entries']>,
  list: InventoryList,
  { span, settled }: { readonly span: ReadSpan; readonly settled: ReadonlySet<bigint> },
): Generator<Deviation> {
  for (const seen of list.items.values()) {
    const { petId } = seen;
    const known = entries.get(petId);
    const written = store.written.get(petId);
    if (!isClaimed(store, petId)) {
      entries.set(petId, seen);
      if (known !== undefined && !isSame(known, seen)) {
        const isStatusOnly = Number(known.quantity) === Number(seen.quantity);
        yield {
          ...UNKNOWN_PET,
          petId,
          seen,
          expected: describeKnown(known),
          isStatusOnly,
        };
      }
    } else if (store.doubtful.has(petId)) {
      if (settled.has(petId)) {
        store.returned += store.disputed.has(petId) && known !== undefined ? 1 : 0;
        entries.set(petId, seen);
        store.doubtful.delete(petId);
        store.written.delete(petId);
      }
    } else if (written !== undefined) {
      const deviation = judgeEntry(petId, written, seen, span);
      if (deviation !== undefined) {
        yield deviation;
      }
    } else if (known === undefined && store.claimed !== null && store.disputed.has(petId)) {
      store.returned += 1;
      entries.set(petId, seen);
    } else if (known === undefined) {
      yield { petId, seen, expected: undefined, ...UNKNOWN_PET };
    } else if (!isSame(known, seen)) {
      const possible = entriesOf(store, petId);
      const deviation = possible && judgeEntry(petId, possible, seen, span);
      if (deviation !== undefined) {
        yield deviation;
      }
    } else if (known.status === null) {
      entries.set(petId, seen);
    }
  }
}

function* deviationsOfAbsent(
  store: KnownStore,
  entries: NonNullable<KnownStore['entries']>,
  list: InventoryList,
  settled: ReadonlySet<bigint>,
): Generator<Deviation> {
  for (const [petId, known] of entries) {
    if (list.petIds.has(petId)) {
      continue;
    }
    if (settled.has(petId) || !isClaimed(store, petId)) {
      entries.delete(petId);
      store.doubtful.delete(petId);
      store.written.delete(petId);
    } else if (!store.doubtful.has(petId)) {
      const isUpdated = store.written.get(petId)?.isUpdated === true;
      const expected = isUpdated ? 'the quantity of its update' : describeKnown(known);
      yield { petId, seen: undefined, expected, ...UNKNOWN_PET, isUpdated };
    }
  }
}

function judgeEntry(
  petId: bigint,
  possible: PossibleEntries,
  seen: InventoryItem,
  span: ReadSpan,
): Deviation | undefined {
  if (mayStandAt(possible, seen, span)) {
    confirm(possible, seen, span);
    return undefined;
  }
  const expected = describePossible(possible, span);
  const isStatusOnly = (['available', 'pending', 'sold'] as const).some((status) =>
    mayStandAt(possible, { ...seen, status }, span),
  );
  admit(possible, seen, span);
  const quantity = Number(seen.quantity);
  const wasOwn = !isStatusOnly && isEarlierQuantity(possible, quantity, 'ever');
  const isEarlier = wasOwn && isEarlierQuantity(possible, quantity, 'lately');
  return { petId, seen, expected, isStatusOnly, isUpdated: possible.isUpdated, isEarlier, wasOwn };
}

function noteClean({ clean }: KnownStore, records: readonly WriteRecord[]): void {
  const accepted = records.filter(({ isAccepted }) => isAccepted).length;
  if (accepted > 0 && accepted === records.length) {
    clean.accepted += 1;
  } else if (records.length > 0 && accepted === 0) {
    clean.refused += 1;
  }
}

function accusationsOf(
  { clean }: KnownStore,
  deviations: readonly Deviation[],
  records: readonly WriteRecord[],
  proven: Set<RequirementId>,
): readonly ListAccusation[] {
  if (deviations.length === 0) {
    return [];
  }
  const deviating = new Map(deviations.map((deviation) => [deviation.petId, deviation]));
  const first = new Map<string, ListAccusation>();
  for (const deviation of deviations) {
    for (const accusation of accuse(deviation, { records, deviating, proven, clean })) {
      if (!first.has(accusation.requirement)) {
        first.set(accusation.requirement, accusation);
      }
    }
  }
  return [...first.values()];
}

/** A list of the right length in which a petId stands that a double or fewer bits make of another. */
function misspelledPetId(
  list: InventoryList,
  size: number,
  deviations: readonly Deviation[],
): ListAccusation | undefined {
  const absent = deviations.filter(({ seen }) => seen === undefined);
  // One that belongs there stands for itself.
  const strange = deviations.filter(({ expected }) => expected === undefined).map(({ petId }) => petId);
  const listed = absent.length > 0 && list.length === size ? strange : [];
  const lost = absent.find(({ petId }) => listed.some((other) => isTruncated(other, petId)));
  return lost === undefined
    ? undefined
    : {
        requirement: 'item-pet-id',
        message: `Pet ${lost.petId} is in the store, and the list shows another petId, which has lost digits of it.`,
        cause: undefined,
      };
}
