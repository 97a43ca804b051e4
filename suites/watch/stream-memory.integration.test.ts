import { queryObjects } from 'node:v8';

import { expect, test } from 'vitest';

import type { HeaderField } from '../../contract/verdict.ts';
import { collectJudgements } from '../oracle/index.ts';
import { createRedactor } from '../target/index.ts';
import { judgeStream } from './judge-stream.ts';
import type { TrafficExchange } from './traffic/traffic-exchange.ts';

const BASE = 'https://pets.example/v1';
const FREE = 'free-Known-Heron-0123456789';
const START = Date.UTC(2026, 10, 22);
const LIMITS = { perMinute: 60, perDay: 1_000 };

/** What a stream that does not end consists of: each request some milliseconds after the one before. */
type Stream = (index: number) => Omit<TrafficExchange['request'], 'sentAt' | 'url'> & {
  readonly path: string;
  readonly status: number;
  readonly answer: string;
};

const bearer = (token: string): readonly HeaderField[] => [['Authorization', `Bearer ${token}`]];
const listed = (petId: number, quantity: number): string =>
  JSON.stringify([{ petId, quantity, status: 'sold' }]);

const STREAMS: Readonly<Record<string, Stream>> = {
  'a new token with each request': (index) => ({
    method: 'GET',
    path: '/inventory',
    headers: bearer(`token-${index}-${index * 7_919}`),
    body: null,
    status: index % 3 === 0 ? 401 : 200,
    answer: listed(1, 5),
  }),
  'updates of ever new pets, each answered 503': (index) => ({
    method: 'PATCH',
    path: `/inventory/${index + 1}`,
    headers: bearer(FREE),
    body: '{"quantity":5}',
    status: 503,
    answer: '',
  }),
  'updates of ever new pets, and no list': (index) => ({
    method: 'PATCH',
    path: `/inventory/${index + 1}`,
    headers: bearer(FREE),
    body: '{"quantity":5}',
    status: 200,
    answer: JSON.stringify({ petId: index + 1, quantity: 5, status: 'sold' }),
  }),
  'a list that is another one each time': (index) => ({
    method: 'GET',
    path: '/inventory',
    headers: bearer(FREE),
    body: null,
    status: 200,
    answer: listed(index + 1, index),
  }),
};

// The number of open pets at which a store is forgotten, so that both counts find the same of them open.
const EXCHANGES = 1_001;

/** Has a judge of its own take so many exchanges of a stream, after those that it took before. */
function playerOf(stream: Stream): (exchanges: number) => void {
  const judge = judgeStream({
    base: BASE,
    keys: [{ key: FREE, label: 'free#1', plan: 'free', limits: LIMITS }],
    redactor: createRedactor(),
    judgements: collectJudgements(),
    mayLackAuthorization: () => false,
    isExclusive: true,
  });
  let sent = 0;
  return (exchanges) => {
    for (const end = sent + exchanges; sent < end; sent += 1) {
      const { path, status, answer, ...request } = stream(sent);
      const sentAt = START + 5 * sent;
      judge.began({ ...request, url: BASE + path, sentAt })({
        request: { ...request, url: BASE + path, sentAt },
        response: {
          status,
          headers: [
            ['Content-Type', 'application/json'],
            ['X-RateLimit-Limit', '60'],
            ['X-RateLimit-Remaining', String(59 - (sent % 60))],
            ['X-RateLimit-Reset', String(Math.floor(sentAt / 60_000) * 60 + 60)],
          ],
          body: Buffer.from(answer),
        },
        endedAt: sentAt + 1,
      });
    }
  };
}

const countObjects = (): number => queryObjects(Object, { format: 'count' });

// To count takes as long as to collect all garbage several times, so all streams are counted at once.
test('nothing grows with a stream, whatever is in it', () => {
  const players = Object.entries(STREAMS).map(([name, stream]) => ({ name, play: playerOf(stream) }));
  players.forEach(({ play }) => play(EXCHANGES));
  const filled = countObjects();
  players.forEach(({ play }) => play(2 * EXCHANGES));
  expect(countObjects() - filled).toBeLessThan(EXCHANGES);
});
