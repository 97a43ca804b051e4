import { SEED_KEYS } from '../fixtures/seed.ts';
import { PLANS } from '../contract/plans.ts';
import { startReferenceServer } from '../reference-server/start.ts';
import { resolveTargetConfig, type Profile, type TargetConfig } from '../suites/target-config.ts';

export interface EmbeddedTarget {
  readonly config: TargetConfig;
  readonly close: () => Promise<void>;
}

/** Starts the reference server on free ports of the loopback interface, and describes it as a target. */
export async function startEmbeddedTarget(profile: Profile | null): Promise<EmbeddedTarget> {
  const server = await startReferenceServer({});
  const keys = Object.fromEntries(
    PLANS.map((plan) => [
      plan,
      SEED_KEYS.filter((seed) => seed.plan === plan && seed.revoked !== true).map(
        ({ key, perMinute, perDay }) =>
          perMinute === undefined || perDay === undefined ? key : { key, perMinute, perDay },
      ),
    ]),
  );
  const config = resolveTargetConfig({
    target: server.url,
    control: server.controlUrl,
    keys,
    revokedKeys: SEED_KEYS.filter(({ revoked }) => revoked === true).map(({ key }) => key),
    ...(profile === null ? {} : { profile }),
  });
  return { config, close: server.close };
}
