import { importFleet, type ConnectedFleet } from '../../load/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { LoadOptions } from './load-options.ts';
import { packageVersion } from '../shared/version.ts';

/**
 * Takes the fleet that was asked for, or returns `null` where none was.
 * @throws {InconclusiveError} where it can't be had
 * @throws {ConfigurationError} where there are more workers than connections
 */
export async function joinFleet(
  { fleet, scenarios }: LoadOptions,
  signal: AbortSignal,
): Promise<ConnectedFleet | null> {
  if (fleet === null) {
    return null;
  }
  const { connectFleet } = await importFleet();
  const connected = await connectFleet({
    url: fleet.url,
    option: '--fleet',
    workers: fleet.workers,
    version: packageVersion(),
    signal,
  });
  const scarce = scenarios.find(({ parameters }) => parameters.connections < connected.size);
  if (scarce !== undefined) {
    await connected.close();
    throw new ConfigurationError(
      `--connections ${scarce.parameters.connections} of ${scarce.scenario.id} can't be divided among ${connected.size} workers; --fleet-workers takes fewer`,
    );
  }
  return connected;
}
