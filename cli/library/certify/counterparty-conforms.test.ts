import { expect, test } from 'vitest';

import { judgeServer, requestOfTask, SCENARIOS, type ClientScenario } from '../../../suites/certify/index.ts';
import { startCounterparty } from './counterparty.ts';

const IMPATIENT_REQUESTS = 13;

// What is slow or long takes seconds, and is answered as all others are.
const QUICK = SCENARIOS.filter(
  ({ traits = [], inventory }) =>
    !traits.includes('slow') && !traits.includes('answers-nothing') && inventory.length < 1_000,
);

/** Plays a client that does not wait, until it is banned, and one that leaves its key out. */
async function play({ task }: ClientScenario, baseUrl: string, apiKey: string): Promise<void> {
  const { method, path, content: body } = requestOfTask(task);
  const url = baseUrl + path;
  const request: RequestInit = { method, redirect: 'manual', body };
  const headers = body === null ? {} : { 'content-type': 'application/json' };
  await (await fetch(url, { ...request, headers })).text();
  for (let sent = 0; sent < IMPATIENT_REQUESTS; sent += 1) {
    await (
      await fetch(url, { ...request, headers: { ...headers, authorization: `Bearer ${apiKey}` } })
    ).text();
  }
}

test('the oracle accuses the server of a client in no scenario, but of what one breaks on purpose', async () => {
  const judged = await Promise.all(
    QUICK.map(async (scenario) => {
      const counterparty = await startCounterparty(scenario, '127.0.0.1');
      const { baseUrl, apiKey } = counterparty;
      try {
        await play(scenario, baseUrl, apiKey);
        const told = { traffic: counterparty.traffic(), baseUrl, apiKey };
        const { breaks: _breaks, ...strict } = scenario;
        return {
          id: scenario.id,
          ...judgeServer({ scenario, ...told }),
          strictly:
            scenario.breaks === undefined
              ? []
              : judgeServer({ scenario: strict, ...told }).accusations.map(({ id }) => id),
          breaks: scenario.breaks ?? [],
        };
      } finally {
        await counterparty.close();
      }
    }),
  );
  expect(judged.filter(({ accusations }) => accusations.length > 0)).toEqual([]);
  expect(judged.map(({ responses }) => responses)).toEqual(QUICK.map(() => IMPATIENT_REQUESTS + 1));
  expect(judged.map(({ strictly }) => strictly)).toEqual(judged.map(({ breaks }) => breaks));
});
