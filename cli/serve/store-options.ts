import {
  type Fault,
  replacedParts,
  type UnshareablePart,
  type Alteration,
  type Variant,
} from '../../reference-server/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { parseRedisUrl } from '../shared/options/redis-url.ts';
import { parseInteger } from '../shared/options/values.ts';

/** Where a server holds what it shares with others, and how many processes it has. */
export interface StoreChoice {
  /** `null`: in memory. */
  readonly store: { readonly url: string; readonly namespace: string } | null;
  /** `null`: the process itself serves. */
  readonly workers: number | null;
}

export interface StoreFlags {
  readonly store?: string;
  readonly storeNamespace?: string;
  readonly workers?: string;
}

const DEFAULT_NAMESPACE = 'stockcheck';
const MOST_WORKERS = 64;

/** @throws {ConfigurationError} that names the option */
export function readStoreOptions(flags: StoreFlags): StoreChoice {
  const { store, storeNamespace: namespace = DEFAULT_NAMESPACE } = flags;
  const workers =
    flags.workers === undefined ? null : parseInteger('--workers', flags.workers, 1, MOST_WORKERS);
  if (store === undefined) {
    if (workers !== null) {
      throw new ConfigurationError(
        '--workers needs --store redis://HOST:PORT, where the processes share limits and inventory',
      );
    }
    if (flags.storeNamespace !== undefined) {
      throw new ConfigurationError('--store-namespace needs --store redis://HOST:PORT');
    }
    return { store: null, workers };
  }
  if (!/^[\w.:-]{1,64}$/.test(namespace)) {
    throw new ConfigurationError(
      `--store-namespace must be 1 to 64 letters, digits and . : _ -, not ${JSON.stringify(namespace)}`,
    );
  }
  return { store: { url: parseRedisUrl('--store', store), namespace }, workers };
}

const REASONS: Readonly<Record<UnshareablePart, string>> = {
  window: 'it counts requests in its own way',
  clock: 'it replaces the clock',
  keys: 'it keeps its own keys',
  limiter: 'it keeps its own counts',
  inventory: 'it keeps its own inventory',
};

/** Faults that need time between the check of a limit and the count, or the counts of keys that ask for nothing. */
const CURED_FAULTS = new Set([
  'keys-forgotten-when-many-are-active',
  'limit-of-one-key-renews-others',
  'race-of-check-and-count',
  'race-of-reads',
  'race-of-updates',
  'race-when-busy',
]);

/**
 * Makes sure that what a server does otherwise than the reference works over a shared store. A fault may see limits and
 * inventory in its own way, since all the same it is one.
 * @throws {ConfigurationError} that names what does not
 */
export function refuseUnshareable(variants: readonly Variant[], faults: readonly Fault[]): void {
  for (const { id, alter } of variants) {
    refuse('--variant', id, alter, ['window', 'clock', 'keys', 'limiter', 'inventory']);
  }
  for (const { id, alter } of faults) {
    if (CURED_FAULTS.has(id)) {
      throw new ConfigurationError(
        `--fault ${id} cannot be combined with --store: it has no effect when Redis counts the requests`,
      );
    }
    refuse('--fault', id, alter, ['window', 'clock', 'keys']);
  }
}

function refuse(option: string, id: string, alter: Alteration, parts: readonly UnshareablePart[]): void {
  const part = replacedParts(alter).find((replaced) => parts.includes(replaced));
  if (part !== undefined) {
    throw new ConfigurationError(`${option} ${id} cannot be combined with --store: ${REASONS[part]}`);
  }
}
