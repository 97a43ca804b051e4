import type { Plan } from '../../../contract/plans.ts';
import type { Profile } from '../../../contract/verdict.ts';
import { SEED_KEYS, type SeedKey } from '../../../fixtures/corpora/index.ts';
import type { VerifyReport } from '../../../reports/index.ts';
import { resolveTargetConfig, type TargetConfig } from '../../../suites/target/index.ts';
import { runSuite, type RunOptions, type RunResult } from '../../../suites/verify/index.ts';
import { describeReferenceServer } from '../embedded/embedded-target.ts';
import { buildReport } from './report.ts';

const BAN_WAIT_SECONDS = 120;

export interface ReferenceServerRun extends Pick<
  RunOptions,
  'selects' | 'bail' | 'rankOf' | 'explore' | 'shrinks' | 'transport' | 'signal' | 'transcript'
> {
  readonly profile: Profile;
  /** The plans of the keys that the run is given, of those that the server begins with; `null` for all. */
  readonly plans?: readonly Plan[] | null;
}

/** Runs the suite against a reference server in which something was changed; musts decide. */
export async function judgeReferenceServer(
  address: Parameters<typeof describeReferenceServer>[0],
  { profile, plans = null, ...run }: ReferenceServerRun,
): Promise<{ readonly result: RunResult; readonly report: VerifyReport }> {
  const description = describeReferenceServer(address, plans === null ? SEED_KEYS : seedsOf(plans));
  const config: TargetConfig = { ...resolveTargetConfig({ ...description, profile }), isOwn: true };
  const result = await runSuite({
    ...run,
    config,
    long: false,
    banWaitSeconds: BAN_WAIT_SECONDS,
    headers: [],
    dryRun: false,
    listener: {},
  });
  return { result, report: buildReport(result, { config, level: 'must', selection: null }) };
}

/** A seed for each plan that is named, and those that were revoked. */
function seedsOf(plans: readonly Plan[]): readonly SeedKey[] {
  const left = [...plans];
  return SEED_KEYS.filter(({ plan, revoked }) => {
    const index = left.indexOf(plan);
    if (revoked !== true && index !== -1) {
      left.splice(index, 1);
    }
    return revoked === true || index !== -1;
  });
}
