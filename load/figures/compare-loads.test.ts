import { describe, expect, test } from 'vitest';

import type { ComparedMeasure, LoadMeasurement } from '../../contract/load-result.ts';
import { compareLoads, type ComparedScenario } from './compare-loads.ts';
import { NO_TIMES, SAMPLE_TIMES, sampleMeasurement } from './measurement.test-data.ts';
import { seededRandom } from '../../contract/seeded-random.ts';

function scenario(
  rounds: readonly Partial<LoadMeasurement>[],
  changes: Partial<ComparedScenario> = {},
): ComparedScenario {
  return {
    id: 'latency',
    parameters: { rate: '500/s' },
    measurements: rounds.map((round) => sampleMeasurement(round)),
    capacity: null,
    ...changes,
  };
}

const p99s = (...values: readonly number[]): ComparedScenario =>
  scenario(values.map((p99) => ({ responseTime: { ...SAMPLE_TIMES, p99 } })));

const goodputs = (...values: readonly number[]): ComparedScenario =>
  scenario(values.map((goodput) => ({ goodput })));

/** Rounds of 1,000 requests, each with so many answered 500. */
const errors = (...counts: readonly number[]): ComparedScenario =>
  scenario(counts.map((count) => ({ statuses: { '200': 1000 - count, '500': count } })));

const capacities = (...values: readonly number[]): readonly ComparedScenario[] =>
  values.map((capacity) => scenario([{}], { id: 'capacity', capacity }));

type Side = ComparedScenario | readonly ComparedScenario[];

function row(measure: string, before: Side, after: Side, tolerance?: number): ComparedMeasure | undefined {
  const { rows } = compareLoads([before].flat(), [after].flat(), tolerance);
  return rows.find((row) => row.measure === measure);
}

describe('a comparison', () => {
  test('gives the interval of Welch on the logarithms', () => {
    // Logarithms to base 2 are 0, 1, 2 and 2, 4, 6: means 1 and 4, variances 1 and 4. So the difference is
    // 3 with a standard error of √(5/3), and there are (5/3)² / ((1/3)²/2 + (4/3)²/2) = 50/17 degrees of freedom.
    const found = row('p99', p99s(1, 2, 4), p99s(4, 16, 64));
    expect(found).toMatchObject({ unit: 'ms', scenario: 'latency', judgement: 'same' });
    expect(found?.before).toBeCloseTo(2, 9);
    expect(found?.after).toBeCloseTo(16, 9);
    expect(found?.change).toBeCloseTo(7, 9);
    const factor = (Math.log2(1 + (found?.upper ?? 0)) - 3) / Math.sqrt(5 / 3);
    // Between the published values for 3 and for 2 degrees, near the one for 3.
    expect(factor).toBeGreaterThan(3.182);
    expect(factor).toBeLessThan(3.3);
    expect(Math.log2(1 + (found?.lower ?? 0))).toBeCloseTo(3 - factor * Math.sqrt(5 / 3), 9);
  });

  test.each<[string, ComparedScenario, ComparedScenario, ComparedMeasure['judgement']]>([
    ['p99', p99s(100, 101, 99), p99s(120, 121, 119), 'worse'],
    ['p99', p99s(120, 121, 119), p99s(100, 101, 99), 'better'],
    ['p99', p99s(100, 130, 70), p99s(120, 150, 90), 'same'],
    ['p99', p99s(120, 150, 90), p99s(100, 130, 70), 'same'],
    ['goodput', goodputs(500, 501, 499), goodputs(400, 401, 399), 'worse'],
    ['goodput', goodputs(400, 401, 399), goodputs(500, 501, 499), 'better'],
    ['goodput', goodputs(500, 501, 499), goodputs(0, 0, 0), 'worse'],
    ['goodput', goodputs(0, 0, 0), goodputs(0, 0, 0), 'same'],
    ['errors', errors(0, 0, 0), errors(0, 0, 0), 'same'],
    ['errors', errors(0, 0, 0), errors(1, 1, 1), 'same'],
    ['errors', errors(0, 1, 0), errors(30, 35, 25), 'worse'],
    ['errors', errors(30, 35, 25), errors(0, 1, 0), 'better'],
    ['errors', errors(40, 40, 40), errors(44, 44, 44), 'same'],
  ])('of %s is judged: case %#', (measure, before, after, judgement) => {
    expect(row(measure, before, after)?.judgement).toBe(judgement);
  });

  test('minds only changes beyond the tolerance', () => {
    const [before, after] = [p99s(100, 100.1, 99.9), p99s(104, 104.1, 103.9)];
    expect(row('p99', before, after)?.judgement).toBe('same');
    expect(row('p99', before, after)?.lower).toBeGreaterThan(0);
    expect(row('p99', after, before)?.judgement).toBe('same');
    expect(row('p99', before, after, 0.03)?.judgement).toBe('worse');
    expect(row('p99', after, before, 0.03)?.judgement).toBe('better');
  });

  test('is exact if nothing varies', () => {
    expect(row('p99', p99s(100, 100, 100), p99s(150, 150, 150))?.change).toBeCloseTo(0.5, 12);
    expect(row('p99', p99s(100, 100, 100), p99s(150, 150, 150))).toMatchObject({ judgement: 'worse' });
    expect(row('p99', p99s(0, 0, 0), p99s(0, 0, 0))).toMatchObject({ change: 0, judgement: 'same' });
  });

  test('of times too short to be told takes half a microsecond', () => {
    const found = row('p99', p99s(0, 0, 0), p99s(1, 1, 1));
    expect(found?.change).toBeCloseTo(1999, 6);
    expect(found?.judgement).toBe('worse');
  });

  test('of counts shows what was counted', () => {
    expect(row('errors', errors(0, 0, 0), errors(0, 10, 20))).toMatchObject({
      unit: '%',
      before: 0,
      after: 1,
    });
    expect(row('goodput', goodputs(500, 501, 499), goodputs(0, 0, 0))).toMatchObject({
      before: 500,
      after: 0,
    });
  });

  test('of no errors in many requests with none in few shows no change', () => {
    const many = scenario(Array.from({ length: 3 }, () => ({ scheduled: 100_000 })));
    expect(row('errors', errors(0, 0, 0), many)).toMatchObject({ change: 0, lower: 0, upper: 0 });
  });

  test('of capacities takes one from each run', () => {
    expect(row('capacity', capacities(800), capacities(400))).toMatchObject({
      before: expect.closeTo(800),
      after: expect.closeTo(400),
      judgement: 'too few rounds',
    });
    expect(row('capacity', capacities(800, 810, 790), capacities(400, 405, 395))?.judgement).toBe('worse');
    expect(row('capacity', capacities(400, 405, 395), capacities(800, 810, 790))?.judgement).toBe('better');
  });
});

