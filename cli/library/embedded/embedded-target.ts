import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { SEED_KEYS, type SeedKey } from '../../../fixtures/corpora/index.ts';
import { PLANS } from '../../../contract/plans.ts';
import {
  startReferenceServer,
  type RunningServer,
  type ReferenceServerOptions,
} from '../../../reference-server/index.ts';
import {
  resolveTargetConfig,
  type TargetConfig,
  type TargetDescription,
} from '../../../suites/target/index.ts';
import type { Profile } from '../../../contract/verdict.ts';
import { readFaults, readVariants } from '../catalogue.ts';

export interface EmbeddedTarget {
  readonly config: TargetConfig;
  readonly close: () => Promise<void>;
}

/** Starts the reference server on free ports of the loopback interface, and describes it as a target. */
export async function startEmbeddedTarget(profile: Profile | null): Promise<EmbeddedTarget> {
  const server = await startReferenceServer({});
  return { config: configOf(server, profile), close: server.close };
}

function configOf(server: ServerAddress, profile: Profile | null): TargetConfig {
  const description = describeReferenceServer(server);
  const config = resolveTargetConfig(profile === null ? description : { ...description, profile });
  return { ...config, isOwn: true };
}

/** Where a reference server on a thread or in a process of its own listens. */
export interface ServerAddress {
  readonly url: string;
  readonly controlUrl: string;
}

/** Starts the reference server on a thread of its own, so that it and a load generator do not slow each other. */
export async function startEmbeddedServer(profile: Profile | null): Promise<EmbeddedTarget> {
  const script = new URL(`embedded-server-thread${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(script);
  const [address]: readonly unknown[] = await once(worker, 'message');
  if (!isServerAddress(address)) {
    throw new Error('The thread of the reference server sent no address');
  }
  return {
    config: configOf(address, profile),
    close: async () => {
      await worker.terminate();
    },
  };
}

/** Whether that is what a thread tells once its server listens. */
function isServerAddress(message: unknown): message is ServerAddress {
  return (
    typeof message === 'object' &&
    message !== null &&
    'url' in message &&
    'controlUrl' in message &&
    typeof message.url === 'string' &&
    typeof message.controlUrl === 'string'
  );
}

/** A reference server with these keys, as a configuration file describes it. */
export function describeReferenceServer(
  { url, controlUrl }: ServerAddress,
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

/** What a reference server is started with. */
export interface ServerStartOptions extends Pick<
  ReferenceServerOptions,
  'host' | 'port' | 'control' | 'controlPort' | 'inventory' | 'keys' | 'ban'
> {
  /** Names of permitted variants, as `stockcheck prove --list` prints them. */
  readonly variants?: readonly string[];
  /** Names of seeded faults, as `stockcheck prove --list` prints them. */
  readonly faults?: readonly string[];
}

/** A reference server that listens. */
export interface StartedServer extends RunningServer {
  /** What `verify` and `load` take as their target. */
  readonly target: TargetDescription;
}

const SOURCE = 'startReferenceServer()';

/**
 * Starts the reference server in this process, by default on free ports of 127.0.0.1, with the seed keys and pets of
 * `stockcheck serve`.
 * @throws {ConfigurationError} if there is no such variant or fault
 * @throws if a port cannot be listened on
 */
export async function startServerOf(options: ServerStartOptions = {}): Promise<StartedServer> {
  const { variants: variantNames = [], faults: faultNames = [], ...rest } = options;
  const variants = readVariants(`${SOURCE}: variants`, variantNames);
  const faults = readFaults(`${SOURCE}: faults`, faultNames, variants);
  const server = await startReferenceServer({
    ...rest,
    alterations: [...variants, ...faults].map(({ alter }) => alter),
  });
  return { ...server, target: describeReferenceServer(server, options.keys ?? SEED_KEYS) };
}
