import {
  isAccepted,
  type Exchange,
  type RequestMessage,
  type Key,
  secondsToWait,
} from '../../oracle/index.ts';
import { fetchListing, type CheckContext } from '../check-context.ts';
import type { Credentials, Pet } from '../../target/index.ts';
import { judgeRefusedWrite } from './refused-write.ts';

export const NO_KEY: Credentials = { authorization: [], labels: [] };
const UNKNOWN_KEY = 'stockcheck-never-issued-Q7dRk2VxN0aYwL5e';
export const NEVER_ISSUED: Credentials = {
  authorization: [`Bearer ${UNKNOWN_KEY}`],
  labels: ['Bearer [key that was never issued]'],
};

export type Refusal =
  | 'missing-key'
  | 'unknown-key'
  | 'altered-key'
  | 'revoked-key'
  | 'bearer-scheme'
  | 'every-operation-authenticates';

/** Sends a request that has to be answered 401, and judges that. */
export type JudgeRefused = (
  ids: readonly Refusal[],
  message: RequestMessage,
  credentials: Credentials,
  how: string,
  isMalformed?: boolean,
) => Promise<void>;

/** @param granted takes the updates that were not refused, so that nobody says they were */
export function judgeRefusedOf(context: CheckContext, granted: Exchange[] = []): JudgeRefused {
  const sendAsStranger = strangerOf(context);
  return async (ids, message, credentials, how, isMalformed = false) => {
    let exchange: Exchange;
    try {
      exchange = await sendAsStranger(message, credentials);
    } catch (error) {
      for (const id of ids.slice(0, 1)) {
        await context.judgeDropped(id, error);
      }
      return;
    }
    if (exchange.request.operation === 'updateInventory' && isAccepted(exchange)) {
      granted.push(exchange);
    }
    const { status } = exchange.response;
    for (const id of ids) {
      context.judge(
        id,
        status === 401 || (isMalformed && status === 400),
        `${message.method} ${message.path} ${how} was answered ${status}, not 401.`,
        exchange,
      );
    }
  };
}

// Other checks that wait as well may use up what strangers are granted.
const WAITS_OF_STRANGERS = 40;

/** A target may limit strangers, too: one that has waited is to be told 401. It is waited for until that helps nothing. */
function strangerOf(
  context: CheckContext,
): (message: RequestMessage, credentials: Credentials) => Promise<Exchange> {
  let waits = context.virtualTime ? WAITS_OF_STRANGERS : 1;
  const most = waits;
  return async (message, credentials) => {
    let exchange = await context.send(message, credentials);
    for (let left = waits; left > 0; left -= 1) {
      const wait = exchange.response.status === 429 ? secondsToWait(exchange, context.clock) : undefined;
      if (wait === undefined) {
        return exchange;
      }
      await context.sleep(wait + 0.01, 'Retry-After of requests without a valid key');
      exchange = await context.send(message, credentials);
    }
    waits = exchange.response.status === 429 ? 0 : most;
    return exchange;
  };
}

/** Judges that a pet still stands as it did after updates, if all of them were refused. */
export async function judgeUntouchedPet(
  context: CheckContext,
  key: Key,
  {
    pet,
    attempted,
    cause,
    granted,
  }: { pet: Pet; attempted: number; cause: string; granted: readonly Exchange[] },
): Promise<void> {
  if (granted.length > 0) {
    return;
  }
  const { exchange } = await fetchListing(context, key);
  judgeRefusedWrite(context, { pet, attempted, listed: exchange, cause });
}
