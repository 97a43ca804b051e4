import {
  type Alteration,
  type Fault,
  replacedParts,
  type UnshareablePart,
  type Variant,
} from '../../reference-server/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { readFaults } from '../library/catalogue.ts';
import {
  readOptions,
  type Flags,
  type OptionValues,
  type Surroundings,
} from '../shared/options/option-rows.ts';
import { SERVE_OPTIONS } from './command.ts';

type Given = OptionValues<typeof SERVE_OPTIONS>;

/**
 * What `stockcheck serve` was asked for, validated. `controlPort` is `null` without a control contract, `keys` for the seed keys,
 * and `store` in memory.
 */
export type ServeOptions = ReturnType<typeof readServeOptions>;

/** The options of `serve` as the parser of the command line returns them. */
export type ServeFlags = Flags<keyof typeof SERVE_OPTIONS>;

/** @throws {ConfigurationError} that names the option */
export function readServeOptions(flags: ServeFlags, surroundings: Surroundings) {
  if (flags.like !== undefined && flags.variant !== undefined) {
    throw new ConfigurationError(
      '--like and --variant exclude each other: the report says how the service behaves',
    );
  }
  if (flags.control === false && flags.controlPort !== undefined) {
    throw new ConfigurationError('--control-port and --no-control exclude each other');
  }
  const given = readOptions(SERVE_OPTIONS, flags, surroundings);
  const { host, port, controlPort, control, key, pets, seed, like } = given;
  const variants = like?.twin.variants ?? given.variant;
  const faults = readFaults('--fault', given.fault, variants);
  const store = storeOf(given);
  if (store !== null) {
    refuseUnshareable(variants, faults);
  }
  return {
    host,
    port,
    controlPort: control ? controlPort : null,
    keys: key.length === 0 ? null : key,
    pets,
    seed,
    variants,
    like,
    faults,
    store,
  };
}

/** @throws {ConfigurationError} if something needs a store, and there is none */
function storeOf({ store, storeNamespace }: Given) {
  if (store !== null) {
    return { url: store, namespace: storeNamespace ?? 'stockcheck' };
  }
  if (storeNamespace !== null) {
    throw new ConfigurationError('--store-namespace needs --store redis://HOST:PORT');
  }
  return null;
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
function refuseUnshareable(variants: readonly Variant[], faults: readonly Fault[]): void {
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
