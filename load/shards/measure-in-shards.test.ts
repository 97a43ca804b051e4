import { expect, test } from 'vitest';

import type { SecondRecording } from '../figures/recorder.ts';
import { encodeTimes, newCoarseHistogram } from '../figures/times.ts';
import { describeSkew } from '../fleet/worker-crew.ts';
import { noOutcomes } from '../judging/circuit-breaker.ts';
import { problemOfSkew, skewOf, trackSeconds } from './measure-in-shards.ts';
import type { EngineProgress } from '../engine/engine-run.ts';

test('the skew is that of the first and the last, as sure as their clocks', () => {
  const skew = skewOf([
    { beganAt: 1_000.5, uncertainty: 0.1 },
    { beganAt: 1_003, uncertainty: 0.4 },
    { beganAt: 1_001, uncertainty: 0.2 },
  ]);
  expect(skew).toEqual({ milliseconds: 2.5, uncertainty: expect.closeTo(0.6, 9) });
  expect(skew === null ? '' : describeSkew(['c', 'a', 'b'], skew)).toBe(
    '3 workers (a, b, c) began within 2.50 ms of each other by Redis time, give or take 0.60 ms.',
  );
  expect(problemOfSkew(skew, 'workers')).toEqual([]);
});

test('workers that began far apart sign nothing', () => {
  expect(problemOfSkew({ milliseconds: 20, uncertainty: 0 }, 'workers')).toEqual([]);
  expect(problemOfSkew({ milliseconds: 20.6, uncertainty: 0 }, 'workers')).toEqual([
    expect.stringContaining('began 21 ms apart'),
  ]);
  expect([skewOf([]), problemOfSkew(null, 'workers')]).toEqual([null, []]);
});

function recordingOf(...milliseconds: readonly number[]): SecondRecording {
  const histogram = newCoarseHistogram();
  milliseconds.forEach((time) => histogram.recordValue(time * 1000));
  const count = milliseconds.length;
  return {
    scheduled: count,
    sent: count,
    answered: count,
    lost: 0,
    statuses: { '2xx': count },
    times: { all: encodeTimes(histogram) },
  };
}

function progressOf(second: number, ...milliseconds: readonly number[]): EngineProgress {
  return { outcomes: noOutcomes(), latest: { second, recording: recordingOf(...milliseconds) } };
}

test('a second is added up when every shard has reported it, and told once', () => {
  const { look } = trackSeconds(2);
  expect(look([progressOf(0, 1, 2), null])).toEqual([]);
  expect(look([progressOf(1, 1), progressOf(0, 3, 4)])).toEqual([
    {
      second: 0,
      scheduled: 4,
      sent: 4,
      answered: 4,
      lost: 0,
      statuses: { '2xx': 4 },
      // Two digits, as the histogram of a second has.
      p50: expect.closeTo(2, 1),
      p99: 4,
      max: 4,
    },
  ]);
  const later = [progressOf(1, 1), progressOf(1, 9)];
  expect(look(later)).toEqual([expect.objectContaining({ second: 1, answered: 2, max: 9 })]);
  expect(look(later)).toEqual([]);
});
