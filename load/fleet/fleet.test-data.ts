import { onTestFinished } from 'vitest';

import { createTargetClient, redactorOf } from '../../suites/target/index.ts';
import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { never, targetAt } from '../engine/engine.test-data.ts';
import type { FleetLoad } from './load-fleet.ts';
import type { OpenLoad } from '../engine/load-model.ts';
import { sampleKey, sampleRequest } from '../engine/load-request.test-data.ts';
import { connectFleet, type ConnectedFleet } from './coordinator.ts';
import { startFleetWorker, type FleetWorker } from './worker.ts';

export const SECRET = 'enterprise-secret-of-the-load';

/**
 * Starts a server that counts its requests, and answers each with the headers of the specification.
 * @param fieldsOf other fields of the n-th response
 */
export async function startCounter(
  fieldsOf: (count: number) => Readonly<Record<string, string>> = () => ({}),
): Promise<{ readonly url: string; readonly count: () => number }> {
  let count = 0;
  const reset = Math.ceil(Date.now() / 1000) + 60;
  const url = await startHttpServer((_request, response) => {
    count += 1;
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'X-RateLimit-Limit': '100000',
      'X-RateLimit-Remaining': `${100_000 - count}`,
      'X-RateLimit-Reset': `${reset}`,
      ...fieldsOf(count),
    });
    response.end('[]');
  });
  return { url, count: () => count };
}

/** A load on that address for a fleet. */
export function fleetLoadFor(
  url: string,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
  changes: Partial<FleetLoad> = {},
): FleetLoad {
  const key = sampleKey({ secret: SECRET, limits: { perMinute: 100_000, perDay: 1_000_000 } });
  const target = targetAt(url, 5_000);
  const signal = never();
  const load: OpenLoad = {
    model: 'open',
    stages: [{ from: rate, to: rate, seconds }],
    process: 'constant',
    seed: 1,
    connections: 12,
    mix: [sampleRequest(key)],
  };
  return {
    load,
    target,
    client: createTargetClient(target, { redactor: redactorOf([[SECRET, 'enterprise#load1']]), signal }),
    warmUpMilliseconds: 0,
    movesClock: false,
    expectsRefusals: false,
    budget: 1_000_000,
    signal,
    onSecond: () => {},
    ...changes,
  };
}

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
