import { expect, test } from 'vitest';
import type { Trail, TrailRequest } from '../../contract/trail.ts';
import { listedTimes } from './sample-report.test-data.ts';
import { shortRows, trailRows } from './trail.ts';

const LIST: TrailRequest = {
  ...listedTimes(1),
  answers: [{ status: 200, times: 1, first: [], last: [], body: '[]' }],
};

function limits(remaining: number): readonly (readonly [string, string])[] {
  return [
    ['X-RateLimit-Limit', '60'],
    ['x-ratelimit-remaining', String(remaining)],
  ];
}

const TRAIL: Trail = {
  keys: [{ label: 'free#1', plan: 'free', perMinute: 60, perDay: 1_000, usedToday: 0, issued: true }],
  startedAt: null,
  steps: [
    { do: 'issue key', at: 0, key: 1 },
    {
      do: 'send',
      at: 12,
      connections: 1,
      requests: [
        {
          ...LIST,
          times: 61,
          answers: [
            { status: 200, times: 60, first: limits(59), last: limits(0), body: '' },
            {
              status: 429,
              times: 1,
              first: [['Retry-After', '48']],
              last: [['Retry-After', '48']],
              body: '',
            },
          ],
        },
      ],
    },
    { do: 'wait', at: 900, seconds: 48, told: 1 },
    { do: 'send', at: 48_900, connections: 1, requests: [LIST, { ...LIST, path: '/inventory/' }] },
  ],
  wrote: [],
  attempts: 1,
};

test('a trail is told in lines, with what was answered', () => {
  expect(shortRows(trailRows(TRAIL), 10)).toEqual([
    '+0.000 s free#1 is issued: plan free, 60 a minute and 1,000 a day',
    '+0.012 s 61 × GET /inventory (free#1) → 60 × 200, 59 … 0 of 60 remaining; 429, Retry-After 48',
    '+0.900 s wait 48 s, as free#1 was told',
    '+48.900 s GET /inventory (free#1) → 200',
    '+48.900 s GET /inventory/ (free#1) → 200',
  ]);
});

test('of many lines the last ones are shown, and how much is left out', () => {
  expect(shortRows(trailRows(TRAIL), 2)).toEqual([
    '… 3 steps with 61 requests',
    '+48.900 s GET /inventory (free#1) → 200',
    '+48.900 s GET /inventory/ (free#1) → 200',
  ]);
});
