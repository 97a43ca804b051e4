import type { Needs } from '../stimuli/index.ts';
import type { Capability } from '../target/index.ts';
import { PROFILES, type Profile } from '../../contract/verdict.ts';

/** What a run has to offer to its checks. */
export interface Resources {
  readonly profile: Profile;
  readonly capabilities: ReadonlySet<Capability>;
  readonly long: boolean;
  readonly revokedKey: boolean;
}

/** Why a check cannot run with these resources, or `null`. */
export function missingFor(needs: Needs, resources: Resources): string | null {
  if (PROFILES.indexOf(needs.profile) > PROFILES.indexOf(resources.profile)) {
    return `Not in profile ${resources.profile}: it needs profile ${needs.profile}.`;
  }
  const missing = (needs.control ?? []).filter((capability) => !resources.capabilities.has(capability));
  if (missing.length > 0) {
    return `It needs a control URL that offers ${missing.join(' and ')}.`;
  }
  if (needs.long === true && !resources.long) {
    return 'It takes many windows of real time: pass --long, or a control URL with clock and keys.';
  }
  if (
    needs.realTimeOnly === true &&
    resources.capabilities.has('clock') &&
    resources.capabilities.has('keys')
  ) {
    return 'The control clock judges the same faster.';
  }
  if (needs.revokedKey === true && !resources.revokedKey && !resources.capabilities.has('keys')) {
    return 'No revoked key was given (revokedKeys), and none can be revoked through a control URL.';
  }
  return null;
}
