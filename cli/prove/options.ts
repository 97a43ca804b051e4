import { availableParallelism } from 'node:os';

import { FAULTS, VARIANTS, type Variant } from '../../reference-server/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { Plan } from '../../contract/plans.ts';
import { SEED_PLANS } from '../../fixtures/corpora/index.ts';
import { forOneReport } from '../shared/options/shared-options.ts';
import { refuseFirst } from '../shared/options/values.ts';
import { readOptions, type Flags, type Surroundings } from '../shared/options/option-rows.ts';
import { EXPLORED_BY_DEFAULT, PROVE_OPTIONS } from './command.ts';
import { combinedTrials, plainTrial, singleTrials } from './servers/trials.ts';

/**
 * What `stockcheck prove` was asked for, validated. `realTimeKeys` are the plans of the keys of each run without the control
 * contract, and `null` with it.
 */
export type ProveOptions = ReturnType<typeof readProveOptions>;

/** The options of `prove` as the parser of the command line returns them. */
export type ProveFlags = Flags<keyof typeof PROVE_OPTIONS>;

const DEFAULT_SEED = 1;
// A trial waits a quarter of its time, so that more of them than processors keep these busy.
const SPARE_JOBS = 2;

/** @throws {ConfigurationError} that names the option */
export function readProveOptions(flags: ProveFlags, surroundings: Surroundings) {
  const {
    fault,
    variant,
    with: underlying,
    together,
    seed: givenSeed,
    jobs,
    explore,
    realTime,
    keys,
    ...given
  } = forOneReport(readOptions(PROVE_OPTIONS, flags, surroundings));
  const isWhole = fault === null && variant === null;
  const isFair = ({ onlyWithControl }: Variant): boolean => !realTime || onlyWithControl !== true;
  const material = {
    faults: isWhole ? FAULTS : (fault ?? []),
    variants: (isWhole ? VARIANTS : (variant ?? [])).filter(isFair),
    underlying,
  };
  refuseFirst([
    [givenSeed !== null && given.by === 'checks', '--seed has no meaning without --by explore'],
    [explore !== null && given.by === 'checks', '--explore has no meaning without --by explore'],
    [
      keys !== null && !realTime,
      '--keys has no meaning without --real-time: the control contract issues keys',
    ],
    [realTime && given.by !== 'checks', '--real-time has no meaning beside --by'],
  ]);
  const trials = [
    ...(isWhole ? [plainTrial(material)] : []),
    ...(together ? combinedTrials : singleTrials)(material),
  ];
  if (trials.length === 0) {
    throw new ConfigurationError(
      `--variant: no server is left to judge, since ${realTime ? '--real-time or --with' : '--with'} excludes each of these variants`,
    );
  }
  return {
    ...given,
    trials,
    underlying,
    realTimeKeys: realTime ? requireSeeded(keys ?? SEED_PLANS) : null,
    exploration: { requests: explore ?? EXPLORED_BY_DEFAULT, seed: givenSeed ?? DEFAULT_SEED },
    jobs: jobs ?? availableParallelism() + SPARE_JOBS,
  };
}

/** @throws {ConfigurationError} if a server does not begin with as many keys */
function requireSeeded(plans: readonly Plan[]): readonly Plan[] {
  for (const plan of new Set(plans)) {
    const [given = 0, seeded = 0] = [plans, SEED_PLANS].map(
      (all) => all.filter((one) => one === plan).length,
    );
    if (given > seeded) {
      throw new ConfigurationError(
        `--keys names ${plan} ${given} times, and a server has only ${seeded} of that plan`,
      );
    }
  }
  return plans;
}
