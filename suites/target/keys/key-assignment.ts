import { PLANS, type Plan } from '../../../contract/plans.ts';
import { planningLimits, type Key } from '../../oracle/index.ts';
import { keepsLimit, requestsOf, type KeyNeed, type KeyTaker } from './key-need.ts';

/** Which configured keys serve for what. */
export interface Assignment {
  /** The key that gets banned, if one can be spared. */
  readonly ban: Key | null;
  readonly exhausted: ReadonlyMap<Plan, Key>;
  /** A key that is exhausted only after all sharing, because no other key is left for that. */
  readonly sharedFirst: Key | null;
}

export function assign(keys: readonly Key[], checks: readonly KeyTaker[]): Assignment {
  const exhausts = checks.some(({ needs }) => needs.keys.some((need) => !keepsLimit(need)));
  if (!exhausts) {
    return { ban: null, exhausted: new Map(), sharedFirst: null };
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
  const ban = keys.length > 1 ? (spare[0] ?? bySize[0] ?? null) : null;
  const unassigned = spare.some((key) => key !== ban);
  return { ban, exhausted, sharedFirst: unassigned ? null : (bySize.at(-1) ?? null) };
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
export function serves(key: Key, need: KeyNeed, { ban, exhausted }: Assignment): boolean {
  switch (need.use) {
    case 'ban':
      return fits(key, need) && key === ban;
    case 'exhaust':
      return fits(key, need) && key === exhausted.get(key.plan);
    case 'share':
    case 'spare':
      return fits(key, need);
  }
}
