import { SEED_KEYS, seedInventory, type SeedKey } from '../../fixtures/corpora/index.ts';
import {
  UnusableStoreError,
  startReferenceServer,
  startSharedServer,
  type ReferenceServerOptions,
  type RunningServer,
} from '../../reference-server/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { listenProblem } from '../shared/failure.ts';
import { withoutPassword } from '../shared/options/values.ts';
import type { ServerAddress } from '../library/embedded/embedded-target.ts';
import { type ServeOptions, readServeOptions } from './options.ts';
import type { Likeness } from '../library/twin/twin.ts';
import { observationText } from '../../reports/index.ts';
import { nextSignal } from '../shared/interruption.ts';
import type { CommandCall } from '../shared/options/command.ts';

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
      alterations: [...options.variants, ...options.faults].map(({ alter }) => alter),
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

/** What a user needs to know of a server that is ready; `controlUrl` is '' if there is none. */
export function describeServer({ url, controlUrl }: ServerAddress, options: ServeOptions): string {
  const keys: readonly SeedKey[] = options.keys ?? SEED_KEYS;
  const firstKey = keys.find(({ revoked }) => revoked !== true);
  const judging = [
    `stockcheck verify ${url}`,
    ...(firstKey === undefined ? [] : [`--key '${firstKey.plan}=${firstKey.key}'`]),
    ...(controlUrl === '' ? [] : [`--control ${controlUrl}`]),
  ];
  const rows = [
    ['target', url],
    ['control', controlUrl === '' ? 'none' : controlUrl],
    ...keys.map(({ key, plan, revoked }) => [revoked === true ? 'revoked key' : `${plan} key`, key] as const),
    ...differences(options),
    ['judge it', judging.join(' ')],
    ['stop it', 'Ctrl-C'],
  ] as const;
  return rows.map(([name, value]) => `${name.padEnd(15)} ${value}\n`).join('');
}

/** What a server shares with others, and what it does otherwise than the reference. */
function differences({
  store,
  variants,
  faults,
  like,
}: ServeOptions): readonly (readonly [string, string])[] {
  return [
    ...(store === null
      ? []
      : [['store', `${withoutPassword(store.url)}, namespace ${store.namespace}`] as const]),
    ...(like === null ? [] : likeRows(like)),
    ...variants.map(({ id, title }) => ['variant', `${id}: ${title}`] as const),
    ...faults.map(({ id, title, breaks }) => ['fault', `${id}: ${title} (breaks ${breaks})`] as const),
  ];
}

/** What a twin has of the service that it was made from, and what it lacks. */
function likeRows({ path, twin }: Likeness): readonly (readonly [string, string])[] {
  const { compared, unlike, kept, untold } = twin;
  return [
    ['like', `${path}: ${compared - unlike.length} of ${compared} observations alike`],
    ...unlike.map(({ name, seen }) => ['unlike', `${name} was ${observationText(seen)} there`] as const),
    ...kept.map((id) => ['unlike', `${id} was violated there; the twin keeps it`] as const),
    ...(untold.length === 0 ? [] : [['not told apart', untold.join(', ')] as const]),
  ];
}

/**
 * Runs the reference server until SIGINT or SIGTERM; a second signal ends the process at once.
 * @returns the exit code
 * @throws {ConfigurationError} if it cannot listen, or cannot use its store
 */
export async function runServe({ flags, surroundings }: CommandCall): Promise<number> {
  const options = readServeOptions(flags, surroundings);
  const interrupted = nextSignal();
  const server = await startServer(options);
  process.stdout.write(describeServer(server, options));
  await interrupted;
  await server.close();
  return 0;
}
