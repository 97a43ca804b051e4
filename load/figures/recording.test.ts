import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { measurementOf, type Recording } from './recording.ts';
import { TIMEOUT } from '../engine/load-request.ts';
import { sampleRequest, sampleResponse } from '../engine/load-request.test-data.ts';
import { createRecorder, type Recorder } from './recorder.ts';

const STARTS_AT = 1_000;
const REQUEST = sampleRequest();

interface Sample {
  readonly part: number;
  readonly due: number;
  readonly waits: number;
  readonly takes: number;
  readonly status: number;
  readonly operation: string;
  readonly isLost: boolean;
  readonly lag: number;
}

const sample: fc.Arbitrary<Sample> = fc.record({
  part: fc.integer({ min: 0, max: 3 }),
  due: fc.double({ min: -500, max: 4_000, noNaN: true }),
  waits: fc.constantFrom(0, 0, 0.4, 30),
  takes: fc.double({ min: 0, max: 5_000, noNaN: true }),
  status: fc.constantFrom(200, 404, 429, 500),
  operation: fc.constantFrom('GET', 'PATCH'),
  isLost: fc.boolean(),
  lag: fc.constantFrom(0, 0.5, 40),
});

function record(recorder: Recorder, { due, waits, takes, status, operation, isLost, lag }: Sample): void {
  const dueAt = STARTS_AT + due;
  const sentAt = dueAt + waits;
  const request = { ...REQUEST, operation };
  recorder.due(dueAt, lag);
  recorder.sent(sentAt);
  if (isLost) {
    recorder.loss({ request, departure: 0, dueAt, sentAt, givenUpAt: sentAt + takes, cause: TIMEOUT });
  } else {
    recorder.response(sampleResponse({ request, status, dueAt, sentAt, answeredAt: sentAt + takes }));
  }
}

function recordingOf(samples: readonly Sample[], isPart: boolean): Recording {
  const recorder = createRecorder({ startsAt: STARTS_AT, model: 'open', isPart });
  // A recorder takes responses as they come.
  for (const one of samples.toSorted((a, b) => a.due + a.waits + a.takes - b.due - b.waits - b.takes)) {
    record(recorder, one);
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
      fc.property(fc.array(sample, { maxLength: 300 }), (samples) => {
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
        expect({ ...merged, operations: merged.operations.toSorted(byName) }).toEqual({
          ...whole,
          operations: whole.operations.toSorted(byName),
        });
      }),
      { numRuns: 60 },
    );
  });

  test('whose seconds were not kept are not added up', () => {
    const one: Sample = {
      part: 0,
      due: 0,
      waits: 0,
      takes: 5,
      status: 200,
      operation: 'GET',
      isLost: false,
      lag: 0,
    };
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
