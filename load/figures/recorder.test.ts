import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { measurementOf } from './recording.ts';
import { TIMEOUT } from '../engine/load-request.ts';
import { sampleRequest, sampleResponse } from '../engine/engine.test-data.ts';
import { createRecorder, type Recorder, type Recording } from './recorder.ts';

const STARTS_AT = 1_000;
const REQUEST = sampleRequest();

interface Sample {
  /** Milliseconds after the start. */
  readonly due: number;
  readonly waits?: number;
  readonly takes: number;
  readonly status?: number;
  readonly operation?: string;
}

function answer(
  recorder: Recorder,
  { due, waits = 0, takes, status = 200, operation = 'GET' }: Sample,
): void {
  const dueAt = STARTS_AT + due;
  const sentAt = dueAt + waits;
  const request = { ...REQUEST, operation };
  recorder.due(dueAt, waits);
  recorder.sent(sentAt, dueAt);
  recorder.response(sampleResponse({ request, status, dueAt, sentAt, answeredAt: sentAt + takes }));
}

function lose(recorder: Recorder, due: number, sent: number | null, givenUp: number, cause: string): void {
  const dueAt = STARTS_AT + due;
  const sentAt = sent === null ? null : STARTS_AT + sent;
  recorder.due(dueAt, 0);
  if (sentAt !== null) {
    recorder.sent(sentAt, dueAt);
  }
  recorder.loss({
    request: REQUEST,
    departure: sentAt === null ? null : 0,
    dueAt,
    sentAt,
    givenUpAt: STARTS_AT + givenUp,
    cause,
  });
}

function measure(act: (recorder: Recorder) => void, seconds = 2) {
  const recorder = createRecorder({ startsAt: STARTS_AT, model: 'open' });
  act(recorder);
  return measurementOf([recorder.recording()], { model: 'open', milliseconds: seconds * 1000, invalid: [] });
}

/** Half a microsecond of rounding, and three digits of a class. */
function near(found: number | null, value: number): void {
  expect(Math.abs((found ?? Infinity) - value)).toBeLessThanOrEqual(0.0011 + value / 1000);
}

describe('what is counted', () => {
  test('statuses, classes, operations and seconds', () => {
    const measured = measure((recorder) => {
      answer(recorder, { due: 0, takes: 10 });
      answer(recorder, { due: 100, takes: 20, status: 429 });
      answer(recorder, { due: 200, takes: 30, status: 404, operation: 'PATCH' });
      // Due in one second and answered in the next.
      answer(recorder, { due: 950, waits: 20, takes: 100, status: 500 });
      lose(recorder, 1_100, 1_100, 1_200, 'ECONNRESET');
      lose(recorder, 1_300, null, 1_900, 'no connection in time');
    });
    expect(measured).toMatchObject({
      model: 'open',
      durationSeconds: 2,
      scheduled: 6,
      sent: 5,
      answered: 4,
      unsent: 1,
      unsentBy: { 'no connection in time': 1 },
      lost: { ECONNRESET: 1 },
      statuses: { '200': 1, '429': 1, '404': 1, '500': 1 },
      scheduledRate: 3,
      achievedRate: 2.5,
      goodput: 0.5,
      answers: { success: { rate: 0.5 }, other: { rate: 1.5 } },
      invalid: [],
    });
    expect(measured.operations.map(({ name, answered, statuses }) => [name, answered, statuses])).toEqual([
      ['GET', 3, { '200': 1, '429': 1, '500': 1 }],
      ['PATCH', 1, { '404': 1 }],
    ]);
    expect(measured.seconds).toMatchObject([
      { second: 0, scheduled: 4, sent: 4, answered: 3, lost: 0, statuses: { '2xx': 1, '429': 1, '4xx': 1 } },
      { second: 1, scheduled: 2, sent: 1, answered: 1, lost: 2, statuses: { '5xx': 1 } },
    ]);
  });

  test('nothing that was due in the warm-up', () => {
    const measured = measure((recorder) => {
      answer(recorder, { due: -1, takes: 500 });
      lose(recorder, -300, null, 200, TIMEOUT);
      answer(recorder, { due: 0, takes: 5 });
    });
    expect(measured).toMatchObject({ scheduled: 1, sent: 1, answered: 1, unsent: 0, lost: {} });
    expect(measured.responseTime).toMatchObject({ count: 1, max: 5 });
  });

  test('nothing at all, if nothing was sent', () => {
    const none = { min: null, mean: null, p50: null, p90: null, p95: null, p99: null, p999: null, max: null };
    expect(measure(() => {})).toMatchObject({
      scheduled: 0,
      responseTime: { count: 0, ...none },
      serviceTime: { count: 0, ...none },
      percentiles: [],
      seconds: [],
    });
  });
});