describe('too few rounds', () => {
  test.each([
    [p99s(1), p99s(9, 9, 9)],
    [p99s(1, 1, 1), p99s(9, 9)],
  ])('are not judged: case %#', (before, after) => {
    const found = row('p99', before, after);
    expect(found).toMatchObject({ lower: found?.change, upper: found?.change, judgement: 'too few rounds' });
    expect(found?.change).toBeCloseTo(8, 9);
  });

  test('are left if the others are invalid or hold no answer', () => {
    const slow = { responseTime: { ...SAMPLE_TIMES, p99: 800 } };
    const before = p99s(80, 81, 79);
    const invalid = { ...slow, invalid: ['the generator fell behind'] };
    expect(row('p99', before, scenario([slow, slow, invalid]))?.judgement).toBe('too few rounds');
    expect(row('p99', before, scenario([slow, slow, { responseTime: NO_TIMES }]))?.judgement).toBe(
      'too few rounds',
    );
    expect(row('p99', before, scenario([slow, slow, slow]))?.judgement).toBe('worse');
  });
});

test.each([
  ['errors', { scheduled: 0, sent: 0, answered: 0, statuses: {} }],
  ['goodput', { durationSeconds: 0, goodput: 0 }],
])('%s of a round in which nothing happened do not count', (measure, idle) => {
  const before = scenario([{}, {}, {}]);
  expect(row(measure, before, scenario([{}, {}, idle]))?.judgement).toBe('too few rounds');
  expect(row(measure, before, scenario([{}, {}, {}, idle]))).toMatchObject({ change: 0, judgement: 'same' });
});

test('a capacity that an invalid measurement confirmed does not count', () => {
  const invalid = [sampleMeasurement({ invalid: ['the generator fell behind'] })];
  const doubtful = scenario([], { id: 'capacity', capacity: 100, measurements: invalid });
  expect(row('capacity', capacities(800, 810, 790), [...capacities(800, 810), doubtful])).toMatchObject({
    judgement: 'too few rounds',
  });
});

describe('what cannot be compared', () => {
  const three = [{}, {}, {}];

  test.each<[string, readonly ComparedScenario[], readonly ComparedScenario[], string]>([
    [
      'a new scenario',
      [],
      [scenario(three)],
      'latency is not compared: the earlier report does not have it.',
    ],
    ['one that is gone', [scenario(three)], [], 'latency is not compared: it was not run this time.'],
    [
      'one at another rate',
      [scenario(three)],
      [scenario(three, { parameters: { rate: '600/s' } })],
      'latency is not compared: rate was 500/s and is 600/s now.',
    ],
    [
      'one with a further parameter',
      [scenario(three)],
      [scenario(three, { parameters: { rate: '500/s', ramp: '5 s' } })],
      'latency is not compared: ramp was not set and is 5 s now.',
    ],
    [
      'one without a valid measurement',
      [scenario(three)],
      [scenario([{ invalid: ['the generator fell behind'] }])],
      'latency is not compared: there is no valid measurement of it in both reports.',
    ],
  ])('%s is named', (_name, before, after, sentence) => {
    expect(compareLoads(before, after)).toEqual({ rows: [], leftOut: [sentence] });
  });

  test('does not include another number of rounds', () => {
    const before = scenario(three, { parameters: { rate: '500/s', rounds: '3' } });
    const after = scenario([...three, {}], { parameters: { rate: '500/s', rounds: '4' } });
    expect(compareLoads([before], [after]).leftOut).toEqual([]);
  });
});

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
  judgement: ComparedMeasure['judgement'],
  measure: string,
  before: SimulatedRounds,
  after: SimulatedRounds,
): number {
  const random = seededRandom(7);
  const judged = Array.from({ length: COMPARISONS }, () => {
    const { rows } = compareLoads([simulate(random, before)], [simulate(random, after)]);
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

test.each([0.2, 50])('%f errors a round as before are called worse in a few percent', (errorsEach) => {
  const rounds = { ...QUIET, errorsEach };
  expect(shareOf('worse', 'errors', rounds, rounds)).toBeLessThanOrEqual(0.04);
});

test('errors that were none and are several in each round are found nearly always', () => {
  expect(shareOf('worse', 'errors', QUIET, { ...QUIET, errorsEach: 10 })).toBeGreaterThanOrEqual(0.98);
});
