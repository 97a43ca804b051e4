import { createTargetClient, redactorOf } from '../../suites/target/index.ts';
import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { never, loadTargetAt, sampleKey, sampleRequest } from '../engine/engine.test-data.ts';
import { measurementOf } from '../figures/recording.ts';
import type { DividedLoad, DividedRun } from './measure-in-shards.ts';
import type { OpenLoad } from '../engine/load-model.ts';

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

/** A load on that address for several generators. */
export function dividedLoadFor(
  url: string,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
  changes: Partial<DividedLoad> = {},
): DividedLoad {
  const key = sampleKey({ secret: SECRET, limits: { perMinute: 100_000, perDay: 1_000_000 } });
  const target = loadTargetAt(url, 5_000);
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

/** What the shards of a run measured, added up. */
export function measurementIn({ runs, invalid }: DividedRun) {
  return measurementOf(
    runs.map(({ recording }) => recording),
    { model: 'open', milliseconds: Math.max(0, ...runs.map(({ milliseconds }) => milliseconds)), invalid },
  );
}
