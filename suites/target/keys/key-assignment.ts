import { PLANS, type Plan } from '../../../contract/plans.ts';
import { planningLimits, type Key } from '../../oracle/index.ts';
import { keepsLimit, requestsOf, type KeyNeed, type KeyTaker } from './key-leases.ts';

/** Which configured keys serve for what. */
export interface Assignment {
  /** The key that gets banned, if one can be spared. */
  readonly ban: Key | null;
  readonly exhausted: ReadonlyMap<Plan, Key>;
  /** Keys for needs that would have to wait until another check is done with the key of their plan. */
  readonly own: ReadonlyMap<KeyNeed, Key>;
  /** A key that is exhausted only after all sharing, because no other key is left for that. */
  readonly sharedFirst: Key | null;
}

export function assign(keys: readonly Key[], checks: readonly KeyTaker[]): Assignment {
  const exhausts = checks.some(({ needs }) => needs.keys.some((need) => !keepsLimit(need)));
  if (!exhausts) {
    return { ban: null, exhausted: new Map(), own: new Map(), sharedFirst: null };
  }
  const exhausted = new Map<Plan, Key>();
  for (const plan of PLANS) {
    const first = keys.find((key) => key.plan === plan);
    if (first !== undefined) {
      exhausted.set(plan, first);
    }
  }
  const bySize = keys.toSorted((a, b) => planningLimits(a).perMinute - planningLimits(b).perMinute);
  const spare = bySize.filter((key) => exhausted.get(key.plan) !== key);
  const bans = checks.some(({ needs }) => needs.keys.some(({ use }) => use === 'ban'));
  const ban = bans && keys.length > 1 ? (spare[0] ?? bySize[0] ?? null) : null;
  const unassigned = spare.filter((key) => key !== ban);
  const own = assignOwn(unassigned, checks);
  return { ban, exhausted, own, sharedFirst: unassigned.length > 0 ? null : (bySize.at(-1) ?? null) };
}

/** Gives a key of its own to what would use up that of its plan after another check, as long as there are enough. */
function assignOwn(unassigned: readonly Key[], checks: readonly KeyTaker[]): ReadonlyMap<KeyNeed, Key> {
  const needs = checks.flatMap((check) => check.needs.keys);
  const served = new Set<Plan | 'any'>(['any']);
  const own = new Map<KeyNeed, Key>();
  let left = unassigned;
  for (const need of needs.filter(({ use }) => use === 'exhaust')) {
    const waits = need.ifSpared === true || served.has(need.plan);
    served.add(need.plan);
    const key = left.find(
      (one) =>
        waits &&
        one.plan === need.plan &&
        requestsOf(need, planningLimits(one)) > 0 &&
        canDoWithout(one, left, needs.filter(keepsLimit)),
    );
    if (key !== undefined) {
      own.set(need, key);
      left = left.filter((one) => one !== key);
    }
  }
  return own;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Whether all that keeps within limits fits into a minute of the other keys. */
function canDoWithout(key: Key, keys: readonly Key[], needs: readonly KeyNeed[]): boolean {
  const others = keys.filter((one) => one !== key);
  const carried = needs.filter((need) => keys.some((one) => fits(one, need)));
  const requests = carried.map((need) => {
    const other = others.find((one) => fits(one, need));
    return other === undefined ? Number.POSITIVE_INFINITY : requestsOf(need, planningLimits(other));
  });
  return sum(requests) <= sum(others.map((one) => planningLimits(one).perMinute));
}

function fits(key: Key, need: KeyNeed): boolean {
  const planFits = need.plan === 'any' || key.plan === need.plan;
  const limits = planningLimits(key);
  return planFits && (!keepsLimit(need) || requestsOf(need, limits) < limits.perMinute);
}

/** Why needs cannot be met with these keys, or `null`. */
export function obstacleOf(
  keys: readonly Key[],
  assignment: Assignment,
  needs: readonly KeyNeed[],
): string | null {
  const demanded = needs.filter(({ optional }) => optional !== true);
  for (const need of demanded) {
    if (need.usedToday !== undefined) {
      return 'It needs a key with usedToday, which only a control URL with "keys" can issue.';
    }
    if (!keys.some((key) => fits(key, need))) {
      return need.plan === 'any'
        ? 'No configured key has enough requests a minute for it.'
        : `No ${need.plan} key was given (--key ${need.plan}=…).`;
    }
    if (need.plan === 'enterprise' && keys.every((key) => key.plan !== need.plan || key.limits === null)) {
      return 'The limits of the enterprise key were not given (key, perMinute, perDay).';
    }
    if (need.use === 'ban' && assignment.ban === null) {
      return 'A ban is provoked only if a second key stays usable; give one more key.';
    }
  }
  const candidatesOf = (need: KeyNeed): readonly Key[] => keys.filter((key) => serves(key, need, assignment));
  return canAllBeMet(demanded.map(candidatesOf)) ? null : 'It needs more keys than were given.';
}

/** Whether each need can have a key of its own. */
function canAllBeMet([candidates, ...others]: readonly (readonly Key[])[]): boolean {
  return (
    candidates === undefined ||
    candidates.some((key) => canAllBeMet(others.map((keys) => keys.filter((other) => other !== key))))
  );
}

/** Whether that key is one that the need may be given. */
export function serves(key: Key, need: KeyNeed, { ban, exhausted, own }: Assignment): boolean {
  switch (need.use) {
    case 'ban':
      return fits(key, need) && key === ban;
    case 'exhaust':
      return own.has(need)
        ? key === own.get(need)
        : need.ifSpared !== true && fits(key, need) && key === exhausted.get(key.plan);
    case 'share':
    case 'spare':
      return fits(key, need);
  }
}
