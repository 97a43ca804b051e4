import { expect, test } from 'vitest';

import { recordedOutcome, type RecordedRequest } from './outcome.ts';
import type { Storm } from './storm.ts';
import { CALM } from './storm.test-data.ts';

const STORM: Storm = {
  ...CALM,
  clients: 2,
  requestsEach: 2,
  arrivalSeconds: 1,
  durationSeconds: 60,
  limits: { perMinute: 1, perDay: 1_000 },
  service: { workers: 1, serviceSeconds: 0.1, refusalShare: 0.5, queue: null },
};

function request(client: number, sentSeconds: number, kind: RecordedRequest['kind']): RecordedRequest {
  return { client, sentSeconds, answeredSeconds: sentSeconds + 0.25, kind };
}

test('what real clients did is told as a storm that was played is, in whatever order it was recorded', () => {
  const outcome = recordedOutcome(STORM, [
    request(0, 7, 'granted'),
    request(0, 1, 'granted'),
    request(0, 2, 'refused'),
    request(1, 1.5, 'granted'),
    request(1, 2.5, 'banned'),
    request(1, 3, 'late'),
  ]);
  expect(outcome).toMatchObject({
    drainSeconds: null,
    servedShare: 0.5,
    servedBy: { p50: 7.25 },
    requests: { sent: 6, granted: 3, refused: 2, dropped: 0, late: 1, inFlight: 0 },
    requestsPerClient: { mean: 3, max: 3 },
    returningPeak: { requests: 1 },
    returningFailed: 1,
    bannedShare: 0.5,
  });
  expect(outcome.steps.reduce((sum, { returning }) => sum + returning, 0)).toBe(2);
});