/** 50 requests a second are due for five seconds, in the middle of 20 ms each. */
function fifty(answerOf: (due: number, index: number) => Sample | null) {
  return measure((recorder) => {
    for (let index = 0; index < 250; index += 1) {
      const due = 20 * index + 10;
      const sample = answerOf(due, index);
      if (sample === null) {
        lose(recorder, due, due, due + 1_000, TIMEOUT);
      } else {
        answer(recorder, sample);
      }
    }
  }, 5);
}

describe('the rate of answers', () => {
  test.each<[string, (due: number, index: number) => Sample | null, number, number]>([
    ['answers at once', (due) => ({ due, takes: 1 }), 50, 0],
    ['answers one each 50 ms', (due, index) => ({ due, takes: 50 * (index + 1) - due }), 20, 0],
    ['answers each after two seconds', (due) => ({ due, takes: 2_000 }), 50, 0],
    ['never answers one in ten', (due, index) => (index % 10 === 3 ? null : { due, takes: 1 }), 45, 0],
    ['answers one of them late', (due, index) => ({ due, takes: index === 7 ? 9_000 : 1 }), 49.8, 0],
    [
      'stands still at the end, and then answers all',
      (due) => ({ due, takes: Math.max(1, due > 4_000 ? 5_050 - due : 0) }),
      250 / 5.039,
      0,
    ],
    [
      'fails one in two at once',
      (due, index) => (index % 2 === 0 ? { due, takes: 100 } : { due, takes: 1, status: 500 }),
      25,
      25,
    ],
    ['fails one each 50 ms', (due, index) => ({ due, takes: 50 * (index + 1) - due, status: 503 }), 0, 20],
  ])('of a target that %s', (_what, answerOf, success, other) => {
    const { achievedRate, goodput, answers } = fifty(answerOf);
    expect(achievedRate).toBe(50);
    expect(goodput).toBeCloseTo(success, 0);
    expect(answers?.other.rate).toBeCloseTo(other, 0);
  });

  test('is not that of requests which waited for a connection and left late', () => {
    const measured = fifty((due, index) => ({ due, waits: Math.max(0, 50 * index - due), takes: 50 }));
    expect(measured.scheduledRate).toBe(50);
    expect(measured.achievedRate).toBeCloseTo(20, 0);
    expect(measured.goodput).toBeCloseTo(20, 0);
  });

  test('is no higher than that of the requests, if the first answers come late and all at once', () => {
    // Sent each 40 ms from 10 ms to 9970 ms, which is 25 a second; answered from 5010 ms on.
    const measured = fifty((due, index) => {
      const sent = 10 + 40 * index;
      return {
        due,
        waits: sent - due,
        takes: Math.max(1, 5_010 - sent),
        status: index % 5 === 0 ? 500 : 200,
      };
    });
    expect(measured.achievedRate).toBeCloseTo(25.1, 1);
    expect(measured.goodput).toBeCloseTo(20.1, 1);
    expect(measured.answers?.other.rate).toBeCloseTo(5, 1);
  });
});

