import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { PlanLimits } from '../../contract/plans.ts';

/**
 * Limits of a key, written `perMinute/perDay`.
 * @throws {ConfigurationError} that names the option
 */
export function parseLimits(text: string, named: string): PlanLimits {
  const { minute, day } = /^(?<minute>[1-9]\d{0,8})\/(?<day>[1-9]\d{0,8})$/.exec(text)?.groups ?? {};
  if (minute === undefined || day === undefined) {
    throw new ConfigurationError(
      `${named} must be requests a minute and a day, such as 100/5000, not ${JSON.stringify(text)}`,
    );
  }
  return { perMinute: Number(minute), perDay: Number(day) };
}
