import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { collectJudgements } from '../../oracle/index.ts';
import { habitualEarliness, judgeTogether } from './judge-together.ts';
import { limited, sampleRecord } from './record.test-data.ts';
import type { ScenarioRecord } from './record.ts';

/** A wait for `asked` seconds after which the client comes `early` seconds too early. */
function waited(asked: number, early: number): ScenarioRecord {
  return sampleRecord({ exchanges: [limited(0, asked), { at: asked - early }] });
}

function between(min: number, max: number): fc.Arbitrary<number> {
  return fc.double({ min, max, noNaN: true });
}

const asked = fc.constantFrom(1, 2, 3, 5, 8);

test('a wait of 0, off which nothing can be taken, hides nothing', () => {
  const records = [
    ...Array.from({ length: 20 }, () => waited(0, 0)),
    ...[1, 2, 2, 3, 3].map((wait) => waited(wait, 0.01)),
  ];
  expect(habitualEarliness(records)).toMatchObject({ early: { length: 5 }, returns: 5 });
});

describe('a client that takes something off each wait', () => {
  test('is found by any amount, though two returns in three are delayed', () => {
    const ways = fc.array(between(0, 0.05), { maxLength: 20 });
    fc.assert(
      fc.property(between(0.005, 0.019), ways, asked, (amount, delays, wait) => {
        const undelayed = Array.from({ length: Math.max(5, delays.length / 2) }, () => waited(wait, amount));
        const delayed = delays.map((delay) => waited(wait, amount - delay));
        expect(habitualEarliness([...delayed, ...undelayed])?.early[0].after).toBeCloseTo(-amount, 6);
      }),
    );
  });

  test('is found by a share', () => {
    const records = [1, 2, 2, 3, 3, 4].map((wait) => waited(wait, wait * 0.0045));
    expect(habitualEarliness(records)).toMatchObject({ early: { length: 6 }, returns: 6 });
  });

  test('is found by several waits of one scenario, too', () => {
    const limits = Array.from({ length: 6 }, (_, index) => limited(index * 0.986, 1));
    const records = [sampleRecord({ exchanges: [...limits, { at: 6 * 0.986 }] })];
    expect(habitualEarliness(records)?.early).toHaveLength(6);
  });
});

describe('a client that is left alone', () => {
  test('was early in four waits, or in fewer than a third', () => {
    const four = Array.from({ length: 4 }, () => waited(2, 0.014));
    expect(habitualEarliness(four)).toBeNull();
    const others = Array.from({ length: 11 }, () => waited(2, -0.002));
    expect(habitualEarliness([...four, waited(2, 0.014), ...others])).toBeNull();
  });

  test('has a timer that is a few milliseconds early, always', () => {
    fc.assert(
      fc.property(fc.array(between(-0.05, 0.0039)), asked, (values, wait) => {
        expect(habitualEarliness(values.map((early) => waited(wait, early)))).toBeNull();
      }),
    );
  });

  test('reads dates by a clock that is 14 ms ahead', () => {
    const dated = sampleRecord({ exchanges: [{ status: 429, retryAt: 3 }, { at: 2.986 }] });
    expect(habitualEarliness(Array.from({ length: 8 }, () => dated))).toBeNull();
  });
});

const early = () => sampleRecord({ exchanges: [limited(0, 2), { at: 1.986 }] });

test('fails the wait of a client that is early as a rule, and names the scenarios that show it', () => {
  const judgements = collectJudgements();
  const records = Array.from({ length: 5 }, early);
  const onTime = sampleRecord({ exchanges: [limited(0, 2), { at: 2.01 }] });
  const joint = judgeTogether([...records, onTime], judgements);
  expect(joint?.records).toEqual(new Set(records));
  expect(joint?.message).toContain('in 5 of 6 waits: 14 ms, 14 ms, 14 ms, 14 ms, 14 ms too early');
  expect(judgements.judgementOf('client-waits')).toMatchObject({
    outcome: 'fail',
    findings: [{ message: joint?.message, exchange: { request: { method: 'GET' } } }],
  });
});

test('says nothing of one that was early now and then, nor if waits are not judged', () => {
  const judgements = collectJudgements();
  expect(judgeTogether([early(), early()], judgements)).toBeNull();
  const unasked = Array.from({ length: 9 }, () =>
    sampleRecord({ exchanges: [limited(0, 2), { at: 1.986 }], judges: ['client-operation'] }),
  );
  expect(judgeTogether(unasked, judgements)).toBeNull();
  expect(judgements.judgementOf('client-waits').outcome).not.toBe('fail');
});