describe('times', () => {
  test('response time counts from the due moment, service time from sending', () => {
    const measured = measure((recorder) => answer(recorder, { due: 0, waits: 150, takes: 50 }));
    expect(measured.responseTime).toMatchObject({ min: 200, mean: 200, p50: 200, max: 200 });
    expect(measured.serviceTime).toMatchObject({ min: 50, mean: 50, p50: 50, max: 50 });
    expect(measured.generatorLag).toMatchObject({ count: 1, max: 150 });
  });

  test('who waited in vain is in the response time, who was reset is not', () => {
    const measured = measure((recorder) => {
      lose(recorder, 0, 0, 300, TIMEOUT);
      lose(recorder, 0, null, 400, 'no connection in time');
      lose(recorder, 0, 0, 1, 'ECONNRESET');
    });
    expect(measured.responseTime).toMatchObject({ count: 2, min: 300, max: 400 });
    expect(measured.serviceTime.count).toBe(0);
    expect(measured).toMatchObject({ answered: 0, unsent: 1, lost: { timeout: 1, ECONNRESET: 1 } });
  });

  test('those of answers 2xx and of all others stand apart', () => {
    const { answers, responseTime } = measure((recorder) => {
      answer(recorder, { due: 0, takes: 100 });
      answer(recorder, { due: 0, takes: 1, status: 500 });
      answer(recorder, { due: 10, waits: 20, takes: 2, status: 429 });
    });
    expect(responseTime).toMatchObject({ count: 3, min: 1, max: 100 });
    expect(answers?.success.responseTime).toMatchObject({ count: 1, min: 100, max: 100 });
    expect(answers?.other.responseTime).toMatchObject({ count: 2, min: 1, max: 22 });
  });

  test('percentiles are those of the sorted times, to three digits', () => {
    const times = fc.array(fc.double({ min: 0.001, max: 60_000, noNaN: true }), {
      minLength: 1,
      maxLength: 400,
    });
    fc.assert(
      fc.property(times, (times) => {
        const { responseTime, percentiles } = measure((recorder) =>
          times.forEach((takes) => answer(recorder, { due: 0, takes })),
        );
        const sorted = times.toSorted((a, b) => a - b);
        const exact = (percentile: number): number =>
          sorted[Math.max(0, Math.ceil((percentile / 100) * sorted.length - 1e-9) - 1)] ?? 0;
        near(responseTime.p50, exact(50));
        near(responseTime.p90, exact(90));
        near(responseTime.p99, exact(99));
        near(responseTime.p999, exact(99.9));
        near(responseTime.min, sorted[0] ?? 0);
        near(responseTime.mean, times.reduce((sum, time) => sum + time, 0) / times.length);
        for (const [percentile, value] of percentiles) {
          near(value, exact(percentile));
          expect(value).toBeLessThanOrEqual(responseTime.max ?? 0);
        }
        const curve = percentiles.map(([, value]) => value);
        expect(curve).toEqual(curve.toSorted((a, b) => a - b));
        expect(responseTime.max).toBeCloseTo(sorted.at(-1) ?? 0, 2);
      }),
      { numRuns: 30 },
    );
  });

  test('what was due in the warm-up and left late is not among what was sent', () => {
    const measured = measure((recorder) => {
      answer(recorder, { due: -500, waits: 700, takes: 10 });
      recorder.due(STARTS_AT + 100, 0);
    });
    expect(measured).toMatchObject({ scheduled: 1, sent: 0, achievedRate: 0 });
    expect(measured.seconds.map(({ sent }) => sent)).toEqual([0]);
  });

  test('a closed model counts what ends while it is measured, however long ago that was sent', () => {
    const recorder = createRecorder({ startsAt: STARTS_AT, model: 'closed' });
    answer(recorder, { due: -900, takes: 800 });
    answer(recorder, { due: -900, takes: 1_000 });
    answer(recorder, { due: -800, takes: 1_900, status: 500 });
    lose(recorder, -700, -700, 1_500, TIMEOUT);
    recorder.due(STARTS_AT + 100, 0);
    recorder.sent(STARTS_AT + 100, STARTS_AT + 100);
    const measured = measurementOf([recorder.recording()], {
      model: 'closed',
      milliseconds: 2_000,
      invalid: [],
    });
    expect(measured).toMatchObject({ scheduled: 3, sent: 3, answered: 2, lost: { [TIMEOUT]: 1 } });
    expect(measured).toMatchObject({ scheduledRate: 1.5, achievedRate: 1.5, goodput: 0.5 });
    expect(measured.seconds.map(({ sent, answered, lost }) => [sent, answered, lost])).toEqual([
      [1, 1, 0],
      [2, 1, 1],
    ]);
  });

  test('each second has its own, also once it is over and the next ones have come', () => {
    const recorder = createRecorder({ startsAt: STARTS_AT, model: 'open' });
    answer(recorder, { due: 0, takes: 10 });
    expect(recorder.latest()).toBeNull();
    answer(recorder, { due: 1_000, takes: 500 });
    expect(recorder.latest()).toMatchObject({
      second: 0,
      recording: { answered: 1, times: { quantiles: { max: 10 } } },
    });
    answer(recorder, { due: 4_000, takes: 1 });
    // It came in the second before, and was handed on only now.
    answer(recorder, { due: 3_001, takes: 998 });
    expect(recorder.latest()).toMatchObject({
      second: 3,
      recording: { answered: 1, times: { quantiles: { p50: 998 } } },
    });
    const { seconds } = measurementOf([recorder.recording()], {
      model: 'open',
      milliseconds: 5_000,
      invalid: ['why'],
    });
    expect(seconds.map(({ answered, p50, p99, max }) => [answered, p50, p99, max])).toEqual([
      [1, 10, 10, 10],
      [1, 500, 500, 500],
      [0, null, null, null],
      [1, 998, 998, 998],
      [1, 1, 1, 1],
    ]);
  });
});

