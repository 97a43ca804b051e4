import { SEED_KEYS, seedInventory } from '../../fixtures/corpora/index.ts';
import {
  UnusableStoreError,
  constantDelay,
  startReferenceServer,
  startSharedServer,
  type ReferenceServerOptions,
  type RunningServer,
} from '../../reference-server/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { listenProblem } from '../shared/failure.ts';
import { withoutPassword } from '../shared/options/values.ts';
import type { ServeOptions } from './options.ts';

/**
 * Starts the reference server as `serve` was asked to, in this process.
 * @throws {ConfigurationError} if it cannot listen, or cannot use its store
 */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  try {
    return await start(options, {
      host: options.host,
      port: options.port,
      ...(options.controlPort === null ? { control: false } : { controlPort: options.controlPort }),
      inventory: seedInventory({ size: options.pets, seed: options.seed }),
      keys: options.keys ?? SEED_KEYS,
      ban: options.ban,
      alterations: [
        ...[...options.variants, ...options.faults].map(({ alter }) => alter),
        ...(options.latency > 0 ? [constantDelay(options.latency)] : []),
      ],
    });
  } catch (error) {
    throw storeError(error, options) ?? listenError(error, options) ?? error;
  }
}

function start({ store }: ServeOptions, options: ReferenceServerOptions): Promise<RunningServer> {
  return store === null ? startReferenceServer(options) : startSharedServer(options, store);
}

function storeError(error: unknown, { store }: ServeOptions): ConfigurationError | undefined {
  return store !== null && error instanceof UnusableStoreError
    ? new ConfigurationError(`--store ${withoutPassword(store.url)}: ${error.message}`, { cause: error })
    : undefined;
}

/** Names the option at fault if the server cannot listen on a port or host. */
function listenError(
  error: unknown,
  { host, port, controlPort }: ServeOptions,
): ConfigurationError | undefined {
  const failed = error instanceof Error && 'port' in error ? error.port : undefined;
  const isControl = controlPort !== null && failed === controlPort && failed !== port;
  const place = isControl ? { option: '--control-port', port: controlPort } : { option: '--port', port };
  const message = listenProblem(error, { ...place, host });
  return message === undefined ? undefined : new ConfigurationError(message, { cause: error });
}
