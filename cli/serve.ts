import { once } from 'node:events';

import { SEED_KEYS, seedInventory, type SeedKey } from '../fixtures/seed.ts';
import { startReferenceServer } from '../reference-server/start.ts';
import { ConfigurationError } from '../suites/configuration-error.ts';
import { errorCode } from './json-file.ts';
import type { ServeOptions } from './options/serve-options.ts';

/**
 * Runs the reference server until SIGINT or SIGTERM; a second signal ends the process at once.
 * @returns the exit code
 * @throws {ConfigurationError} where it can't listen
 */
export async function runServe(options: ServeOptions): Promise<number> {
  const interrupted = nextSignal();
  const keys = options.keys ?? SEED_KEYS;
  const server = await start(options, keys);
  process.stdout.write(describeServer(server.url, server.controlUrl, keys, differences(options)));
  await interrupted;
  await server.close();
  return 0;
}

/** What a user needs to know of a server that is ready; `controlUrl` is '' where there is none. */
export function describeServer(
  url: string,
  controlUrl: string,
  keys: readonly SeedKey[],
  differences: readonly (readonly [name: string, value: string])[] = [],
): string {
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
    ...differences,
    ['judge it', judging.join(' ')],
    ['stop it', 'Ctrl-C'],
  ] as const;
  return rows.map(([name, value]) => `${name.padEnd(15)} ${value}\n`).join('');
}

/** What the server does otherwise than the reference. */
function differences({ variants, fault }: ServeOptions): readonly (readonly [string, string])[] {
  return [
    ...variants.map(({ id, title }) => ['variant', `${id}: ${title}`] as const),
    ...(fault === null ? [] : [['fault', `${fault.id}: ${fault.title} (breaks ${fault.breaks})`] as const]),
  ];
}

async function start(
  options: ServeOptions,
  keys: readonly SeedKey[],
): Promise<Awaited<ReturnType<typeof startReferenceServer>>> {
  try {
    return await startReferenceServer({
      host: options.host,
      port: options.port,
      ...(options.controlPort === null ? { control: false } : { controlPort: options.controlPort }),
      inventory: seedInventory({ size: options.pets, seed: options.seed }),
      keys,
      ban: options.ban,
      alterations: [...options.variants, ...(options.fault === null ? [] : [options.fault])].map(
        ({ alter }) => alter,
      ),
    });
  } catch (error) {
    throw listenError(error, options) ?? error;
  }
}

/** The options at fault where a port or host can't be listened on. */
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

async function nextSignal(): Promise<void> {
  const settled = new AbortController();
  const waits = (['SIGINT', 'SIGTERM'] as const).map((signal) => once(process, signal, settled));
  await Promise.race(waits);
  settled.abort();
  await Promise.allSettled(waits);
}
