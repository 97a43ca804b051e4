import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { countText } from '../../../contract/words/enumeration.ts';
import type { InventoryItem } from '../../../contract/inventory.ts';
import {
  followRecords,
  inventoryDigest,
  type JournalRecord,
  type JournalState,
  type PossibleWrite,
  type QuantityRange,
} from './journal-records.ts';
import { createLog, readLog, reopenLog, type RecordLog } from './record-log.ts';
import {
  journalFolder,
  lockFolder,
  reasonOfFile,
  UnusableState,
  type StateDirectory,
} from './state-directory.ts';
import { tryLock } from './system-lock.ts';
import { canonicalAddress, possibleIdentity } from './target-identity.ts';

/**
 * What a run is about to change at a target, kept on disk.
 *
 * What is promised: how a pet stood, and which quantities are about to be sent to it, is on the disk before the request
 * leaves; if it cannot be written, the request does not leave. Records are only ever added, each with a checksum. A
 * journal is another run's for as long as that run's process lives, which a lock of the operating system tells. One
 * that a dead run left is compared with what is there. A pet is put back if it has a quantity that the run may have
 * set, and only then; an inventory is put back as a whole if what the run put in its place is still there. What
 * cannot be put back stays in the journal, and each run says so until it is put back or the file is deleted.
 */
export type Journal = ReturnType<typeof openJournal>;

/** The journal of a run that died, which this process has for itself until it lets go of it. */
export type AbandonedJournal = ReturnType<typeof abandonedJournal>;

/** What the journals of runs under way in this process come to. */
const underWay = new Map<string, () => JournalState>();

/** Says what may stay changed if the process ends before its runs do, as a second Ctrl-C has it. */
function tellWhatIsLeft(): void {
  for (const [file, stateOf] of underWay) {
    const { target, pets, inventory } = stateOf();
    const touched = [...pets.values()].filter(({ sent }) => sent.length > 0);
    const left = [
      ...(inventory === null ? [] : [`the inventory of ${countText(inventory.items.length, 'pet')}`]),
      ...touched.map(({ item }) => `pet ${item.petId} (was ${item.quantity})`),
    ];
    if (left.length > 0) {
      process.stderr.write(
        `stockcheck: the run ended before all was put back. May be left changed: ${left.join(', ')}. The next run against ${target} puts it back; the journal is ${file}.\n`,
      );
    }
  }
}

/**
 * Opens the journal of a run.
 * @param tells whether to say what it holds if the process ends before the run does
 * @throws {UnusableState} if it cannot be written
 */
export function openJournal(target: string, { path, all }: StateDirectory, tells = false) {
  const name = `${prefixOf(target)}${String(Date.now()).padStart(15, '0')}-${randomUUID()}`;
  const file = join(journalFolder(path), `${name}.log`);
  const lockFile = lockOf(path, name);
  const lock = tryLock(lockFile);
  if (lock.state !== 'taken') {
    throw new UnusableState(
      `${lockFile} cannot be locked (${lock.state === 'held' ? 'somebody has it' : lock.reason}).`,
    );
  }
  const head: JournalRecord = { type: 'run', target, startedAt: new Date().toISOString() };
  const log = attempt(file, () => createLog(file, head));
  const followed = followRecords([head]);
  const { state } = followed;
  const held = { file, lockFile, release: lock.release, followed, damaged: 0 };
  const { close, writeLazily, ...end } = endOf(held, log);
  const sentTo = (petId: bigint): readonly QuantityRange[] => state().pets.get(petId.toString())?.sent ?? [];
  const write = (record: JournalRecord): void => {
    attempt(file, () => log.append(record));
    followed.add(record);
  };
  if (tells) {
    process.off('exit', tellWhatIsLeft).on('exit', tellWhatIsLeft);
    underWay.set(file, state);
  }
  return {
    ...end,
    /** Claims pets that are not claimed yet, and writes down how they stand. @throws {UnusableState} */
    claim: (items: readonly InventoryItem[]): void => write({ type: 'claim', items }),
    /** To be called before something is sent to claimed pets. @throws {UnusableState} */
    send: (writes: readonly PossibleWrite[]): void => {
      const news = writes.flatMap(({ petId, quantities }) => {
        const known = sentTo(petId);
        const fresh = quantities.filter(
          ([from, to]) => !known.some(([first, last]) => first <= from && to <= last),
        );
        return fresh.length === 0 ? [] : [{ petId, quantities: fresh }];
      });
      if (news.length > 0) {
        write({ type: 'send', writes: news });
      }
    },
    /** What a claimed pet may have been set to. */
    sentTo,
    /** These pets stand as they did, and other runs may have them. */
    release: (petIds: readonly bigint[]): void => writeLazily({ type: 'release', petIds }),
    /** Writes down the whole inventory before it is replaced. @throws {UnusableState} */
    noteInventory: (items: readonly InventoryItem[], control: string): void =>
      write({ type: 'inventory', items, control }),
    /** The inventory is about to be replaced by these pets. @throws {UnusableState} */
    noteFill: (petIds: readonly bigint[]): void => write({ type: 'fill', digest: inventoryDigest(petIds) }),
    /** Pets that another live run has claimed. */
    claimedElsewhere: (): ReadonlySet<string> => claimsOfOthers(target, all, name),
    close: (): void => {
      underWay.delete(file);
      close();
    },
  };
}

