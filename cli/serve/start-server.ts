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
import { errorCode } from '../shared/files/json-file.ts';
import { withoutPassword } from '../shared/options/redis-url.ts';
import type { ServeOptions } from './serve-options.ts';

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
  const option = failed === controlPort && failed !== port ? '--control-port' : '--port';
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `${option}: port ${String(failed)} is in use; choose another, or 0 for any that is free`,
    EACCES: `${option}: port ${String(failed)} needs privileges; choose one above 1023`,
    EADDRNOTAVAIL: `--host ${host}: this machine has no such address`,
    ENOTFOUND: `--host ${host}: there is no such host`,
  };
  const message = messages[errorCode(error) ?? ''];
  return message === undefined ? undefined : new ConfigurationError(message, { cause: error });
}
