import type { SeedKey } from '../../fixtures/corpora/index.ts';
import type { Fault, Variant } from '../../reference-server/index.ts';
import { readLikeness } from '../shared/files/twin-file.ts';
import type { BanLike } from '../library/twin/ban-like.ts';
import type { Likeness } from '../library/twin/twin.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { readFaults, readVariants } from '../library/catalogue.ts';
import { parseKeyOptions } from '../shared/options/keys.ts';
import { readStoreOptions, refuseUnshareable, type StoreFlags, type StoreChoice } from './store-options.ts';
import { parseInteger } from '../shared/options/values.ts';

/** What `stockcheck serve` was asked for, validated. */
export interface ServeOptions extends StoreChoice {
  readonly host: string;
  /** 0 stands for any port that is free. */
  readonly port: number;
  /** `null`: no control contract. */
  readonly controlPort: number | null;
  /** `null`: the seed keys. */
  readonly keys: readonly SeedKey[] | null;
  readonly pets: number;
  readonly seed: number;
  /** `false`: no ban; a parameter that is absent has the server's default. */
  readonly ban: BanLike;
  readonly variants: readonly Variant[];
  /** The service that it behaves like, if one was named. */
  readonly like: Likeness | null;
  /** By how many milliseconds every response comes later. */
  readonly latency: number;
  /** All of them at once. */
  readonly faults: readonly Fault[];
}

/** The options of `serve` as the parser of the command line returns them. */
export interface ServeFlags extends StoreFlags {
  readonly host: string;
  readonly port: string;
  readonly controlPort: string;
  readonly control: boolean;
  readonly key?: readonly string[];
  readonly pets: string;
  readonly seed: string;
  readonly ban: boolean;
  readonly banAfter?: string;
  readonly banSeconds?: string;
  readonly banStatus?: string;
  readonly variant?: readonly string[];
  readonly like?: string;
  readonly latency?: boolean;
  readonly fault?: readonly string[];
}

const HIGHEST_PORT = 65_535;
const MOST_PETS = 1_000_000;
const LARGEST_SEED = 2 ** 32 - 1;
const MOST_REFUSED = 1_000_000;
const LONGEST_BAN_SECONDS = 31 * 86_400;

/** @throws {ConfigurationError} that names the option */
export function readServeOptions(flags: ServeFlags): ServeOptions {
  const keys = seedKeys(flags.key ?? []);
  const like = readLike(flags);
  const variants = like?.twin.variants ?? readVariants('--variant', flags.variant);
  const faults = readFaults('--fault', flags.fault, variants);
  const storing = readStoreOptions(flags);
  if (storing.store !== null) {
    refuseUnshareable(variants, faults);
  }
  return {
    ...storing,
    host: flags.host,
    port: parseInteger('--port', flags.port, 0, HIGHEST_PORT),
    controlPort: flags.control ? parseInteger('--control-port', flags.controlPort, 0, HIGHEST_PORT) : null,
    keys: keys.length === 0 ? null : keys,
    pets: parseInteger('--pets', flags.pets, 0, MOST_PETS),
    seed: parseInteger('--seed', flags.seed, 0, LARGEST_SEED),
    ban: like?.twin.ban ?? readBan(flags),
    variants,
    like,
    latency: flags.latency === true ? latencyOf(like) : 0,
    faults,
  };
}

/** @throws {ConfigurationError} if the report cannot be read, or another option chooses what the report does */
function readLike(flags: ServeFlags): ServeOptions['like'] {
  const { like, variant, ban, banAfter, banSeconds, banStatus } = flags;
  if (like === undefined) {
    return null;
  }
  const [rival] = [
    ['--variant', variant],
    ['--no-ban', ban ? undefined : true],
    ['--ban-after', banAfter],
    ['--ban-seconds', banSeconds],
    ['--ban-status', banStatus],
  ].flatMap(([name, value]) => (value === undefined ? [] : [String(name)]));
  if (rival !== undefined) {
    throw new ConfigurationError(
      `--like and ${rival} exclude each other: the report says how the service behaves`,
    );
  }
  return readLikeness(like, '--like');
}

/** @throws {ConfigurationError} if there is no report, or it does not say how long responses took */
function latencyOf(like: Likeness | null): number {
  if (like === null) {
    throw new ConfigurationError('--latency needs --like: a report says how long responses take');
  }
  if (like.latency === null) {
    throw new ConfigurationError(
      `--latency: ${like.path} does not say how long responses took; run verify again, with this version`,
    );
  }
  return like.latency;
}

function seedKeys(values: readonly string[]): readonly SeedKey[] {
  const keys = [...parseKeyOptions(values)].flatMap(([plan, list]) =>
    list.map((given): SeedKey => (typeof given === 'string' ? { key: given, plan } : { ...given, plan })),
  );
  for (const [index, { key, plan }] of keys.entries()) {
    if (!/^[!-~]+$/.test(key)) {
      throw new ConfigurationError(
        `--key ${plan}: key ${index + 1} must be printable ASCII characters without spaces`,
      );
    }
    if (keys.findIndex((other) => other.key === key) !== index) {
      throw new ConfigurationError(`--key ${plan}: key ${index + 1} was given before`);
    }
  }
  return keys;
}

function readBan(flags: ServeFlags): ServeOptions['ban'] {
  const given = [
    ['--ban-after', flags.banAfter],
    ['--ban-seconds', flags.banSeconds],
    ['--ban-status', flags.banStatus],
  ] as const;
  if (!flags.ban) {
    const [contradiction] = given.find(([, value]) => value !== undefined) ?? [];
    if (contradiction !== undefined) {
      throw new ConfigurationError(`${contradiction} and --no-ban exclude each other`);
    }
    return false;
  }
  const { banAfter, banSeconds, banStatus } = flags;
  return {
    ...(banAfter === undefined
      ? {}
      : { afterRefused: parseInteger('--ban-after', banAfter, 1, MOST_REFUSED) }),
    ...(banSeconds === undefined
      ? {}
      : { seconds: parseInteger('--ban-seconds', banSeconds, 1, LONGEST_BAN_SECONDS) }),
    ...(banStatus === undefined ? {} : { status: readBanStatus(banStatus) }),
  };
}

function readBanStatus(text: string): 401 | 403 | 429 {
  const status = ([401, 403, 429] as const).find((value) => String(value) === text);
  if (status === undefined) {
    throw new ConfigurationError(`--ban-status must be 401, 403 or 429, not ${JSON.stringify(text)}`);
  }
  return status;
}
