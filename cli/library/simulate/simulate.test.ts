import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { SAMPLE_CERTIFY_REPORT } from '../../../reports/model/sample-certify-report.test-data.ts';
import { SAMPLE_LOAD_REPORT } from '../../../reports/model/sample-load-report.test-data.ts';
import { SAMPLE_REPORT } from '../../../reports/model/sample-report.test-data.ts';
import schema from '../../../reports/model/simulation.schema.json' with { type: 'json' };
import { simulate, type SimulateCallOptions, type SimulateEvent } from './simulate.ts';

const matches = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(schema);

const SMALL = { clients: 30, requests: 3, limit: { perMinute: 2, perDay: 100 }, seed: 1 };

test('a storm is played, with a search, and what is returned fits its schema', async () => {
  const events: SimulateEvent[] = [];
  const result = await simulate({
    ...SMALL,
    client: [
      { policy: 'jitter', seconds: 5, share: 0.5 },
      { policy: 'exponential' },
      { policy: SAMPLE_CERTIFY_REPORT },
    ],
    search: 'both',
    onEvent: (event) => events.push(event),
  });
  expect(result.outcome.servedShare).toBeGreaterThan(0);
  expect(result.setting.policies.map(({ share }) => share)).toEqual([0.5, 0.25, 0.25]);
  expect(result.serverPolicies.length).toBeGreaterThan(1);
  expect(result.clientPolicies.length).toBeGreaterThan(1);
  matches(JSON.parse(JSON.stringify(result)));
  expect(matches.errors ?? []).toEqual([]);
  expect(events.every(({ type }) => type === 'progress')).toBe(true);
});

test('a service can be like one that was judged and measured; the same seed gives the same storm', async () => {
  const options: SimulateCallOptions = {
    ...SMALL,
    like: SAMPLE_REPORT,
    load: SAMPLE_LOAD_REPORT,
    queue: 10,
  };
  const result = await simulate(options);
  expect(result.setting.server[0]).toBe('like the service of the report');
  expect(result.setting.sources.length).toBeGreaterThan(0);
  expect(await simulate(options)).toEqual(result);
  matches(JSON.parse(JSON.stringify(result)));
  expect(matches.errors ?? []).toEqual([]);
});

test('an aborted storm is rejected with the reason', async () => {
  const signal = AbortSignal.abort(new Error('Enough.'));
  await expect(simulate({ clients: 5_000, signal })).rejects.toThrow('Enough.');
});

describe('what is wrong is named', () => {
  test.each<[SimulateCallOptions, string]>([
    [{ clients: 0 }, 'simulate(): clients must be a whole number from 1 to 1000000, not 0'],
    [{ queue: 1.5 }, 'simulate(): queue must be a whole number'],
    [{ refusalCost: 2 }, 'simulate(): refusalCost must be a number from 0 to 1, not 2'],
    [{ variants: ['no-such'] }, 'simulate(): variants'],
    [{ client: [{ policy: 'exact', share: 0.3 }] }, 'simulate(): client: the shares add up to 30%'],
  ])('%j', async (options, message) => {
    await expect(simulate(options)).rejects.toThrow(ConfigurationError);
    await expect(simulate(options)).rejects.toThrow(message);
  });
});
