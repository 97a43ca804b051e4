import { readRequest, type Key, type RequestMessage } from '../oracle/index.ts';
import {
  type ConnectionPool,
  type Credentials,
  mayBeChance,
  NoResponse,
  lastTaken,
  listInventory,
  overPool,
  undocumented,
  updateInventory,
  type Pet,
  performExchange,
  type TargetClient,
} from '../target/index.ts';

interface DropScene {
  readonly client: TargetClient;
  readonly connect: (connections: number) => ConnectionPool;
  /** A key that the target may still be asked with. */
  readonly key: Key | undefined;
}

/**
 * Finds out whether a request that got no response, however often it was sent, was the only one, or the last one that the
 * target took, and tells the history. A single drop proves nothing, and neither does one in a network that loses requests.
 * @returns whether that broke a requirement
 */
export async function judgeDropped(scene: DropScene, error: NoResponse): Promise<boolean> {
  const { client } = scene;
  const { losses } = client;
  if (!['closed', 'silent', 'gone'].includes(error.ending) || mayBeChance(losses)) {
    return false;
  }
  const isFirst = losses.goneAfter === null || error.ending === 'gone';
  if (await isThere(scene, error)) {
    // A listener that was away for a moment had not taken the last try.
    if (error.ending === 'gone') {
      return false;
    }
    if (!(await isLostAgain(scene, error))) {
      return false;
    }
    const isJudged = error.blame('others answered');
    losses.isSilenceJudged ||= isJudged && error.ending === 'silent';
    return isJudged;
  }
  if (error.ending === 'silent') {
    return false;
  }
  losses.goneAfter ??= lastTaken(error);
  // One that has to be answered ended it if no other was under way.
  if (isFirst && (error.wasAlone || error.wasAmongDocumented)) {
    losses.suspects.set(error.sent, error);
  }
  return false;
}

function isOneOfMany({ wasAlone, sent }: NoResponse): boolean {
  return !wasAlone && !isDeadly(sent);
}

/**
 * Once the run is over, blames a request for the end of a target that answered nothing since. If something has started it
 * again, the request has to end it once more, unless it would change a pet.
 */
export async function judgeEnd({ client, connect }: Omit<DropScene, 'key'>): Promise<void> {
  const { losses, liveness } = client;
  const suspects = [...losses.suspects.values()].toSorted(
    (a, b) => Number(isOneOfMany(a)) - Number(isOneOfMany(b)),
  );
  losses.suspects.clear();
  if (suspects.length === 0 || mayBeChance(losses)) {
    return;
  }
  if (!(await liveness.comesBack(client))) {
    suspects.some(({ wasAlone, blame, request }) => {
      const others = suspects.map((one) => one.request).filter((one) => one !== request);
      return wasAlone
        ? blame('nothing answered')
        : blame('nothing answered to several', [...new Set(others)]);
    });
    return;
  }
  for (const suspect of suspects.filter(({ sent }) => sent.method === 'GET' || isDeadly(sent))) {
    if (
      (await overPool(connect(1), (pool) => suspect.sendAlone(pool, 'gone'))) === 'lost' &&
      suspect.blame('others answered')
    ) {
      return;
    }
  }
}

/** Whether servers die of requests of its kind, so that it is blamed before others that were under way. */
function isDeadly(request: RequestMessage): boolean {
  const { body } = readRequest(request);
  return typeof body === 'object' && body.kind !== 'plain';
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
async function isAlive({ client, connect, key }: DropScene): Promise<boolean> {
  const nobody: Credentials = { authorization: [], labels: [] };
  const isFound = (): Promise<boolean> =>
    isAnswered(client, connect, undocumented('GET', '/stockcheck'), nobody);
  const isListed = async (): Promise<boolean> =>
    key !== undefined && isAnswered(client, connect, listInventory(), { key });
  // A target may be silent each time it refuses something, and nobody needs an issued key afterwards.
  return key?.issued === true ? (await isListed()) || isFound() : (await isFound()) || isListed();
}

/** Whether the target answers, at the latest when an interruption would be over. */
async function isThere(scene: DropScene, { ending }: NoResponse): Promise<boolean> {
  const { client } = scene;
  const isAnswering = ending !== 'gone' && (await isAlive(scene));
  return isAnswering || (ending !== 'silent' && client.liveness.outlast(client, ending));
}

// A target may be away again and again, as it dies of what others send.
const MOST_TIMES_AWAY = 5;

/**
 * Others may have been answered while one waited on a busy machine, or have ended the service as one was under way, and early
 * in a run nobody knows yet how many requests the network loses: what the target never answers it does not answer alone, either.
 */
async function isLostAgain(scene: DropScene, error: NoResponse): Promise<boolean> {
  let left = error.ending === 'closed' ? 2 : 1;
  let away = 0;
  do {
    const result = await overPool(scene.connect(1), (pool) => error.sendAlone(pool, error.ending));
    if (result === 'answered') {
      return false;
    }
    left -= result === 'lost' ? 1 : 0;
    away += result === 'away' ? 1 : 0;
  } while (left > 0 && away < MOST_TIMES_AWAY && (await isThere(scene, error)));
  return left === 0;
}

async function isAnswered(
  client: TargetClient,
  connect: DropScene['connect'],
  message: RequestMessage,
  credentials: Credentials,
): Promise<boolean> {
  try {
    await overPool(connect(1), (pool) => performExchange(client, pool, message, credentials));
    return true;
  } catch (error) {
    if (error instanceof NoResponse) {
      return false;
    }
    throw error;
  }
}
