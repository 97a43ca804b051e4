import { setTimeout as delay } from 'node:timers/promises';
import type { Key, RequestMessage } from '../../oracle/index.ts';
import {
  ANSWERED_CODES,
  openConnections,
  overPool,
  TransportError,
  type ConnectionPool,
  type TransportOptions,
} from './http-transport.ts';
import { ATTEMPTS, describeRequest, isGatewayPage } from './no-response.ts';
import { listInventory, undocumented } from './operations.ts';
import { restIfGone, type Liveness, type TargetClient } from './target-client.ts';

/** Requests that finding out may take, at most. */
export const MOST_INQUIRIES = 24;
// Then a silence has to be longer than that of one request that hangs each time it is sent.
const LONGEST_SILENCE_TIMEOUTS = 6;
const TRIES = 4;
// What is not back three seconds later is taken to be gone.
const PAUSES_MILLISECONDS = [0, 100, 300, 900, 1800];
// At the end of a run there is time for a service that takes a while to start again.
const LAST_PAUSES_MILLISECONDS = [0, 1000, 3000, 6000];
const ATTEMPTS_IN = { there: ATTEMPTS, gone: 1, 'gone for good': 0 } as const;

export interface LivenessOptions {
  readonly transport: TransportOptions;
  /** Counts a request that is about to leave. */
  readonly spend: () => void;
  /** Called once, when the target was found to answer nothing any more, with what to tell the user. */
  readonly end: (reason: string) => void;
  /** Issues a key for a request that has to be granted; `null` if the target issues none. */
  readonly issueKey: (() => Promise<Key>) | null;
}

interface Try {
  readonly message: RequestMessage;
  readonly sentAt: number;
  isGivenUp: boolean;
}

export function trackLiveness(options: LivenessOptions): Liveness {
  const { transport, spend, end } = options;
  const { timeoutMilliseconds } = transport;
  const pending = new Map<number, Try>();
  let answers = 0;
  let answeredAt = performance.now();
  let latest = 0;
  // The latest request when the target was found to be gone.
  let last = 0;
  let inquiry: Promise<boolean> | undefined;
  let state: 'there' | 'gone' | 'gone for good' = 'there';

  const spendOne = spendAtMost(MOST_INQUIRIES, spend);

  const inquire = async (client: TargetClient): Promise<boolean> => {
    const silence = performance.now() - answeredAt;
    if (silence < timeoutMilliseconds / 2) {
      return true;
    }
    if (!spendOne()) {
      return silence < LONGEST_SILENCE_TIMEOUTS * timeoutMilliseconds;
    }
    const before = answeredAt;
    if (await answersAnything(client, options, spendOne)) {
      answeredAt = performance.now();
    }
    return answeredAt !== before;
  };

  return {
    sent: (number, message) => {
      const current: Try = { message, sentAt: performance.now(), isGivenUp: false };
      pending.set(number, current);
      return (isAnswered) => {
        current.isGivenUp = true;
        if (isAnswered) {
          pending.delete(number);
          answers += 1;
          answeredAt = performance.now();
          latest = answeredAt - current.sentAt;
          state = state === 'there' ? 'there' : 'gone';
        } else if (state === 'gone' && number > last) {
          state = 'gone for good';
        }
      };
    },
    ask: async (client) => {
      if (state !== 'there') {
        return;
      }
      inquiry ??= inquire(client).finally(() => {
        inquiry = undefined;
      });
      const isThere = await inquiry;
      if (isThere) {
        for (const [number, { isGivenUp }] of pending) {
          if (isGivenUp) {
            pending.delete(number);
          }
        }
      } else if (state === 'there' && !client.signal.aborted) {
        state = 'gone';
        last = Math.max(...pending.keys());
        const open = [...pending].toSorted(([a], [b]) => a - b).map(([, { message }]) => message);
        end(describe(answers + 1, open, client, { latest, timeoutMilliseconds }));
      }
    },
    outlast: outlastInterruptions(transport, spendOne, () => answers),
    comesBack: (client) => askAfterPauses(client, transport, spendOne, LAST_PAUSES_MILLISECONDS),
    isGone: () => state !== 'there',
    attempts: () => ATTEMPTS_IN[state],
  };
}

/** @returns what spends one, and whether there was one left */
function spendAtMost(most: number, spend: () => void): () => boolean {
  let left = most;
  return () => {
    if (left === 0) {
      return false;
    }
    left -= 1;
    spend();
    return true;
  };
}

