import { PLAN_LIMITS, PLANS } from '../../contract/plans.ts';
import type { Key } from './keys.ts';

/**
 * If a configured key shows exactly a limit of other plans, it may stand under the wrong plan in the
 * configuration, or the target may give it the limits of another plan: what is seen of the key alone cannot tell.
 * @returns the names of those plans, such as `pro` or `free or business`, or `null`
 */
export function planOfLimit({ plan, limits, issued }: Key, limit: number): string | null {
  if (issued || limits === null || limit === limits.perMinute || limit === limits.perDay) {
    return null;
  }
  const others = PLANS.filter((other) => {
    const known = other === plan || other === 'enterprise' ? null : PLAN_LIMITS[other];
    return known !== null && (known.perMinute === limit || known.perDay === limit);
  });
  return others.length === 0 ? null : others.join(' or ');
}

/** A question to the user, ahead of all blame, for each configured key whose last answer showed another plan's limit. */
export function doubtfulPlans(keys: readonly Key[]): readonly string[] {
  return keys.flatMap((key) => {
    const limit = key.usage.last?.rateLimit.limit;
    const shown = limit === undefined ? null : planOfLimit(key, limit);
    return shown === null
      ? []
      : [
          `${key.label} shows X-RateLimit-Limit ${limit}, which is a limit of the plan ${shown}: does the key stand under the wrong plan in the configuration? Then what failed with it is no fault of the target.`,
        ];
  });
}
