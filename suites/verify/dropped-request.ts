import type { RequirementId } from '../../contract/requirements/index.ts';
import type { RequestMessage, Key } from '../oracle/index.ts';
import {
  openConnections,
  type TransportOptions,
  type Credentials,
  mayBeChance,
  NoResponse,
  listInventory,
  undocumented,
  updateInventory,
  type Pet,
  evidence,
  exchangeOver,
  type Wire,
} from '../target/index.ts';

interface DropScene {
  readonly wire: Wire;
  readonly transport: TransportOptions;
  /** Id of the check that sent the request. */
  readonly by: string;
  /** A key that the target may still be asked with. */
  readonly key: Key | undefined;
}

/**
 * Judges that a documented request was answered by a closed connection, however often it was sent, or that the
 * target was gone after it. A single drop proves nothing, and neither does one in a network that loses requests.
 * @param isSuspect the request is of a kind that servers die of, so that it is blamed even if others were under way
 * @returns whether the drop was judged
 */
export async function judgeDropped(
  { wire, transport, by, key }: DropScene,
  id: RequirementId,
  error: NoResponse,
  isSuspect = false,
): Promise<boolean> {
  if (
    error.sent.operation === null ||
    !['closed', 'gone'].includes(error.ending) ||
    mayBeChance(wire.losses)
  ) {
    return false;
  }
  const isFirst = wire.losses.goneAfter === null || error.ending === 'gone';
  if (error.ending === 'closed' && (await isAlive(wire, transport, key))) {
    wire.judgements.fail(by, id, evidence(wire, `${error.message} Other requests were answered meanwhile.`));
    return true;
  }
  wire.losses.goneAfter ??= error.request;
  if (!isFirst || (!error.wasAlone && !isSuspect)) {
    return false;
  }
  const cause = error.wasAlone
    ? 'it seems to have died of this request'
    : 'this is one of the requests that were under way when it ended';
  const message = `${error.message} From then on the target answered nothing; ${cause}.`;
  wire.judgements.fail(by, id, evidence(wire, message));
  return true;
}

/** Whether a request is one that has to be served, so that the check which sent it may blame the target. */
export function isOrdinary({ sent }: NoResponse, pets: readonly Pet[]): boolean {
  return (
    sent.operation !== null &&
    (sent.operation !== 'updateInventory' ||
      (/^\{"quantity":\d+\}$/.test(String(sent.body)) &&
        pets.some(({ petId }) => sent.path === updateInventory(petId, 0).path)))
  );
}

/** Whether the target still answers anything: a path that it does not know, or the list. */
async function isAlive(wire: Wire, transport: TransportOptions, key: Key | undefined): Promise<boolean> {
  const nobody: Credentials = { authorization: [], labels: [] };
  return (
    (await isAnswered(wire, transport, undocumented('GET', '/stockcheck'), nobody)) ||
    (key !== undefined && (await isAnswered(wire, transport, listInventory(), { key })))
  );
}

async function isAnswered(
  wire: Wire,
  transport: TransportOptions,
  message: RequestMessage,
  credentials: Credentials,
): Promise<boolean> {
  const pool = openConnections(wire.origin, 1, transport);
  try {
    await exchangeOver(wire, pool, message, credentials);
    return true;
  } catch (error) {
    if (error instanceof NoResponse) {
      return false;
    }
    throw error;
  } finally {
    await pool.destroy();
  }
}
