import type { PlannedScenario } from '../../load/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { TargetConfig } from '../../suites/target/index.ts';
import type { LoadFlags } from './load-flags.ts';
import { parseRedisUrl } from '../shared/options/redis-url.ts';
import { parseInteger } from '../shared/options/values.ts';

/** Workers that carry a load. */
export interface FleetChoice {
  readonly url: string;
  /** `null`: those that are connected. */
  readonly workers: number | null;
}

const MOST_WORKERS = 1_000;

/** @throws {ConfigurationError} that names the option */
export function readFleet({ fleet, fleetWorkers }: LoadFlags): FleetChoice | null {
  if (fleet === undefined) {
    if (fleetWorkers !== undefined) {
      throw new ConfigurationError('--fleet-workers has no meaning without --fleet');
    }
    return null;
  }
  return {
    url: parseRedisUrl('--fleet', fleet),
    workers:
      fleetWorkers === undefined ? null : parseInteger('--fleet-workers', fleetWorkers, 1, MOST_WORKERS),
  };
}

/** What is divided among workers has to be nothing but load, on a target that they reach. */
export function checkFleet(
  fleet: FleetChoice | null,
  config: TargetConfig | null,
  scenarios: readonly PlannedScenario[],
): void {
  if (fleet === null) {
    return;
  }
  if (config === null) {
    throw new ConfigurationError('--fleet takes a TARGET that its workers reach');
  }
  const whole = scenarios.filter(({ scenario }) => scenario.divisible !== true);
  if (whole.length > 0) {
    const ids = whole.map(({ scenario }) => scenario.id).join(', ');
    throw new ConfigurationError(
      `--fleet divides nothing but load, and ${ids} ${whole.length === 1 ? 'is' : 'are'} more than that; run ${whole.length === 1 ? 'it' : 'them'} without --fleet`,
    );
  }
  const workers = fleet.workers ?? 1;
  const scarce = scenarios.find(({ parameters }) => parameters.connections < workers);
  if (scarce !== undefined) {
    throw new ConfigurationError(
      `--connections ${scarce.parameters.connections} of ${scarce.scenario.id} can't be divided among ${workers} workers`,
    );
  }
}
