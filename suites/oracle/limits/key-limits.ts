import { DAY_SECONDS, MINUTE_SECONDS, type Plan, type PlanLimits } from '../../../contract/plans.ts';
import type { KnownKey } from '../history.ts';
import type { ServerClock } from '../server-clock.ts';
import { newTraffic, type KeyTraffic } from './key-traffic.ts';
import { followWaits, type Waits } from './waits.ts';
import { openWindow, type WindowModel } from './window-model.ts';

/** What may be true of one key's limits. */
export interface KeyLimits {
  readonly label: string;
  readonly plan: Plan;
  readonly limits: PlanLimits;
  readonly isExclusive: boolean;
  readonly traffic: KeyTraffic;
  readonly minute: WindowModel;
  readonly day: WindowModel;
  readonly waits: Waits;
  /** When a refusal last came after exactly as many requests as a minute grants. */
  keptAt: number;
  /** What was asked for when its minute was used up, and when last. */
  readonly refusedForms: Map<string, number>;
}

/** @returns `null` if nobody knows the limits of the key */
export function openKeyLimits(key: KnownKey, clock: ServerClock): KeyLimits | null {
  const { label, plan, limits, isExclusive, usedToday } = key;
  if (plan === null || limits === null) {
    return null;
  }
  return {
    label,
    plan,
    limits,
    isExclusive,
    traffic: newTraffic(),
    minute: openWindow({
      limit: limits.perMinute,
      length: MINUTE_SECONDS * 1000,
      isExclusive,
      usedBefore: 0,
    }),
    day: openWindow({
      limit: limits.perDay,
      length: DAY_SECONDS * 1000,
      isExclusive: isExclusive && usedToday !== null,
      usedBefore: usedToday ?? 0,
    }),
    waits: followWaits(clock),
    keptAt: Number.NEGATIVE_INFINITY,
    refusedForms: new Map(),
  };
}
