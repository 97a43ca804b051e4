import { describe, expect, test } from 'vitest';

import type { SecondRecording } from '../figures/recording.ts';
import { encodeTimes, newCoarseHistogram } from '../figures/times.ts';
import { trackShards } from './shard-progress.ts';
import type { ShardProgress } from './shard-run.ts';

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

function progressOf(
  seen: number,
  failed: number,
  second?: readonly [number, SecondRecording],
): ShardProgress {
  return {
    outcomes: { seen, failed, banned: 0, refused: 0 },
    latest: second === undefined ? null : { second: second[0], recording: second[1] },
  };
}

describe('a tracker of shards', () => {
  test('tells how requests ended since the last look, each once', () => {
    const tracker = trackShards(2);
    expect(tracker.look([progressOf(10, 1), null]).outcomes).toMatchObject({ seen: 10, failed: 1 });
    expect(tracker.look([progressOf(10, 1), null]).outcomes).toMatchObject({ seen: 0, failed: 0 });
    expect(tracker.look([progressOf(15, 4), progressOf(7, 0)]).outcomes).toMatchObject({
      seen: 12,
      failed: 3,
    });
  });

  test('adds up a second when every shard has reported it, and tells it once', () => {
    const tracker = trackShards(2);
    expect(tracker.look([progressOf(0, 0, [0, recordingOf(1, 2)]), null]).seconds).toEqual([]);
    const { seconds } = tracker.look([
      progressOf(0, 0, [1, recordingOf(1)]),
      progressOf(0, 0, [0, recordingOf(3, 4)]),
    ]);
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
    const later = [progressOf(0, 0, [1, recordingOf(1)]), progressOf(0, 0, [1, recordingOf(9)])];
    expect(tracker.look(later).seconds).toEqual([
      expect.objectContaining({ second: 1, answered: 2, max: 9 }),
    ]);
    expect(tracker.look(later).seconds).toEqual([]);
  });
});
