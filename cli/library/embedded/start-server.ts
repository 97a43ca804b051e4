import { SEED_KEYS } from '../../../fixtures/corpora/index.ts';
import {
  startReferenceServer,
  type ReferenceServerOptions,
  type RunningServer,
} from '../../../reference-server/index.ts';
import type { TargetDescription } from '../../../suites/target/index.ts';
import { readFaults, readVariants } from '../catalogue.ts';
import { describeReferenceServer } from './embedded-target.ts';

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
