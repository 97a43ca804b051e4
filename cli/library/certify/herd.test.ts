import { setTimeout as delay } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { certifyClient, type CertifyResult, type ClientDriver } from '../../../suites/certify/index.ts';
import { reportHerd } from './report.ts';
import { startCounterparty } from './counterparty.ts';

const CLIENTS = 4;

/** A client in this process that waits so many milliseconds for each second of Retry-After, or gives up. */
function clientWaiting(millisecondsEach: number | null): ClientDriver {
  return {
    starts: 'each',
    perform: async ({ baseUrl, apiKey }) => {
      for (;;) {
        const response = await fetch(`${baseUrl}/inventory`, {
          headers: { authorization: `Bearer ${apiKey}` },
        });
        await response.text();
        if (response.status === 200) {
          return { kind: 'replied', reply: { ok: true, value: [] }, output: '' };
        }
        if (millisecondsEach === null) {
          const error = { code: null, message: null, status: response.status };
          return { kind: 'replied', reply: { ok: false, error }, output: '' };
        }
        await delay(Math.min(20, Number(response.headers.get('retry-after')) * millisecondsEach));
      }
    },
    processorDelay: () => 0,
    quietSeconds: () => Infinity,
    garbles: () => false,
    close: () => Promise.resolve(),
  };
}

async function playHerd(driver: ClientDriver): Promise<CertifyResult> {
  return certifyClient({
    scenarios: [],
    herd: CLIENTS,
    driver,
    start: (scenario) => startCounterparty(scenario, '127.0.0.1'),
    jobs: 16,
    patienceSeconds: 60,
    finish: new AbortController().signal,
    signal: new AbortController().signal,
    listener: {},
  });
}

function outcomesOf({ judgements }: CertifyResult): Readonly<Record<string, string>> {
  return Object.fromEntries(
    judgements.filter(({ judgedBy }) => judgedBy.length > 0).map(({ id, outcome }) => [id, outcome]),
  );
}

test.concurrent('a herd that gives up at once comes back never, and waits for nothing', async () => {
  const result = await playHerd(clientWaiting(null));
  expect(result.observations).toEqual({ 'client-spreads': 'gives up' });
  expect(outcomesOf(result)).toEqual({ 'client-spreads': 'observed' });
  const { herd } = result;
  expect(herd === null ? null : reportHerd(herd)).toMatchObject({
    clients: CLIENTS,
    refusals: [],
  });
});

test.concurrent('a herd that takes seconds for milliseconds is refused together, and comes back too early each time', async () => {
  const result = await playHerd(clientWaiting(1));
  expect(outcomesOf(result)).toMatchObject({ 'client-waits': 'fail', 'client-spreads': 'observed' });
  const herd = result.herd === null ? null : reportHerd(result.herd);
  expect(herd?.refusals.map(({ retryAfterSeconds }) => retryAfterSeconds)).toEqual([2, 4, 1, 1, 1]);
  expect(herd?.refusals.map(({ milliseconds }) => milliseconds.length)).toEqual(Array(5).fill(CLIENTS));
  expect(herd?.earliness).toMatchObject({ waits: 16, early: 16, habit: { kind: 'share' } });
  // None is answered before all have come.
  const firsts = (result.herd?.refusals[0] ?? []).flatMap(({ record }) =>
    record.traffic.exchanges.slice(0, 1),
  );
  const arrived = Math.max(...firsts.map(({ receivedAt }) => receivedAt));
  expect(firsts.filter(({ answeredAt }) => answeredAt === null || answeredAt < arrived)).toEqual([]);
});
