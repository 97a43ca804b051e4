import { type RequestMessage, type Key, secondsToWait } from '../../oracle/index.ts';
import { type CheckContext, fetchListing, restoreIfChanged, sendDue } from '../check-context.ts';
import type { Credentials, Pet } from '../../target/index.ts';

export const NO_KEY: Credentials = { authorization: [], labels: [] };
const UNKNOWN_KEY = 'stockcheck-never-issued-Q7dRk2VxN0aYwL5e';
export const NEVER_ISSUED: Credentials = {
  authorization: [`Bearer ${UNKNOWN_KEY}`],
  labels: ['Bearer [key that was never issued]'],
};

/** A key that was revoked meanwhile, or is about to be. */
export function asRevoked({ secret, label }: Key): Credentials {
  return { authorization: [`Bearer ${secret}`], labels: [`Bearer [revoked ${label}]`] };
}

/** Sends a request that has to be answered 401. */
export type SendRefused = (message: RequestMessage, credentials: Credentials) => Promise<void>;

// Other checks that wait as well may use up what strangers are granted.
const WAITS_OF_STRANGERS = 40;

/** A target may limit strangers, too: one that has waited is to be told 401. It is waited for until that helps nothing. */
export function sendRefusedOf(context: CheckContext): SendRefused {
  const most = context.virtualTime ? WAITS_OF_STRANGERS : 1;
  let waits = most;
  return async (message, credentials) => {
    let exchange = await sendDue(context, message, credentials);
    for (let left = waits; left > 0; left -= 1) {
      const wait = exchange?.response.status === 429 ? secondsToWait(exchange, context.clock) : undefined;
      if (wait === undefined) {
        return;
      }
      await context.sleep(wait + 0.01, 'Retry-After of requests without a valid key');
      exchange = await sendDue(context, message, credentials);
    }
    waits = exchange?.response.status === 429 ? 0 : most;
  };
}

/** Lists what came of updates that have to be refused. */
export async function listRefused(context: CheckContext, key: Key, pet: Pet): Promise<void> {
  const { exchange } = await fetchListing(context, key);
  restoreIfChanged(context, pet, exchange);
}