interface PartSample extends Required<Sample> {
  readonly part: number;
  readonly isLost: boolean;
}

const partSample: fc.Arbitrary<PartSample> = fc.record({
  part: fc.integer({ min: 0, max: 3 }),
  due: fc.double({ min: -500, max: 4_000, noNaN: true }),
  waits: fc.constantFrom(0, 0, 0.4, 30),
  takes: fc.double({ min: 0, max: 5_000, noNaN: true }),
  status: fc.constantFrom(200, 404, 429, 500),
  operation: fc.constantFrom('GET', 'PATCH'),
  isLost: fc.boolean(),
});

function recordingOf(samples: readonly PartSample[], isPart: boolean): Recording {
  const recorder = createRecorder({ startsAt: STARTS_AT, model: 'open', isPart });
  // A recorder takes responses as they come.
  const endOf = ({ due, waits, takes }: PartSample): number => due + waits + takes;
  for (const one of samples.toSorted((a, b) => endOf(a) - endOf(b))) {
    if (one.isLost) {
      lose(recorder, one.due, one.due + one.waits, endOf(one), TIMEOUT);
    } else {
      answer(recorder, one);
    }
  }
  return recorder.recording();
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

const END = { model: 'open', milliseconds: 4_000, invalid: [] } as const;

describe('recording of parts', () => {
  test('add up to those of a single generator, in every number', () => {
    fc.assert(
      fc.property(fc.array(partSample, { maxLength: 300 }), (samples) => {
        const parts = [0, 1, 2, 3].map((part) =>
          recordingOf(
            samples.filter((one) => one.part === part),
            true,
          ),
        );
        // There and back, as they go through Redis.
        const received: Recording[] = JSON.parse(JSON.stringify(parts));
        const merged = measurementOf(received, END);
        const whole = measurementOf([recordingOf(samples, false)], END);
        const { scheduledRate, achievedRate, goodput, answers } = whole;
        expect(achievedRate).toBeLessThanOrEqual(scheduledRate);
        expect(goodput + (answers?.other.rate ?? 0)).toBeLessThanOrEqual(achievedRate * (1 + 1e-9));
        expect({ ...merged, operations: merged.operations.toSorted(byName) }).toEqual({
          ...whole,
          operations: whole.operations.toSorted(byName),
        });
      }),
      { numRuns: 20 },
    );
  });

  test('whose seconds were not kept are not added up', () => {
    const one = { part: 0, due: 0, waits: 0, takes: 5, status: 200, operation: 'GET', isLost: false };
    const recording = [recordingOf([one], false), recordingOf([one], false)];
    expect(() => measurementOf(recording, END)).toThrow('were not kept');
  });

  test('of nobody hold nothing', () => {
    expect(measurementOf([], END)).toMatchObject({
      scheduled: 0,
      answered: 0,
      percentiles: [],
      seconds: [],
      responseTime: { count: 0, min: null, p99: null, max: null },
    });
  });
});
