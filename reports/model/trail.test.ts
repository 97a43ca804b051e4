import { expect, test } from 'vitest';
import type { Trail, TrailAnswer, TrailRequest, TrailStep } from '../../contract/trail.ts';
import { proofRows, shortRows, trailRows } from './trail.ts';

const KEYS = ['free#1', 'pro#1'].map((label): Trail['keys'][number] => ({
  label,
  plan: label === 'free#1' ? 'free' : 'pro',
  perMinute: 60,
  perDay: 1_000,
  usedToday: 0,
  issued: true,
}));

function answered(status: number, times = 1): TrailAnswer {
  return { status, times, first: [], last: [] };
}

function sent(key: number, path: string, ...answers: readonly TrailAnswer[]): TrailRequest {
  return {
    method: 'GET',
    path,
    authorization: [['Bearer ', { key }]],
    headers: [],
    body: null,
    operation: null,
    key,
    times: answers.reduce((sum, { times }) => sum + times, 0),
    answers,
  };
}

function proving(request: TrailRequest): TrailRequest {
  return { ...request, proves: true };
}

function send(at: number, connections: number, ...requests: readonly TrailRequest[]): TrailStep {
  return { do: 'send', at, connections, requests };
}

function trailOf(steps: readonly TrailStep[]): Trail {
  return { keys: KEYS, startedAt: null, steps, attempts: 1 };
}

function limits(remaining: number): TrailAnswer['first'] {
  return [
    ['X-RateLimit-Limit', '60'],
    ['x-ratelimit-remaining', String(remaining)],
  ];
}

const RETRY: TrailAnswer['first'] = [['Retry-After', '48']];

const TOLD = trailOf([
  { do: 'issue key', at: 0, key: 1 },
  send(
    12,
    1,
    sent(
      1,
      '/inventory',
      { ...answered(200, 60), first: limits(59), last: limits(0) },
      { ...answered(429), first: RETRY, last: RETRY },
    ),
  ),
  { do: 'wait', at: 900, seconds: 48, told: 1 },
  send(48_900, 1, sent(1, '/inventory', answered(200)), sent(1, '/inventory/', answered(200))),
]);

test('a trail is told in lines, with what was answered', () => {
  expect(shortRows(trailRows(TOLD), 10)).toEqual([
    '+0.000 s free#1 is issued: plan free, 60 a minute and 1,000 a day',
    '+0.012 s 61 × GET /inventory (free#1) → 60 × 200, 59 … 0 of 60 remaining; 429, Retry-After 48',
    '+0.900 s wait 48 s, as free#1 was told',
    '+48.900 s GET /inventory (free#1) → 200',
    '+48.900 s GET /inventory/ (free#1) → 200',
  ]);
});

test('fields of a request are told, unless they are the usual ones', () => {
  const plain = { ...sent(1, '/inventory/7', answered(200)), method: 'PATCH', body: '{"quantity":5}' };
  const fields = (...headers: TrailRequest['headers']): TrailRequest => ({ ...plain, headers });
  const step = send(
    0,
    1,
    fields(['Content-Type', 'application/json']),
    fields(['Content-Type', 'application/json; charset=utf-8']),
    fields(['A', '1'], ['B', '2'], ['C', '3'], ['D', '4']),
  );
  expect(shortRows(trailRows(trailOf([step])), 10)).toEqual([
    '+0.000 s PATCH /inventory/7 {"quantity":5} (free#1) → 200',
    '+0.000 s PATCH /inventory/7 {"quantity":5} (free#1, Content-Type: application/json; charset=utf-8) → 200',
    '+0.000 s PATCH /inventory/7 {"quantity":5} (free#1, A: 1, B: 2, C: 3, …) → 200',
  ]);
});

test('of many lines the last ones are shown, and how much is left out', () => {
  expect(shortRows(trailRows(TOLD), 2)).toEqual([
    '… 3 steps with 61 requests',
    '+48.900 s GET /inventory (free#1) → 200',
    '+48.900 s GET /inventory/ (free#1) → 200',
  ]);
});

