import { describe, expect, test } from 'vitest';

import type { SecondRecording } from '../figures/recording.ts';
import { encodeTimes, newCoarseHistogram, timesOf } from '../figures/times.ts';
import { trackShards, type ShardReport } from './shard-progress.ts';

const SILENCE = 6_000;

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
    times: { all: encodeTimes(timesOf(histogram)) },
  };
}

function state(
  beat: number,
  seen: number,
  failed: number,
  second?: readonly [number, SecondRecording],
): ShardReport {
  return {
    beat,
    progress: {
      spent: seen,
      outcomes: { seen, failed, banned: 0, refused: 0 },
      latest: second === undefined ? null : { second: second[0], recording: second[1] },
    },
  };
}

describe('a tracker of shards', () => {
  test('tells how requests ended since the last look, each once', () => {
    const tracker = trackShards(2, SILENCE);
    expect(tracker.look([state(1, 10, 1), undefined], 0).outcomes).toMatchObject({ seen: 10, failed: 1 });
    expect(tracker.look([state(1, 10, 1), undefined], 50).outcomes).toMatchObject({ seen: 0, failed: 0 });
    expect(tracker.look([state(2, 15, 4), state(1, 7, 0)], 100).outcomes).toMatchObject({
      seen: 12,
      failed: 3,
    });
  });

  test('adds up a second when every shard has reported it', () => {
    const tracker = trackShards(2, SILENCE);
    expect(tracker.look([state(1, 0, 0, [0, recordingOf(1, 2)]), undefined], 0).seconds).toEqual([]);
    const { seconds } = tracker.look(
      [state(2, 0, 0, [1, recordingOf(1)]), state(1, 0, 0, [0, recordingOf(3, 4)])],
      100,
    );
    expect(seconds).toEqual([
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
    expect(
      tracker.look([state(3, 0, 0, [1, recordingOf(1)]), state(2, 0, 0, [1, recordingOf(9)])], 200).seconds,
    ).toEqual([expect.objectContaining({ second: 1, answered: 2, max: 9 })]);
  });

  test('misses a shard that reported and then sends nothing new for too long', () => {
    const tracker = trackShards(3, SILENCE);
    tracker.look([state(1, 0, 0), state(1, 0, 0), undefined], 1_000);
    tracker.look([state(2, 0, 0), state(1, 0, 0), undefined], 5_000);
    expect(tracker.silent(7_000)).toEqual([]);
    expect(tracker.silent(7_001)).toEqual([{ shard: 1, heardAt: 1_000 }]);
    expect(tracker.silent(11_001).map(({ shard }) => shard)).toEqual([0, 1]);
  });
});
