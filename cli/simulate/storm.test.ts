import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';

import { SAMPLE_REPORT } from '../../reports/model/sample-report.test-data.ts';
import schema from '../../reports/model/simulation.schema.json' with { type: 'json' };
import { exactPolicy, givesUpPolicy } from '../../simulation/index.ts';
import { likenessOf } from '../library/twin/twin.ts';
import { planStorm, playSimulation, USUAL_STORM, type StormParts } from './storm.ts';

const matches = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(schema);

const PARTS: StormParts = {
  ...USUAL_STORM,
  clients: 30,
  requests: 3,
  shares: [exactPolicy, givesUpPolicy].map((policy) => ({ policy, share: 0.5 })),
  limits: { perMinute: 2, perDay: 100 },
  variants: [],
  like: likenessOf(SAMPLE_REPORT, 'the report', 'like'),
  capacity: null,
  serviceTime: null,
  refusalCost: null,
  queue: 10,
  seed: 1,
};

function play(signal: AbortSignal) {
  return playSimulation(planStorm(PARTS), { signal, onProgress: () => undefined });
}

test('a storm fits its schema, and the same seed gives the same storm', async () => {
  const { signal } = new AbortController();
  const result = await play(signal);
  expect(result.outcome.servedShare).toBeGreaterThan(0);
  expect(result.setting.server[0]).toBe('like the service of the report');
  expect(result.setting.sources.length).toBeGreaterThan(0);
  matches(JSON.parse(JSON.stringify(result)));
  expect(matches.errors ?? []).toEqual([]);
  expect(await play(signal)).toEqual(result);
});