/** A journal that this process has for itself. */
interface HeldJournal {
  readonly file: string;
  readonly lockFile: string;
  readonly release: () => void;
  readonly followed: ReturnType<typeof followRecords>;
  readonly damaged: number;
}

/** @param opened its log, if that is open already */
function endOf({ file, lockFile, release, followed, damaged }: HeldJournal, opened?: RecordLog) {
  let log = opened;
  /** Losing such a record only makes the next run look once more. */
  const writeLazily = (record: JournalRecord): void => {
    followed.add(record);
    try {
      log ??= reopenLog(file);
      log.appendLazily(record);
    } catch {
      // The disk is full.
    }
  };
  return {
    file,
    writeLazily,
    /** These pets stand as they did. */
    restored: (petIds: readonly bigint[]): void => writeLazily({ type: 'restored', petIds }),
    inventoryRestored: (): void => writeLazily({ type: 'inventory-restored' }),
    /** Lets go of it; the file stays if something is not restored, or if records were damaged. */
    close: (): void => {
      log?.close();
      const { pets, inventory, unknown } = followed.state();
      const isDone = inventory === null && [...pets.values()].every(({ sent }) => sent.length === 0);
      const isGone = isDone && damaged + unknown === 0;
      if (isGone) {
        rmSync(file, { force: true });
      }
      release();
      if (isGone) {
        rmSync(lockFile, { force: true });
      }
    },
  };
}

/** Journals of the target whose runs died, the last first, and those of which that cannot be told. */
export function findAbandoned(target: string, directories: readonly string[]) {
  const abandoned: AbandonedJournal[] = [];
  const unclear: { readonly file: string; readonly reason: string }[] = [];
  for (const { directory, name } of journalsOf(target, directories).toReversed()) {
    const file = join(journalFolder(directory), `${name}.log`);
    const lockFile = lockOf(directory, name);
    const lock = tryLock(lockFile);
    if (lock.state === 'unknown') {
      unclear.push({ file, reason: lock.reason });
    } else if (lock.state === 'taken') {
      try {
        abandoned.push(abandonedJournal({ file, lockFile, release: lock.release }, target));
      } catch (error) {
        lock.release();
        // Its run, or one that restored it, may just have deleted it.
        if (existsSync(file)) {
          unclear.push({ file, reason: reasonOfFile(error) });
        }
      }
    }
  }
  return { abandoned, unclear };
}

function abandonedJournal(held: Pick<HeldJournal, 'file' | 'lockFile' | 'release'>, target: string) {
  const { file } = held;
  const { records, damaged } = readLog(file);
  const followed = followRecords(records);
  const state = followed.state();
  return {
    ...endOf({ ...held, followed, damaged }),
    state,
    /** Records that cannot be read. */
    damaged: damaged + state.unknown,
    /** Whether it was written under the same address, not only under another name of this machine. */
    isSameAddress: state.target !== '' && canonicalAddress(state.target) === canonicalAddress(target),
  };
}

function claimsOfOthers(target: string, directories: readonly string[], own: string): ReadonlySet<string> {
  return new Set(
    journalsOf(target, directories)
      .filter(({ directory, name }) => name !== own && isAlive(lockOf(directory, name)))
      .flatMap(({ directory, name }) => claimsIn(join(journalFolder(directory), `${name}.log`))),
  );
}

function isAlive(lockFile: string): boolean {
  const lock = tryLock(lockFile);
  if (lock.state === 'taken') {
    lock.release();
  }
  return lock.state === 'held';
}

function claimsIn(file: string): readonly string[] {
  try {
    return [...followRecords(readLog(file).records).state().pets.keys()];
  } catch {
    // Its run may have deleted it just now.
    return [];
  }
}

/** All journals of what may be the same target, the first first. */
function journalsOf(
  target: string,
  directories: readonly string[],
): readonly { readonly directory: string; readonly name: string }[] {
  const prefix = prefixOf(target);
  return directories
    .flatMap((directory) =>
      entriesOf(journalFolder(directory))
        .filter((entry) => entry.startsWith(prefix) && entry.endsWith('.log'))
        .map((entry) => ({ directory, name: entry.slice(0, -'.log'.length) })),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function entriesOf(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function prefixOf(target: string): string {
  return `${createHash('sha256').update(possibleIdentity(target)).digest('hex').slice(0, 16)}-`;
}

function lockOf(directory: string, name: string): string {
  return join(lockFolder(directory), `${name}.lock`);
}

/** @throws {UnusableState} */
function attempt<Result>(file: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw new UnusableState(`The journal ${file} cannot be written (${reasonOfFile(error)}).`);
  }
}
