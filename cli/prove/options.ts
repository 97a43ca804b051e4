import { availableParallelism } from 'node:os';

import { FAULTS, VARIANTS, type Variant } from '../../reference-server/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { PROFILES, type Profile } from '../../contract/verdict.ts';
import { wantsColor } from '../shared/output/color.ts';
import { drawTrials, singleTrials, type Trial } from './servers/trials.ts';
import { matchingFaults, matchingVariants, readVariants } from '../shared/options/catalogue.ts';
import { checkOutputDirectory, readJsonPath } from '../shared/files/option-paths.ts';
import { parseChoice, parseInteger } from '../shared/options/values.ts';
import type { Surroundings } from '../shared/options/command.ts';

/** What `stockcheck prove` was asked for, validated. */
export interface ProveOptions {
  readonly trials: readonly Trial[];
  readonly underlying: readonly Variant[];
  /** The only profile to judge in; `null` for the first that catches a fault. */
  readonly profile: Profile | null;
  /** `null`: each fault and each variant alone. */
  readonly seed: number | null;
  /** Judges each fault with `--only` the requirement that it breaks, and no conformant server. */
  readonly onlyOwn: boolean;
  readonly jobs: number;
  readonly json: string | null;
  readonly report: string | null;
  readonly quiet: boolean;
  readonly color: boolean;
}

/** The options of `prove` as the parser of the command line returns them. */
export interface ProveFlags {
  readonly fault?: readonly string[];
  readonly variant?: readonly string[];
  readonly with?: readonly string[];
  readonly profile?: string;
  readonly random?: string;
  readonly onlyOwn?: boolean;
  readonly seed?: string;
  readonly jobs?: string;
  /** `true` without a path. */
  readonly json?: string | true;
  readonly report?: string;
  readonly quiet?: boolean;
}

const MOST_TRIALS = 100_000;
const LARGEST_SEED = 2 ** 32 - 1;
const MOST_JOBS = 64;
// A trial waits a quarter of its time, so that more of them than processors keep these busy.
const SPARE_JOBS = 2;

/** @throws {ConfigurationError} that names the option */
export function readProveOptions(
  flags: ProveFlags,
  { environment, directory, stdout }: Surroundings,
): ProveOptions {
  const isWhole = flags.fault === undefined && flags.variant === undefined;
  const underlying = readVariants('--with', flags.with);
  const material = {
    faults: isWhole ? FAULTS : flags.fault === undefined ? [] : matchingFaults('--fault', flags.fault),
    variants: isWhole
      ? VARIANTS
      : flags.variant === undefined
        ? []
        : matchingVariants('--variant', flags.variant),
    underlying,
  };
  if (flags.seed !== undefined && flags.random === undefined) {
    throw new ConfigurationError('--seed has no meaning without --random');
  }
  const onlyOwn = flags.onlyOwn ?? false;
  if (onlyOwn && flags.variant !== undefined) {
    throw new ConfigurationError(
      '--only-own judges faults; --with gives each of them a variant, --variant does not',
    );
  }
  const count = flags.random === undefined ? null : parseInteger('--random', flags.random, 1, MOST_TRIALS);
  const seed = count === null ? null : parseInteger('--seed', flags.seed ?? '1', 0, LARGEST_SEED);
  const trials = count === null || seed === null ? singleTrials(material) : drawTrials(material, count, seed);
  return {
    trials: onlyOwn ? trials.filter(({ fault }) => fault !== null) : trials,
    onlyOwn,
    underlying,
    profile: flags.profile === undefined ? null : parseChoice('--profile', flags.profile, PROFILES),
    seed,
    jobs: parseInteger('--jobs', flags.jobs ?? `${availableParallelism() + SPARE_JOBS}`, 1, MOST_JOBS),
    json: flags.json === undefined ? null : readJsonPath(flags.json, directory),
    report: flags.report === undefined ? null : checkOutputDirectory('--report', flags.report, directory),
    quiet: flags.quiet ?? false,
    color: wantsColor(stdout, environment),
  };
}
