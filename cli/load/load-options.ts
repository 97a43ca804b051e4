import { loadConfiguration } from '../shared/configuration/configuration.ts';
import { checkFleet, readFleet } from './fleet.ts';
import { requireConsent, checkCeiling, planScenarios } from '../library/load/plan-scenarios.ts';
import { readParameters, type ParameterFlags, LOAD_OPTIONS } from './command.ts';
import { refuseHistoryOfNothing, forOneReport } from '../shared/options/shared-options.ts';
import { refuseFirst } from '../shared/options/values.ts';
import { readOptions, type Flags, type Surroundings } from '../shared/options/option-rows.ts';

/**
 * What `stockcheck load` was asked for, validated. `config` is `null` for the embedded reference server, as `--self` asks,
 * and `fleet` if this process sends all of the load.
 */
export type LoadOptions = ReturnType<typeof readLoadOptions>;

/** The options of `load` as the parser of the command line returns them. */
export type LoadFlags = Flags<keyof typeof LOAD_OPTIONS> & ParameterFlags;

/** @throws {ConfigurationError} that names the option, variable or field */
export function readLoadOptions(target: string | undefined, flags: LoadFlags, surroundings: Surroundings) {
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
  return { ...given, config, profile, scenarios, warnings, fleet };
}
