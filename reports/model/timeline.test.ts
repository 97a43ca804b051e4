import { describe, expect, test } from 'vitest';
import type { ReportedScenario, TimelineEntry } from './report.ts';
import { played, SAMPLE_SCENARIOS, timelineEntry as entry } from './sample-scenarios.test-data.ts';
import { timelineTable } from '../document/certify.ts';
import { backoffText, earlySeconds, needsAttention, scenarioOf, waitsOf } from './timeline.ts';

function limited(receivedSeconds: number, waitSeconds: number): TimelineEntry {
  return entry(receivedSeconds, {
    status: 429,
    retryAfter: `${waitSeconds}`,
    allowedSeconds: receivedSeconds + waitSeconds,
  });
}

function scenario(departure: Partial<ReportedScenario>): ReportedScenario {
  return played('one', 'One', 10, departure);
}

describe('how early a request was', () => {
  test('is reckoned from the latest moment that an answer before it had named', () => {
    const timeline = [limited(0, 5), limited(1, 2), entry(2, { isEarly: true })];
    expect(earlySeconds(timeline, 2)).toBe(3);
  });

  test('leaves out answers that it could not know', () => {
    const late = entry(0, { answeredSeconds: 3, status: 429, allowedSeconds: 9 });
    expect(earlySeconds([limited(0, 5), late, entry(2, { isEarly: true })], 2)).toBe(3);
  });

  test('is nothing if it was not early, or was not sent', () => {
    expect(earlySeconds([limited(0, 5), entry(4.99)], 1)).toBeNull();
    expect(earlySeconds([], 0)).toBeNull();
  });
});

describe('the waits', () => {
  const timeline = [limited(0, 1), limited(1.5, 1), limited(4.5, 1), entry(10.5), entry(11)];

  test('go from an answer that asked to wait to the next request', () => {
    expect(waitsOf(timeline)).toEqual([1.5, 3, 6]);
    expect(waitsOf([limited(0, 1)])).toEqual([]);
  });

  test('are given with growth and jitter if these are known', () => {
    expect(backoffText(scenario({ timeline }))).toBe('It waited 1.50, 3.00, 6.00 s.');
    expect(backoffText(scenario({ timeline, backoff: { factor: 2.04, jitter: 0.124 } }))).toBe(
      'It waited 1.50, 3.00, 6.00 s; each wait 2.0 times the one before, jitter 12 %.',
    );
    expect(backoffText(scenario({ timeline, backoff: { factor: 0.96, jitter: 0.02 } }))).toContain(
      'each wait as long as the one before, jitter 2 %',
    );
  });

  test('are counted if they are many, and not mentioned if there are none', () => {
    const many = Array.from({ length: 20 }, (_, index) => limited(index, 1));
    expect(backoffText(scenario({ timeline: many }))).toMatch(/1\.00 s and 7 more\.$/);
    expect(backoffText(scenario({ timeline: [entry(0)] }))).toBe('');
  });
});

test('a row has a cell for each column, exact to the millisecond', () => {
  const timeline = [limited(0.012, 2), entry(1.5, { isEarly: true, answeredSeconds: null, status: null })];
  const { rows, columns } = timelineTable(scenario({ timeline }), 2);
  expect(rows).toEqual([
    ['1', 'GET /v1/inventory', '0.012 s', '0.012 s', '429', '2', '2.012 s', '–'],
    ['2', 'GET /v1/inventory', '1.500 s', 'not answered', '–', '–', 'any time', '0.512 s'],
  ]);
  expect(rows.every((row) => row.length === columns.length)).toBe(true);
});

test('a finding belongs to the scenario whose title begins it', () => {
  const message = 'Nothing but 429s: It went on.';
  expect(scenarioOf({ message }, SAMPLE_SCENARIOS)?.id).toBe('limited-without-end');
  expect(scenarioOf({ message: 'List: 401: It crashed.' }, SAMPLE_SCENARIOS)?.id).toBe('refused-key');
  expect(scenarioOf({ message: 'List: 401 was answered.' }, SAMPLE_SCENARIOS)?.id).toBe('list');
  expect(scenarioOf({ message: 'Nothing' }, SAMPLE_SCENARIOS)).toBeUndefined();
});

test('whatever neither passed nor was observed needs attention', () => {
  expect(SAMPLE_SCENARIOS.filter(needsAttention).map(({ id }) => id)).toEqual([
    'refused-update',
    'limited-date',
    'refused-key',
    'silence',
    'never-run',
  ]);
});
