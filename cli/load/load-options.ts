import type { TargetConfig } from '../../suites/target/index.ts';
import type { Profile } from '../../contract/verdict.ts';
import type { PlannedScenario } from '../../load/index.ts';
import { loadConfiguration } from '../shared/configuration/configuration.ts';
import { checkFleet, readFleet, type FleetChoice } from './fleet.ts';
import { requireConsent, checkCeiling, planScenarios } from '../library/load/plan-scenarios.ts';
import { readParameters, type ParameterFlags, LOAD_OPTIONS } from './command.ts';
import { refuseHistoryOfNothing, forOneReport } from '../shared/options/shared-options.ts';
import { refuseFirst } from '../shared/options/values.ts';
import {
  readOptions,
  type Flags,
  type OptionValues,
  type Surroundings,
} from '../shared/options/option-rows.ts';

/** What `stockcheck load` was asked for, validated. */
export type LoadOptions = Omit<
  OptionValues<typeof LOAD_OPTIONS>,
  'scenario' | 'threshold' | 'iMayLoad' | 'maxRequests' | 'fleet' | 'fleetWorkers'
> & {
  /** `null`: the embedded reference server is loaded, as `--self` asks. */
  readonly config: TargetConfig | null;
  readonly profile: Profile | null;
  readonly scenarios: readonly PlannedScenario[];
  readonly warnings: readonly string[];
  /** Workers that share the load, or `null` if this process sends all of it. */
  readonly fleet: FleetChoice | null;
};

/** The options of `load` as the parser of the command line returns them. */
export type LoadFlags = Flags<keyof typeof LOAD_OPTIONS> & ParameterFlags;

/** @throws {ConfigurationError} that names the option, variable or field */
export function readLoadOptions(
  target: string | undefined,
  flags: LoadFlags,
  surroundings: Surroundings,
): LoadOptions {
  const {
    scenario,
    threshold,
    iMayLoad,
    maxRequests,
    fleet: url,
    fleetWorkers,
    ...given
  } = forOneReport(readOptions(LOAD_OPTIONS, flags, surroundings));
  refuseHistoryOfNothing(given);
  refuseFirst([
    [
      flags.tolerance !== undefined && given.baseline === null,
      '--tolerance has no meaning without --baseline FILE: there is nothing to compare with',
    ],
  ]);
  const parameters = readParameters(flags);
  const fleet = readFleet(url, fleetWorkers);
  const { config, profile, warnings } = loadConfiguration(target, flags, surroundings);
  requireConsent(config, iMayLoad, '--i-may-load');
  const scenarios = planScenarios(
    config,
    { scenario, threshold, isDivided: fleet !== null, profile: config?.profile ?? profile },
    parameters,
  );
  checkFleet(fleet, config, scenarios);
  checkCeiling(scenarios, maxRequests);
  return {
    ...given,
    config,
    profile,
    scenarios,
    warnings,
    fleet,
  };
}
