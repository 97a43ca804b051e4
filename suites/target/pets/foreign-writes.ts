import {
  ENOUGH_FOREIGN_WRITES,
  isAccepted,
  type Exchange,
  type Judgement,
  type Key,
  readListing,
  SEEN_IN_STORE,
  secondsUntilRoom,
} from '../../oracle/index.ts';
import { askForLists } from '../http/ask-for-lists.ts';
import type { TransportOptions } from '../http/http-transport.ts';
import type { TargetClient } from '../http/target-client.ts';

const PAUSES = 4;
/** Requests for lists that finding out may take, at most: two in a row, one after each pause, and one after each repetition. */
export const MOST_WRITE_INQUIRIES = 2 * PAUSES + 2;
const LONGEST_WAIT_SECONDS = 60;
// Of a longer list the others are left out.
const MOST_PETS = 10_000;
// A pet that stands once at what nothing asked for is told by the rest.
const ENOUGH_UNEXPLAINED = 2;
// Two runs that disturb each other might do so once more, but hardly twice.
const ENOUGH_REPETITIONS = 2;

/** What somebody else seems to do, and what speaks for it; `null` if nothing does. */
export type ForeignWrites = { readonly claim: string; readonly because: string } | null;

const STOPPED: ForeignWrites = {
  claim: 'Somebody else may have written to the inventory at the same time',
  because: 'the failures did not come back when the same requests were sent again after a pause',
};

interface WriteInquiry {
  /** Sends nothing for a while. */
  readonly pause: () => Promise<void>;
  /** Provokes what failed once more. @returns whether it failed; `null` if that could not be tried */
  readonly failsAgain: () => Promise<boolean | null>;
}

/**
 * Finds out, once the checks are over, whether somebody else writes to the inventory that failures were seen in: then more
 * quantities change while the run sends nothing than from one request to the next, again and again, and to others than
 * the list showed before. A list that goes back and forth between two states shows nothing new. Nor has the target
 * violated anything if pets stood at what nothing asked for, and all is well as soon as nobody writes: somebody else may
 * have stopped.
 */
export async function findForeignWrites(
  keys: readonly Key[],
  judgements: readonly Judgement[],
  client: TargetClient,
  transport: TransportOptions,
  inquiry: WriteInquiry,
): Promise<ForeignWrites> {
  const isBlamed = judgements.some(({ id, outcome }) => outcome === 'fail' && SEEN_IN_STORE.has(id));
  const { idle, unexplained } = client.history.strangeChanges();
  if (isBlamed && idle.length >= ENOUGH_FOREIGN_WRITES) {
    return describe(idle);
  }
  const now = client.time.now();
  const waitOf = (key: Key): number => secondsUntilRoom(key, MOST_WRITE_INQUIRIES, now);
  const [key] = isBlamed ? keys.toSorted((a, b) => waitOf(a) - waitOf(b)) : [];
  if (key === undefined || client.signal.aborted || waitOf(key) > LONGEST_WAIT_SECONDS) {
    return null;
  }
  return askForLists(client, transport, key, async (ask) => {
    await client.time.sleep(waitOf(key), `room in the limit of ${key.label}, to see whether others write`);
    const isSuspect = unexplained >= ENOUGH_UNEXPLAINED;
    return watchStore(ask, isSuspect ? inquiry : { ...inquiry, failsAgain: () => Promise.resolve(null) });
  });
}

/** What an inventory shows of others while it is left alone, and of the target when what failed is repeated. */
async function watchStore(
  look: () => Promise<Exchange>,
  { pause, failsAgain }: WriteInquiry,
): Promise<ForeignWrites> {
  const seen = new Map<string, Set<string>>();
  const first = noteNew(await look(), seen);
  const ordinary = noteNew(await look(), seen);
  if (first === null || ordinary === null) {
    return null;
  }
  const telling: string[] = [];
  let repetitions = 0;
  let isWell = false;
  for (let pauses = 1; pauses <= PAUSES && telling.length < ENOUGH_FOREIGN_WRITES; pauses += 1) {
    await pause();
    const changed = noteNew(await look(), seen);
    if (changed === null) {
      return null;
    }
    const [example] = changed;
    if (example !== undefined && changed.length > ordinary.length) {
      telling.push(example);
    } else {
      const fails = await failsAgain();
      isWell ||= fails === false;
      repetitions += fails === true || (fails === null && telling.length === 0) ? 1 : 0;
      const hasSent = fails !== null;
      if (repetitions === ENOUGH_REPETITIONS || (hasSent && noteNew(await look(), seen) === null)) {
        return null;
      }
    }
  }
  if (telling.length >= ENOUGH_FOREIGN_WRITES) {
    return describe(telling);
  }
  return isWell ? STOPPED : null;
}

function describe(changes: readonly string[]): ForeignWrites {
  return {
    claim: 'Somebody else seems to write to the inventory at the same time',
    because: `${changes.slice(0, 2).join(', and then ')} while this run sent nothing`,
  };
}

/**
 * Notes what a list shows.
 * @param seen the quantities that each pet was seen with; is added to
 * @returns the pets that were seen with others only, in words; `null` if it is no list
 */
function noteNew(exchange: Exchange, seen: Map<string, Set<string>>): readonly string[] | null {
  const items = isAccepted(exchange) ? readListing(exchange) : undefined;
  if (items === undefined) {
    return null;
  }
  const changed: string[] = [];
  for (const [petId, item] of items.entries().take(MOST_PETS)) {
    const quantity = `${item.quantity}`;
    const before = seen.get(petId);
    if (before === undefined) {
      seen.set(petId, new Set([quantity]));
    } else if (!before.has(quantity)) {
      changed.push(`pet ${petId} went from ${[...before].at(-1)} to ${quantity}`);
      before.add(quantity);
    }
  }
  return changed;
}

/** Leaves open what the writes of somebody else may explain. */
export function withoutForeignWrites(judgement: Judgement, foreign: ForeignWrites): Judgement {
  const { id, outcome, findings } = judgement;
  if (foreign === null || outcome !== 'fail' || !SEEN_IN_STORE.has(id)) {
    return judgement;
  }
  const message = findings[0]?.message ?? '';
  return {
    ...judgement,
    outcome: 'inconclusive',
    reason: `${foreign.claim}, which may explain this: ${message}`,
  };
}

/** A sentence on others who write to the inventory; none if nothing was seen of them. */
export function describeForeignWrites(foreign: ForeignWrites): readonly string[] {
  return foreign === null
    ? []
    : [
        `${foreign.claim}: ${foreign.because}. Run it while nobody does; what failed and this may explain is left open.`,
      ];
}
