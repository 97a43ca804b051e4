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
 * Collects the values of a repeated `--key plan=key[@perMinute/perDay][,…]` by plan.
 * @throws {ConfigurationError} if one has no such form
 */
export function parseKeyOptions(values: readonly string[]): ReadonlyMap<Plan, readonly DescribedKey[]> {
  const keys = new Map<Plan, readonly DescribedKey[]>();
  for (const value of values) {
    const separator = value.indexOf('=');
    const plan = PLANS.find((name) => name === value.slice(0, Math.max(0, separator)));
    // A value without a plan may be a key, so it is not shown.
    if (plan === undefined) {
      throw new ConfigurationError(
        `--key must have the form plan=key, such as free=KEY, where plan is ${enumeration(PLANS, 'or')}`,
      );
    }
    const list = parseKeyList(`--key ${plan}=`, value.slice(separator + 1));
    keys.set(plan, [...(keys.get(plan) ?? []), ...list]);
  }
  return keys;
}
