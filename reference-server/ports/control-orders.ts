import { readInventoryItem, type InventoryItem } from '../../contract/inventory.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/json/index.ts';
import { PLANS, type Plan, type PlanLimits } from '../../contract/plans.ts';

/** A body of the control contract that is not as it should be; the message names the field. */
export interface OrderProblem {
  readonly problem: string;
}

export interface KeyOrder {
  readonly plan: Plan;
  readonly limits: Partial<PlanLimits>;
  /** Requests that count as made in the day window that begins now. */
  readonly usedToday: number;
}

// A hundred years: far beyond any test, and within what a Date can hold.
const MAXIMUM_ADVANCE_SECONDS = 3_155_760_000;

export function readKeyOrder(body: JsonValue | undefined): KeyOrder | OrderProblem {
  const members = readMembers(body, ['plan', 'perMinute', 'perDay', 'usedToday']);
  if ('problem' in members) {
    return members;
  }
  const plan = PLANS.find((name) => name === members.object['plan']);
  if (plan === undefined) {
    return { problem: `plan is not one of ${PLANS.join(', ')}` };
  }
  const counts = [
    ['perMinute', 1],
    ['perDay', 1],
    ['usedToday', 0],
  ] as const;
  for (const [field, minimum] of counts) {
    const value = members.object[field];
    if (value !== undefined && !isCount(value, minimum)) {
      return { problem: `${field} is not an integer from ${minimum}` };
    }
  }
  const { perMinute, perDay, usedToday } = members.object;
  return {
    plan,
    limits: {
      ...(typeof perMinute === 'number' ? { perMinute } : {}),
      ...(typeof perDay === 'number' ? { perDay } : {}),
    },
    usedToday: typeof usedToday === 'number' ? usedToday : 0,
  };
}

export function readAdvance(body: JsonValue | undefined): { readonly advanceSeconds: number } | OrderProblem {
  const members = readMembers(body, ['advanceSeconds']);
  if ('problem' in members) {
    return members;
  }
  const { advanceSeconds } = members.object;
  return typeof advanceSeconds === 'number' &&
    advanceSeconds >= 0 &&
    advanceSeconds <= MAXIMUM_ADVANCE_SECONDS
    ? { advanceSeconds }
    : { problem: `advanceSeconds is not a number from 0 to ${MAXIMUM_ADVANCE_SECONDS}` };
}

export function readInventory(
  body: JsonValue | undefined,
): { readonly items: readonly InventoryItem[] } | OrderProblem {
  if (!Array.isArray(body)) {
    return { problem: 'the body is not a JSON array of InventoryItem objects' };
  }
  const items = new Map<bigint, InventoryItem>();
  for (const [index, value] of body.entries()) {
    const reading = readInventoryItem(value);
    if ('problems' in reading) {
      const problems = reading.problems.map(({ member, message }) => `[${index}].${member} ${message}`);
      return { problem: problems.join('; ') };
    }
    if (items.has(reading.item.petId)) {
      return { problem: `[${index}].petId ${reading.item.petId} stands there twice` };
    }
    items.set(reading.item.petId, reading.item);
  }
  return { items: [...items.values()] };
}

function readMembers(
  body: JsonValue | undefined,
  known: readonly string[],
): { readonly object: JsonObject } | OrderProblem {
  if (!isJsonObject(body)) {
    return { problem: 'the body is not a JSON object' };
  }
  const unknown = Object.keys(body).find((member) => !known.includes(member));
  return unknown === undefined ? { object: body } : { problem: `${unknown} is not a known field` };
}

function isCount(value: JsonValue, minimum: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum;
}
