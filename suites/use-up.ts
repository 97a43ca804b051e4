import { PLAN_LIMITS } from '../contract/plans.ts';
import { countAccepted } from './burst.ts';
import type { KeyNeed } from './check.ts';
import type { RequestMessage } from './exchange.ts';
import { planningLimits, type Key } from './keys.ts';
import { Undecided, type Lab } from './lab.ts';
import { listInventory, updateInventory } from './operations.ts';

/** Requests a minute of the plan that checks use up most. */
export const FREE_LIMIT = PLAN_LIMITS.free.perMinute;

/** Fresh Free keys, each to be exhausted. */
export function freeKeys(count: number, requests: number): readonly KeyNeed[] {
  return Array.from({ length: count }, () => ({ plan: 'free', use: 'exhaust', requests }) as const);
}

/** Uses up a minute without being refused once, so that the next request is the first one beyond the limit. */
export async function useUp(lab: Lab, key: Key): Promise<void> {
  const limit = planningLimits(key).perMinute;
  const messages = Array.from({ length: limit }, () => cheapest(lab));
  const granted = countAccepted(await lab.sendAll(messages, key, 16));
  if (granted < limit) {
    throw new Undecided(`${key.label} was granted ${granted} of the ${limit} requests that its minute has.`);
  }
}

/** The request whose response is shortest. */
export function cheapest(lab: Lab): RequestMessage {
  const [pet] = lab.pets;
  return pet === undefined ? listInventory() : updateInventory(pet.petId, pet.item.quantity);
}