function describe(
  number: number,
  [first, ...others]: readonly RequestMessage[],
  client: TargetClient,
  { latest, timeoutMilliseconds }: { readonly latest: number; readonly timeoutMilliseconds: number },
): string {
  const within = `within ${timeoutMilliseconds / 1000} s`;
  // A target that serves one request after the other falls behind if many are under way, and need not have stopped.
  if (others.length > 0 && latest > timeoutMilliseconds / 2) {
    return `The target fell too far behind to be judged: ${others.length + 1} requests were under way, its latest answer took ${(latest / 1000).toFixed(1)} s, and then none came ${within}, so the run ended there. If it serves one request at a time, --timeout gives it longer, and --only runs fewer checks at once.`;
  }
  const beside = others.length === 0 ? '' : `, or one of ${others.length} others under way`;
  const request = first === undefined ? '' : ` (${describeRequest(first)}${beside})`;
  return client.redactor.redact(
    `The target stopped answering at request ${number}${request}. A request on a new connection got no answer ${within} either, so the run ended there. If the target is only slow, --timeout gives it longer.`,
  );
}

/**
 * Whether a request that any server can answer gets anything back within the timeout, or one that has to be granted:
 * a target may be silent each time it refuses something.
 */
async function answersAnything(
  client: TargetClient,
  { transport, issueKey }: LivenessOptions,
  spendOne: () => boolean,
): Promise<boolean> {
  const { timeoutMilliseconds } = transport;
  const pool = openConnections(client.origin, 2, transport);
  const isKnown = new AbortController();
  const signal = AbortSignal.any([client.signal, isKnown.signal]);
  signal.addEventListener('abort', () => void pool.destroy(), { once: true });
  const askWithKey = async (): Promise<boolean> => {
    const key = await issueKey?.().catch(() => null);
    if (key === null || key === undefined || signal.aborted || !spendOne()) {
      return false;
    }
    const headers = [['Authorization', `Bearer ${key.secret}`]] as const;
    return ask(client, pool, { ...listInventory(), headers });
  };
  try {
    const asked = askUntilTimeout(client, pool, timeoutMilliseconds, signal);
    const isSlow = rest(timeoutMilliseconds / TRIES, signal).then(() => false);
    return (await Promise.race([asked, isSlow])) || (await askWithKey()) || (await asked);
  } finally {
    isKnown.abort();
    await pool.destroy();
  }
}

/** @param answers how many requests were answered so far */
function outlastInterruptions(
  transport: TransportOptions,
  spendOne: () => boolean,
  answers: () => number,
): Liveness['outlast'] {
  // How many had been answered when it was found to be away.
  let awaySince: number | null = null;
  let interruption: Promise<boolean> | undefined;
  const outlast: Liveness['outlast'] = async (client, ending) => {
    const before = answers();
    if (before === 0) {
      return restIfGone(ending);
    }
    if (before === awaySince) {
      return false;
    }
    // A gateway is there, and so is its service as a rule when it has been started again.
    const pauses = ending === 'excusable' ? LAST_PAUSES_MILLISECONDS : PAUSES_MILLISECONDS;
    const isBack = await askAfterPauses(client, transport, spendOne, pauses);
    awaySince = isBack ? null : before;
    if (isBack) {
      client.losses.suspects.clear();
      client.losses.goneAfter = null;
    }
    return isBack;
  };
  return (client, ending) =>
    (interruption ??= outlast(client, ending).finally(() => {
      interruption = undefined;
    }));
}

/** Whether something plain is answered on a new connection, now or after one of a few pauses. */
async function askAfterPauses(
  client: TargetClient,
  transport: TransportOptions,
  spendOne: () => boolean,
  pauses: readonly number[],
): Promise<boolean> {
  return overPool(openConnections(client.origin, 1, transport), async (pool) => {
    for (const pause of pauses) {
      await rest(pause, client.signal);
      if (client.signal.aborted || !spendOne()) {
        return restIfGone('gone');
      }
      if (await ask(client, pool, undocumented('GET', '/inventory'))) {
        return true;
      }
    }
    return false;
  });
}

async function askUntilTimeout(
  client: TargetClient,
  pool: ConnectionPool,
  timeoutMilliseconds: number,
  signal: AbortSignal,
): Promise<boolean> {
  const until = performance.now() + timeoutMilliseconds;
  for (let tries = 1; tries <= TRIES && performance.now() < until && !signal.aborted; tries += 1) {
    if (await ask(client, pool, undocumented('GET', '/inventory'))) {
      return true;
    }
    // If connections are refused or closed, it may be starting again.
    const left = until - performance.now();
    await rest(Math.max(0, Math.min(left, timeoutMilliseconds / TRIES)), signal);
  }
  return false;
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {});
}

async function ask(
  { basePath, extraHeaders, losses }: TargetClient,
  pool: ConnectionPool,
  message: RequestMessage,
): Promise<boolean> {
  const headers = [...message.headers, ...extraHeaders];
  try {
    return !isGatewayPage(losses, await pool.send({ ...message, path: basePath + message.path, headers }));
  } catch (error) {
    if (!(error instanceof TransportError)) {
      throw error;
    }
    return ANSWERED_CODES.has(error.code);
  }
}
