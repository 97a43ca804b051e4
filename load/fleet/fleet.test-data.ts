import { onTestFinished } from 'vitest';

import { never } from '../engine/engine.test-data.ts';
import { connectFleet, type ConnectedFleet } from './coordinator.ts';
import { startFleetWorker, type FleetWorker } from './worker.ts';

/** Starts a worker in this process; it leaves at the end of the test. */
export async function startWorker(
  url: string,
  name: string,
  changes: { readonly version?: string; readonly allowedTargets?: readonly string[] } = {},
): Promise<FleetWorker & { readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const worker = await startFleetWorker({
    url,
    option: '--redis',
    name,
    version: '1',
    allowedTargets: [],
    say: (line) => lines.push(line),
    warn: (line) => lines.push(line),
    ...changes,
  });
  onTestFinished(worker.close);
  return { ...worker, lines };
}

/** Takes the fleet until the test ends. */
export async function takeFleet(url: string, workers: number | null = null): Promise<ConnectedFleet> {
  const fleet = await connectFleet({ url, option: '--fleet', workers, version: '1', signal: never() });
  onTestFinished(fleet.close);
  return fleet;
}
