import { PLAN_LIMITS, type PlanLimits } from '../../../contract/plans.ts';
import { countAccepted, takeInTurns } from './burst.ts';
import { type KeyNeed, listInventory, updateInventory } from '../../target/index.ts';
import {
  isAccepted,
  type Exchange,
  type RequestMessage,
  planningLimits,
  type Key,
} from '../../oracle/index.ts';
import { Undecided, type CheckContext } from '../check-context.ts';

/** Requests a minute of the plan that checks use up most. */
export const FREE_LIMIT = PLAN_LIMITS.free.perMinute;

/** Fresh Free keys, each to be exhausted. */
export function freeKeys(count: number, requests: number): readonly KeyNeed[] {
  return Array.from({ length: count }, () => ({ plan: 'free', use: 'exhaust', requests }) as const);
}

/** A fresh Enterprise key of these limits, to be exhausted unless it is to be banned. */
export function agreedKey(agree: PlanLimits, requests: number, use: 'exhaust' | 'ban' = 'exhaust'): KeyNeed {
  return { plan: 'enterprise', use, requests, agree };
}

// If it makes no difference which limit is reached, a small one is agreed.
const SMALL_LIMITS: PlanLimits = { perMinute: 9, perDay: 900 };

/** So small that one request is the first of a minute, and the next the last. */
export const OF_TWO: PlanLimits = { perMinute: 2, perDay: 1_000 };

/** Fresh Enterprise keys of a small limit, each to be exhausted that many times. */
export function smallKeys(
  count: number,
  cycles = 1,
  { perMinute }: Pick<PlanLimits, 'perMinute'> = SMALL_LIMITS,
): readonly KeyNeed[] {
  const need = agreedKey({ ...SMALL_LIMITS, perMinute }, cycles * (perMinute + 4));
  return Array.from({ length: count }, () => need);
}

// Several limits may be used up side by side.
const CONNECTIONS = 16;

/** Uses up a minute without being refused once, so that the next request, but for those `left`, is the first one beyond the limit. */
export async function useUp(context: CheckContext, key: Key, left = 0): Promise<void> {
  const limit = planningLimits(key).perMinute - left;
  const granted = await sendCheapest(context, key, limit);
  if (granted < limit) {
    throw new Undecided(`${key.label} was granted ${granted} of the ${limit} requests that its minute has.`);
  }
}

/** Sends so many requests at once. @returns how many were granted */
export async function sendCheapest(context: CheckContext, key: Key, requests: number): Promise<number> {
  const messages = takeInTurns([cheapestRequest(context)], requests);
  return countAccepted(await context.sendAll(messages, key, CONNECTIONS));
}

/** Sends one request after the other, at most so many, until one is not granted. @returns what was answered */
export async function sendUntilRefused(
  context: CheckContext,
  key: Key,
  most: number,
  messages: readonly RequestMessage[] = [cheapestRequest(context)],
): Promise<readonly Exchange[]> {
  const answers: Exchange[] = [];
  for (const message of takeInTurns(messages, most)) {
    answers.push(await context.send(message, { key }));
    if (!answers.every(isAccepted)) {
      break;
    }
  }
  return answers;
}

/** The request whose response is shortest. */
export function cheapestRequest(context: CheckContext): RequestMessage {
  const [pet] = context.pets;
  return pet === undefined ? listInventory() : updateInventory(pet.petId, pet.item.quantity);
}
