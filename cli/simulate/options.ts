import { randomInt } from 'node:crypto';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import { PLAN_LIMITS } from '../../contract/plans.ts';
import type { Variant } from '../../reference-server/index.ts';
import type { Storm } from '../../simulation/index.ts';
import { withColor } from '../shared/options/shared-options.ts';
import { LARGEST_SEED } from '../shared/options/values.ts';
import { readVariants } from '../library/catalogue.ts';
import { sharesOf } from '../library/simulate/client-policies.ts';
import { type PlannedStorm, planStorm } from '../library/simulate/plan-storm.ts';
import {
  readOptions,
  textsOf,
  type Flags,
  type OptionValues,
  type Surroundings,
} from '../shared/options/option-rows.ts';
import { SIMULATE_OPTIONS } from './command.ts';

/** What `stockcheck simulate` was asked for, validated. */
export interface SimulateOptions extends PlannedStorm {
  readonly search: 'server' | 'client' | 'both' | null;
  readonly json: string | null;
  readonly report: string | null;
  readonly quiet: boolean;
  readonly color: boolean;
}

/** The options of `simulate` as the parser of the command line returns them. */
export type SimulateFlags = Flags<keyof typeof SIMULATE_OPTIONS>;

/** @throws {ConfigurationError} that names the option */
export function readSimulateOptions(flags: SimulateFlags, surroundings: Surroundings): SimulateOptions {
  const given = withColor(readOptions(SIMULATE_OPTIONS, flags, surroundings), surroundings);
  const { json, report, quiet, search, color } = given;
  const planned = planStorm({
    ...given,
    seed: given.seed ?? randomInt(LARGEST_SEED),
    limits: limitsOf(given, flags),
    variants: variantsOf(given, flags),
    shares: sharesOf(given.client, '--client'),
  });
  return { ...planned, search, json, report, quiet, color };
}

type Given = OptionValues<typeof SIMULATE_OPTIONS>;
function limitsOf({ plan, limit }: Given, flags: SimulateFlags): Storm['limits'] {
  if (limit !== null && flags.plan !== undefined) {
    throw new ConfigurationError('--limit and --plan exclude each other: both say what a key may do');
  }
  return limit ?? PLAN_LIMITS[plan];
}

function variantsOf({ like }: Given, { variant }: SimulateFlags): readonly Variant[] {
  if (like !== null && variant !== undefined) {
    throw new ConfigurationError(
      '--like and --variant exclude each other: the report says how the service behaves',
    );
  }
  return readVariants('--variant', variant === undefined ? undefined : textsOf(variant));
}
