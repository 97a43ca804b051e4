import * as fc from 'fast-check';
import parsePrometheusTextFormat from 'parse-prometheus-text-format';
import { expect, test } from 'vitest';

import { sampleRequest, sampleResponse } from '../../load/engine/engine.test-data.ts';
import { createRecorder } from '../../load/figures/recorder.ts';
import { measurementOf, type Recording } from '../../load/figures/recording.ts';
import { renderOpenMetrics } from '../../reports/index.ts';
import { SAMPLE_LOAD_REPORT } from '../../reports/model/sample-load-report.test-data.ts';

/** What was recorded of requests that took so long, in milliseconds. */
function recordingOf(times: readonly number[]): Recording {
  const recorder = createRecorder({ startsAt: 0, model: 'open', isPart: true });
  const request = sampleRequest();
  for (const answeredAt of times.toSorted((one, other) => one - other)) {
    recorder.due(0, 0);
    recorder.sent(0);
    recorder.response(sampleResponse({ request, dueAt: 0, sentAt: 0, answeredAt }));
  }
  return recorder.recording();
}

/** The buckets of response times as a foreign reader finds them in a file of one measurement. */
function bucketsRead(recordings: readonly Recording[]): ReadonlyMap<string, number> {
  const measurement = measurementOf(recordings, { model: 'open', milliseconds: 1_000, invalid: [] });
  const [scenario] = SAMPLE_LOAD_REPORT.scenarios;
  const scenarios = scenario === undefined ? [] : [{ ...scenario, measurements: [measurement] }];
  const families = parsePrometheusTextFormat(renderOpenMetrics({ ...SAMPLE_LOAD_REPORT, scenarios }));
  const family = families.find(({ name }) => name === 'stockcheck_load_response_time_histogram_seconds');
  expect(family?.type).toBe('HISTOGRAM');
  return new Map(
    Object.entries(family?.metrics[0]?.buckets ?? {}).map(([upTo, count]) => [upTo, Number(count)]),
  );
}

test('the buckets of two files added are those of the merged histogram', () => {
  const times = fc.array(fc.double({ min: 0.01, max: 300_000, noNaN: true }), {
    minLength: 1,
    maxLength: 50,
  });
  fc.assert(
    fc.property(times, times, (some, others) => {
      const [one, other] = [recordingOf(some), recordingOf(others)];
      const [first, second, merged] = [[one], [other], [one, other]].map(bucketsRead);
      const added = [...(first ?? [])].map(([upTo, count]) => [upTo, count + (second?.get(upTo) ?? 0)]);
      expect(added).toEqual([...(merged ?? [])]);
      expect(merged?.get('+Inf')).toBe(some.length + others.length);
      // A class of the histogram, which is a thousandth wide, belongs to the bucket in which it ends.
      for (const [upTo, count] of first ?? []) {
        const milliseconds = upTo === '+Inf' ? Infinity : Number(upTo) * 1000;
        const within = (limit: number): number => some.filter((time) => time <= limit).length;
        expect(count).toBeGreaterThanOrEqual(within(milliseconds * 0.998 - 0.001));
        expect(count).toBeLessThanOrEqual(within(milliseconds * 1.001 + 0.001));
      }
    }),
    { numRuns: 12 },
  );
});
