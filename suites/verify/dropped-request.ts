import { requirement, type RequirementId } from '../../contract/requirements/index.ts';
import type { RequestMessage, Key } from '../oracle/index.ts';
import {
  type ConnectionPool,
  type Credentials,
  mayBeChance,
  NoResponse,
  listInventory,
  undocumented,
  updateInventory,
  type Pet,
  performExchange,
  violation,
  type TargetClient,
} from '../target/index.ts';

interface DropScene {
  readonly client: TargetClient;
  readonly connect: (connections: number) => ConnectionPool;
  /** Id of the check that sent the request. */
  readonly by: string;
  /** A key that the target may still be asked with. */
  readonly key: Key | undefined;
}

/**
 * Judges that a documented request, or one that should be answered, was answered by a closed connection or not at all, however often it was sent, while
 * others were, or that the target was gone after it. A single drop proves nothing, and neither does one in a network
 * that loses requests.
 * @param isSuspect the request is of a kind that servers die of, so that it is blamed even if others were under way
 * @returns whether the drop was judged
 */
export async function judgeDropped(
  { client, connect, by, key }: DropScene,
  id: RequirementId,
  error: NoResponse,
  isSuspect = false,
): Promise<boolean> {
  const isDocumented = error.sent.operation !== null;
  if (
    // HTTP lets a server close a connection; only what is documented has to be answered.
    (!isDocumented && requirement(id).level === 'must') ||
    !['closed', 'silent', 'gone'].includes(error.ending) ||
    mayBeChance(client.losses)
  ) {
    return false;
  }
  const isFirst = client.losses.goneAfter === null || error.ending === 'gone';
  if (error.ending !== 'gone' && (await isAlive(client, connect, key))) {
    client.losses.isSilenceJudged ||= error.ending === 'silent';
    client.judgements.fail(
      by,
      id,
      violation(client, id, `${error.message} Other requests were answered meanwhile.`, {
        proof: [],
        unanswered: error.sent,
      }),
    );
    return true;
  }
  if (error.ending === 'silent') {
    return false;
  }
  client.losses.goneAfter ??= error.request;
  // Some request that has to be answered ended it if no other was under way; one of them is blamed.
  const isOneOfMany = !error.wasAlone && !isSuspect;
  if (!isFirst || (isOneOfMany && (!error.wasAmongDocumented || client.losses.isBlamed))) {
    return false;
  }
  blame(client, by, id, error);
  return true;
}

/** Blames a request for the end of a target if no check has. */
export function judgeEnd(client: TargetClient): void {
  const { suspect, isBlamed } = client.losses;
  const id = suspect === null ? null : answeredBy(suspect.error.sent);
  if (suspect !== null && id !== null && !isBlamed && !mayBeChance(client.losses)) {
    blame(client, suspect.by, id, suspect.error);
  }
}

function blame(client: TargetClient, by: string, id: RequirementId, error: NoResponse): void {
  client.losses.isBlamed = true;
  const cause = error.wasAlone
    ? 'it seems to have died of this request'
    : 'this is one of the requests that were under way when it ended';
  const message = `${error.message} From then on the target answered nothing; ${cause}.`;
  client.judgements.fail(by, id, violation(client, id, message, { proof: [], unanswered: error.sent }));
}

/** The requirement by which a documented request has to be answered at all. */
export function answeredBy({ operation }: RequestMessage): RequirementId | null {
  switch (operation) {
    case 'listInventory':
      return 'list-succeeds';
    case 'updateInventory':
      return 'update-succeeds';
    case 'getPet':
    case 'listOrders':
      return 'valid-key-accepted';
    case null:
      return null;
  }
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
async function isAlive(
  client: TargetClient,
  connect: DropScene['connect'],
  key: Key | undefined,
): Promise<boolean> {
  const nobody: Credentials = { authorization: [], labels: [] };
  const isFound = (): Promise<boolean> =>
    isAnswered(client, connect, undocumented('GET', '/stockcheck'), nobody);
  const isListed = async (): Promise<boolean> =>
    key !== undefined && isAnswered(client, connect, listInventory(), { key });
  // A target may be silent each time it refuses something, and nobody needs an issued key afterwards.
  return key?.issued === true ? (await isListed()) || isFound() : (await isFound()) || isListed();
}

async function isAnswered(
  client: TargetClient,
  connect: DropScene['connect'],
  message: RequestMessage,
  credentials: Credentials,
): Promise<boolean> {
  const pool = connect(1);
  try {
    await performExchange(client, pool, message, credentials);
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
