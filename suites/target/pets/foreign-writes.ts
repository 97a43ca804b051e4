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
/** Requests that finding out may take, at most: two in a row, and one after each pause. */
export const MOST_WRITE_INQUIRIES = PAUSES + 2;
const LONGEST_WAIT_SECONDS = 60;
// Of a longer list the others are left out.
const MOST_PETS = 10_000;

/** What was seen of others who write to the inventory, or `null` if nothing was. */
export type ForeignWrites = string | null;

/**
 * Finds out, once all is put back, whether somebody else writes to the inventory that failures were seen in: then more
 * quantities change while the run sends nothing than from one request to the next, again and again, and to others than
 * the list showed before. A list that goes back and forth between two states shows nothing new.
 * @param pause in which nothing is sent
 */
export async function findForeignWrites(
  keys: readonly Key[],
  judgements: readonly Judgement[],
  client: TargetClient,
  transport: TransportOptions,
  pause: () => Promise<void>,
): Promise<ForeignWrites> {
  const isBlamed = judgements.some(({ id, outcome }) => outcome === 'fail' && SEEN_IN_STORE.has(id));
  const seen = client.history.foreignWrites();
  if (isBlamed && seen.length >= ENOUGH_FOREIGN_WRITES) {
    return describe(seen);
  }
  const now = client.time.now();
  const waitOf = (key: Key): number => secondsUntilRoom(key, MOST_WRITE_INQUIRIES, now);
  const [key] = isBlamed ? keys.toSorted((a, b) => waitOf(a) - waitOf(b)) : [];
  if (key === undefined || client.signal.aborted || waitOf(key) > LONGEST_WAIT_SECONDS) {
    return null;
  }
  return askForLists(client, transport, key, async (ask) => {
    await client.time.sleep(waitOf(key), `room in the limit of ${key.label}, to see whether others write`);
    return watchStore(ask, pause);
  });
}

/** What an inventory that is left alone shows of others, or `null` if it shows nothing. */
async function watchStore(look: () => Promise<Exchange>, pause: () => Promise<void>): Promise<ForeignWrites> {
  const seen = new Map<string, Set<string>>();
  const first = noteNew(await look(), seen);
  const ordinary = noteNew(await look(), seen);
  if (first === null || ordinary === null) {
    return null;
  }
  const telling: string[] = [];
  for (let pauses = 1; pauses <= PAUSES && telling.length < ENOUGH_FOREIGN_WRITES; pauses += 1) {
    await pause();
    const changed = noteNew(await look(), seen);
    if (changed === null) {
      return null;
    }
    const [example] = changed;
    if (example !== undefined && changed.length > ordinary.length) {
      telling.push(example);
    } else if (pauses >= ENOUGH_FOREIGN_WRITES && telling.length === 0) {
      return null;
    }
  }
  return telling.length < ENOUGH_FOREIGN_WRITES ? null : describe(telling);
}

function describe(changes: readonly string[]): string {
  return `${changes.slice(0, 2).join(', and then ')} while this run sent nothing`;
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
    reason: `Somebody else seems to write to the inventory at the same time, which may explain this: ${message}`,
  };
}

/** A sentence on others who write to the inventory; none if nothing was seen of them. */
export function describeForeignWrites(foreign: ForeignWrites): readonly string[] {
  return foreign === null
    ? []
    : [
        `Somebody else seems to write to the inventory at the same time: ${foreign}. Run it while nobody does; what failed and this may explain is left open.`,
      ];
}
