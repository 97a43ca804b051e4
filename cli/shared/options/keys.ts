import { enumeration } from '../../../contract/words/enumeration.ts';
import { PLANS, type Plan } from '../../../contract/plans.ts';
import type { DescribedKey } from '../../../contract/target-fields.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { readCommaSeparated } from '../../library/entries.ts';

/**
 * The keys of a comma-separated list such as `k1,k2@5000/500000`; limits in requests.
 * @param named the option or variable that messages name; keys are never shown
 * @throws {ConfigurationError} if limits are malformed
 */
export function parseKeyList(named: string, text: string): readonly DescribedKey[] {
  return readCommaSeparated(named, [text]).map((item, index) => {
    if (!item.includes('@')) {
      return item;
    }
    const parts = /^(?<key>[^@]+)@(?<perMinute>\d+)\/(?<perDay>\d+)$/.exec(item)?.groups;
    if (parts?.['key'] === undefined) {
      throw new ConfigurationError(
        `${named}: limits are written key@perMinute/perDay, such as KEY@5000/500000 (key ${index + 1} of the list); a key that holds "@" has to stand in the configuration file`,
      );
    }
    return { key: parts['key'], perMinute: Number(parts['perMinute']), perDay: Number(parts['perDay']) };
  });
}

/**
 * The plan before the first = of a value, and what stands behind it. What has no plan may be a key, so it is not shown.
 * @param form what a value looks like, such as `plan=key, such as free=KEY`
 * @throws {ConfigurationError} if there is no plan
 */
function splitPlan(text: string, named: string, form: string): readonly [plan: Plan, rest: string] {
  const separator = text.indexOf('=');
  const plan = PLANS.find((name) => name === text.slice(0, Math.max(0, separator)));
  if (plan === undefined) {
    throw new ConfigurationError(
      `${named} must have the form ${form}, where plan is ${enumeration(PLANS, 'or')}`,
    );
  }
  return [plan, text.slice(separator + 1)];
}

/**
 * Collects the values of a repeated `--key plan=key[@perMinute/perDay][,…]`, or of an option like it, by plan.
 * @throws {ConfigurationError} if one has no such form
 */
export function parseKeyOptions(
  values: readonly string[],
  named = '--key',
  form = 'plan=key, such as free=KEY',
): ReadonlyMap<Plan, readonly DescribedKey[]> {
  const keys = new Map<Plan, readonly DescribedKey[]>();
  for (const value of values) {
    const [plan, keysOfPlan] = splitPlan(value, named, form);
    const list = parseKeyList(`${named} ${plan}=`, keysOfPlan);
    keys.set(plan, [...(keys.get(plan) ?? []), ...list]);
  }
  return keys;
}
