import { expect, test } from 'vitest';

import type { BaselineRow } from '../../contract/load-result.ts';
import { compareWithBaseline, type ComparedScenario } from './baseline.ts';
import { SAMPLE_TIMES, sampleMeasurement } from './measurement.test-data.ts';
import { seededRandom } from '../../contract/seeded-random.ts';

const COMPARISONS = 1000;

/** Standard normal, by Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** How many waiting times of mean 1 fit into a span. */
function poisson(random: () => number, span: number): number {
  let count = -1;
  for (let passed = 0; passed <= span; passed -= Math.log(1 - random())) {
    count += 1;
  }
  return count;
}

/** Rounds of 10,000 requests with so many errors on average, and times that vary by a share. */
function simulate(
  random: () => number,
  { rounds, level, noise, errorsEach }: SimulatedRounds,
): ComparedScenario {
  const measurements = Array.from({ length: rounds }, () => {
    const errors = poisson(random, errorsEach);
    return sampleMeasurement({
      scheduled: 10_000,
      statuses: { '200': 10_000 - errors, '500': errors },
      responseTime: { ...SAMPLE_TIMES, p99: level * Math.exp(noise * normal(random)) },
    });
  });
  return { id: 'latency', parameters: {}, measurements, capacity: null };
}

interface SimulatedRounds {
  readonly rounds: number;
  readonly level: number;
  readonly noise: number;
  /** On average. */
  readonly errorsEach: number;
}

/** The share of comparisons that came to a judgement. */
function shareOf(
  judgement: BaselineRow['judgement'],
  measure: string,
  before: SimulatedRounds,
  after: SimulatedRounds,
): number {
  const random = seededRandom(7);
  const judged = Array.from({ length: COMPARISONS }, () => {
    const { rows } = compareWithBaseline([simulate(random, before)], [simulate(random, after)]);
    return rows.find((row) => row.measure === measure)?.judgement === judgement;
  });
  return judged.filter(Boolean).length / COMPARISONS;
}

const QUIET = { rounds: 5, level: 100, noise: 0.05, errorsEach: 0 };

// By its making the interval misses to either side in 2.5 % of all cases.
test.each([
  ['of 3 rounds', { ...QUIET, rounds: 3 }, { ...QUIET, rounds: 3 }],
  ['of 5 rounds', QUIET, QUIET],
  ['of 3 and 10 rounds with unequal noise', { ...QUIET, rounds: 3, noise: 0.3 }, { ...QUIET, rounds: 10 }],
  ['of 5 noisy rounds', { ...QUIET, noise: 0.5 }, { ...QUIET, noise: 0.5 }],
])('what has not changed is called worse in a few percent of the comparisons %s', (_name, before, after) => {
  expect(shareOf('worse', 'p99', before, after)).toBeLessThanOrEqual(0.04);
});

test('a regression of 20 % in noise of 5 % is found nearly always', () => {
  expect(shareOf('worse', 'p99', QUIET, { ...QUIET, level: 120 })).toBeGreaterThanOrEqual(0.98);
  expect(shareOf('better', 'p99', { ...QUIET, level: 120 }, QUIET)).toBeGreaterThanOrEqual(0.98);
});

test.each([0.2, 1, 5, 50])('%f errors a round as before are called worse in a few percent', (errorsEach) => {
  const rounds = { ...QUIET, errorsEach };
  expect(shareOf('worse', 'errors', rounds, rounds)).toBeLessThanOrEqual(0.04);
});

test('errors that were none and are several in each round are found nearly always', () => {
  expect(shareOf('worse', 'errors', QUIET, { ...QUIET, errorsEach: 10 })).toBeGreaterThanOrEqual(0.98);
});
