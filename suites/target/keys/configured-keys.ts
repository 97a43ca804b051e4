import { newUsage, type Key } from '../../oracle/index.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { TargetConfig } from '../configuration/target-config.ts';

/** The keys of a configuration as a run uses them; they and the revoked ones are hidden from now on. */
export function configuredKeys(config: TargetConfig, redactor: Redactor): readonly Key[] {
  config.revokedKeys.forEach((key, index) => redactor.hide(key, `revoked#${index + 1}`));
  return config.keys.map(({ key, plan, limits, label }) => {
    redactor.hide(key, label);
    return { label, secret: key, plan, limits, issued: false, usedToday: 0, usage: newUsage() };
  });
}
