import type { ConnectedFleet } from '../../load/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { LoadOptions } from './load-options.ts';
import { packageVersion } from '../shared/version.ts';

/**
 * Takes the fleet that was asked for, or returns `null` where none was.
 * @throws {FleetError} where it can't be had
 * @throws {ConfigurationError} where there are more workers than connections
 */
export async function joinFleet(
  { fleet, orders }: LoadOptions,
  signal: AbortSignal,
): Promise<ConnectedFleet | null> {
  if (fleet === null) {
    return null;
  }
  const { connectFleet } = await import('../../load/fleet/coordinator.ts');
  const connected = await connectFleet({
    url: fleet.url,
    option: '--fleet',
    workers: fleet.workers,
    version: packageVersion(),
    signal,
  });
  const scarce = orders.find(({ parameters }) => parameters.connections < connected.size);
  if (scarce !== undefined) {
    await connected.close();
    throw new ConfigurationError(
      `--connections ${scarce.parameters.connections} of ${scarce.scenario.id} can't be divided among ${connected.size} workers; --fleet-workers takes fewer`,
    );
  }
  return connected;
}