/** What is shown of what was sent, if it takes several requests or only one. */
function shown(steps: readonly TrailStep[], isInOne = false): readonly string[] {
  const trail = trailOf(steps);
  return shortRows(proofRows(isInOne ? trail : { ...trail, takesSeveral: true }), 10);
}

test('what one answer shows takes no other', () => {
  const steps = [
    send(0, 1, sent(1, '/a', answered(200, 7)), proving(sent(1, '/b', answered(200)))),
    send(9, 1, sent(1, '/c', answered(200))),
  ];
  expect(shown(steps, true)).toEqual(['+0.000 s GET /b (free#1) → 200']);
});

test('what a count shows takes all that the key sent, and the waits, and nothing of other keys', () => {
  const steps: readonly TrailStep[] = [
    { do: 'issue key', at: 0, key: 1 },
    { do: 'issue key', at: 0, key: 2 },
    send(1, 1, sent(1, '/a', answered(200, 20)), sent(2, '/a', answered(200, 5))),
    send(2, 1, sent(1, '/b', answered(200, 40)), sent(1, '/c', answered(404))),
    { do: 'wait', at: 3, seconds: 30 },
    send(30_000, 1, proving(sent(1, '/a', answered(200)))),
  ];
  expect(shown(steps)).toEqual([
    '+0.000 s free#1 is issued: plan free, 60 a minute and 1,000 a day',
    '+0.001 s 61 requests (free#1) → 60 × 200; 404',
    '+0.003 s wait 30 s',
    '+30.000 s GET /a (free#1) → 200',
  ]);
});

test('requests at once are one line, with the one that decides', () => {
  const burst = [
    sent(1, '/a', answered(200, 30), answered(429, 2)),
    proving(sent(1, '/b', answered(200, 29), answered(429))),
    sent(2, '/b', answered(200, 9)),
  ];
  expect(shown([send(0, 16, ...burst)])).toEqual([
    '+0.000 s 62 requests (free#1) at once → 59 × 200; 3 × 429',
  ]);
});

test('waits with nothing to show between them are one', () => {
  const steps: readonly TrailStep[] = [
    send(0, 1, sent(1, '/a', answered(200))),
    { do: 'wait', at: 10, seconds: 20, told: 1 },
    send(20_010, 1, sent(2, '/a', answered(200))),
    { do: 'wait', at: 20_020, seconds: 39.5 },
    send(59_520, 1, proving(sent(1, '/b', answered(200)))),
  ];
  expect(shown(steps)).toEqual([
    '+0.000 s GET /a (free#1) → 200',
    '+0.010 s wait 59.51 s',
    '+59.520 s GET /b (free#1) → 200',
  ]);
});

test('what several answers show takes them alone', () => {
  const steps: readonly TrailStep[] = [
    { do: 'replace inventory', at: 0, items: [{ petId: '7', quantity: '5', status: 'sold' }] },
    send(1, 1, sent(1, '/a', answered(200, 3)), proving(sent(1, '/inventory/7', answered(200)))),
    send(2, 1, sent(2, '/a', answered(200)), proving(sent(2, '/c', answered(200)))),
  ];
  expect(shown(steps)).toEqual([
    '+0.000 s the inventory is replaced by pet 7 with 5 sold',
    '+0.001 s GET /inventory/7 (free#1) → 200',
    '+0.002 s GET /c (pro#1) → 200',
  ]);
  // What it stood at before goes with an update that is wrong by itself.
  expect(shown(steps.slice(0, 2), true)).toEqual([
    '+0.000 s the inventory is replaced by pet 7 with 5 sold',
    '+0.001 s GET /inventory/7 (free#1) → 200',
  ]);
});

test('of a trail that does not say what proves it, the last request does', () => {
  expect(shown([send(0, 1, sent(1, '/a', answered(200)), sent(1, '/b', answered(404)))], true)).toEqual([
    '+0.000 s GET /b (free#1) → 404',
  ]);
});
