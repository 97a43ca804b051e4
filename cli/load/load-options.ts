import { loadConfiguration } from '../shared/configuration/configuration.ts';
import { requireConsent, checkCeiling, planScenarios } from '../library/load/plan-scenarios.ts';
import { readParameters, type ParameterFlags, LOAD_OPTIONS } from './command.ts';
import { refuseHistoryOfNothing, forOneReport } from '../shared/options/shared-options.ts';
import { readOptions, type Flags, type Surroundings } from '../shared/options/option-rows.ts';
import { importFleet, type ConnectedFleet, type PlannedScenario } from '../../load/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { TargetConfig } from '../../suites/target/index.ts';
import { packageVersion } from '../library/version.ts';

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

/** Workers that share a load; `workers` is `null` for those that are connected. */
type FleetChoice = NonNullable<ReturnType<typeof readFleet>>;

/** @throws {ConfigurationError} if there are workers, but no fleet */
function readFleet(url: string | null, workers: number | null) {
  if (url === null && workers !== null) {
    throw new ConfigurationError('--fleet-workers has no meaning without --fleet');
  }
  return url === null ? null : { url, workers };
}

/** Only plain load can be divided among workers, on a target that they can reach. */
function checkFleet(
  fleet: FleetChoice | null,
  config: TargetConfig | null,
  scenarios: readonly PlannedScenario[],
): void {
  if (fleet === null) {
    return;
  }
  if (config === null) {
    throw new ConfigurationError('--fleet needs a TARGET that its workers can reach');
  }
  const whole = scenarios.filter(({ scenario }) => scenario.divisible !== true);
  if (whole.length > 0) {
    const ids = whole.map(({ scenario }) => scenario.id).join(', ');
    throw new ConfigurationError(
      `--fleet divides only plain load, and ${ids} ${whole.length === 1 ? 'does' : 'do'} more than that; run ${whole.length === 1 ? 'it' : 'them'} without --fleet`,
    );
  }
  const threaded = scenarios.find(({ parameters }) => parameters.threads > 1);
  if (threaded !== undefined) {
    throw new ConfigurationError(
      `--fleet divides the load among workers, and ${threaded.scenario.id} asks for ${threaded.parameters.threads} threads; leave out --threads, and start a worker for each core`,
    );
  }
  requireConnections(scenarios, fleet.workers ?? 1);
}

/**
 * Joins the fleet that was asked for.
 * @throws {InconclusiveError} if it is not available
 * @throws {ConfigurationError} if there are more workers than connections
 */
export async function joinFleet(
  { url, workers }: FleetChoice,
  scenarios: readonly PlannedScenario[],
  signal: AbortSignal,
): Promise<ConnectedFleet> {
  const { connectFleet } = await importFleet('--fleet');
  const connected = await connectFleet({
    url,
    option: '--fleet',
    workers,
    version: packageVersion(),
    signal,
  });
  try {
    requireConnections(scenarios, connected.size);
  } catch (error) {
    await connected.close();
    throw error;
  }
  return connected;
}

function requireConnections(scenarios: readonly PlannedScenario[], workers: number): void {
  const scarce = scenarios.find(({ parameters }) => parameters.connections < workers);
  if (scarce !== undefined) {
    throw new ConfigurationError(
      `--connections ${scarce.parameters.connections} of ${scarce.scenario.id} cannot be divided among ${workers} workers; raise it, or take fewer workers with --fleet-workers`,
    );
  }
}
