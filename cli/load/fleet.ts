import { importFleet, type ConnectedFleet, type PlannedScenario } from '../../load/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { TargetConfig } from '../../suites/target/index.ts';
import { packageVersion } from '../library/version.ts';

/** Workers that share a load. */
export interface FleetChoice {
  readonly url: string;
  /** `null`: those that are connected. */
  readonly workers: number | null;
}

/** @throws {ConfigurationError} if there are workers, but no fleet */
export function readFleet(url: string | null, workers: number | null): FleetChoice | null {
  if (url === null && workers !== null) {
    throw new ConfigurationError('--fleet-workers has no meaning without --fleet');
  }
  return url === null ? null : { url, workers };
}

/** Only plain load can be divided among workers, on a target that they can reach. */
export function checkFleet(
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
