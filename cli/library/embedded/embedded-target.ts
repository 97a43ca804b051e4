import { SEED_KEYS, type SeedKey } from '../../../fixtures/corpora/index.ts';
import { PLANS } from '../../../contract/plans.ts';
import { startReferenceServer, type RunningServer } from '../../../reference-server/index.ts';
import {
  resolveTargetConfig,
  type TargetConfig,
  type TargetDescription,
} from '../../../suites/target/index.ts';
import type { Profile } from '../../../contract/verdict.ts';

export interface EmbeddedTarget {
  readonly config: TargetConfig;
  readonly close: () => Promise<void>;
}

/** Starts the reference server on free ports of the loopback interface, and describes it as a target. */
export async function startEmbeddedTarget(profile: Profile | null): Promise<EmbeddedTarget> {
  const server = await startReferenceServer({});
  const description = describeReferenceServer(server);
  const config = resolveTargetConfig(profile === null ? description : { ...description, profile });
  return { config, close: server.close };
}

/** A reference server with these keys, as a configuration file describes it. */
export function describeReferenceServer(
  { url, controlUrl }: Pick<RunningServer, 'url' | 'controlUrl'>,
  seeds: readonly SeedKey[] = SEED_KEYS,
): TargetDescription {
  const keys = Object.fromEntries(
    PLANS.map((plan) => [
      plan,
      seeds
        .filter((seed) => seed.plan === plan && seed.revoked !== true)
        .map(({ key, perMinute, perDay }) =>
          perMinute === undefined || perDay === undefined ? key : { key, perMinute, perDay },
        ),
    ]),
  );
  return {
    target: url,
    ...(controlUrl === '' ? {} : { control: controlUrl }),
    keys,
    revokedKeys: seeds.filter(({ revoked }) => revoked === true).map(({ key }) => key),
  };
}
