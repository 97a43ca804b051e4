import { describe, expect, test } from 'vitest';
import type { CapacityStep } from '../../../contract/load-result.ts';
import { capacityFigures } from './capacity-plots.ts';
import { drawn, seriesOf } from './figure.test-data.ts';
import { SAMPLE_LOAD_SCENARIOS } from '../../model/sample-load-scenarios.test-data.ts';

describe('the plots of a capacity', () => {
  const found = SAMPLE_LOAD_SCENARIOS.find(({ id }) => id === 'capacity');
  if (found === undefined) {
    throw new Error('There is no sample of a capacity');
  }

  test('mark what held, what did not and the capacity, by rate', () => {
    const [times, rates] = capacityFigures('a', found);
    if (times === undefined || rates === undefined) {
      throw new Error('There are no figures');
    }
    const held = found.capacitySteps.filter((step) => step.held).map(({ rate }) => rate);
    expect(seriesOf(rates)['held']).toEqual(
      held.toSorted((left, right) => left - right).map((rate) => [rate, rate - 0.4]),
    );
    expect(seriesOf(times)['did not hold']).toEqual([
      [1400, 440],
      [1600, 1240],
    ]);
    expect(drawn(times)).toContain('>1300/s</text>');
    expect(times.caption).toMatch(/^capacity 1300\/s; 1400\/s did not hold; p99 9\.00 ms at 200\/s,/);
  });

  test('say so if no rate held', () => {
    const step: CapacityStep = {
      rate: 10,
      achievedRate: 3,
      p99: null,
      errorShare: 0.7,
      held: false,
      phase: 'step',
    };
    const [times] = capacityFigures('a', { ...found, capacity: null, capacitySteps: [step] });
    expect(times?.caption).toBe('no rate met the objective; 10/s did not hold; p99 – at 10/s');
    expect(times?.legend.map(({ words }) => words)).not.toContain('capacity');
    expect(times === undefined ? '' : drawn(times)).not.toMatch(/NaN|undefined/);
  });
});
