import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { requirement } from '../../../contract/requirements/index.ts';
import { seededRandom } from '../../../contract/seeded-random.ts';
import type { HistoryEvent } from '../history.ts';
import { openOracle } from '../oracle.ts';
import { followServerClock } from '../server-clock.ts';
import { earlyRenewalsMonitor } from './early-renewals.ts';
import { limitsMonitor } from './limits-monitor.ts';
import { anyPermittedLimiter, PLAIN_LIMITER, type PermittedLimiter } from './permitted-limiters.test-data.ts';
import { anyClients, play, sendStep as send, type PlayedClient } from './played-history.test-data.ts';

const RUNS = { numRuns: Number(process.env['SOUNDNESS_RUNS'] ?? 200) };

/** What the oracle says against a limiter that breaks a must, by what `hear` lets it know. */
function accusations(
  model: PermittedLimiter,
  clients: readonly PlayedClient[],
  seed: number,
  hear: (event: HistoryEvent) => readonly HistoryEvent[] = (event) => [event],
): readonly string[] {
  const clock = followServerClock();
  clock.learnFromControl({ earliest: model.skew, latest: model.skew }, 0);
  const oracle = openOracle(clock, [limitsMonitor, earlyRenewalsMonitor]);
  const said: string[] = [];
  play(model, clients, seed, (event) => {
    for (const heard of hear(event)) {
      const against = oracle
        .accept(heard)
        .filter(({ id, holds }) => !holds && requirement(id).level === 'must');
      said.push(...against.map(({ id, message }) => `${id}: ${message}`));
    }
  });
  return said;
}

test('nothing that a permitted limiter answers is accused, whatever its clients do', () => {
  fc.assert(
    fc.property(anyPermittedLimiter, anyClients, fc.integer(), (model, clients, seed) => {
      expect(accusations(model, clients, seed)).toEqual([]);
    }),
    RUNS,
  );
});

test('nor if the history begins in the middle, or lacks a part', () => {
  const anyCut = fc.tuple(fc.nat(200), fc.nat(100));
  fc.assert(
    fc.property(
      anyPermittedLimiter,
      anyClients,
      fc.integer(),
      anyCut,
      (model, clients, seed, [from, length]) => {
        let number = 0;
        const unheard = new Set<number>();
        const hear = (event: HistoryEvent): readonly HistoryEvent[] => {
          if (event.type === 'key-known') {
            return [{ ...event, key: { ...event.key, usedToday: from === 0 ? null : event.key.usedToday } }];
          }
          number += 1;
          if (event.type === 'request-sent' && number > from && number <= from + length) {
            unheard.add(event.id);
            // A history that begins in the middle has no gap.
            return from === 0 ? [] : [{ type: 'gap', at: event.at }];
          }
          return 'id' in event && unheard.has(event.id) ? [] : [event];
        };
        expect(accusations(model, clients, seed, hear)).toEqual([]);
      },
    ),
    RUNS,
  );
});

test("nor if the keys are the run's own only from its beginning on, and nobody knows what was sent before", () => {
  fc.assert(
    fc.property(
      anyPermittedLimiter,
      // A limiter counts what was used before as late as with the first request.
      anyClients.map((clients) => clients.map((client) => ({ ...client, usedToday: 0 }))),
      fc.integer(),
      fc.nat(200),
      (model, clients, seed, unseenRequests) => {
        const keys: Extract<HistoryEvent, { type: 'key-known' }>[] = [];
        const unseen = new Set<number>();
        let left = unseenRequests;
        let since: number | null = null;
        const hear = (event: HistoryEvent): readonly HistoryEvent[] => {
          if (event.type === 'key-known') {
            keys.push(event);
            return [];
          }
          if (since !== null) {
            return [event];
          }
          if (event.type === 'request-sent' && (left > 0 || unseen.size > 0)) {
            left -= 1;
            unseen.add(event.id);
            return [];
          }
          if (event.type === 'request-sent') {
            since = event.at;
            const exclusiveSince = since;
            return [
              ...keys.map(({ key: { label, plan, limits } }) => ({
                type: 'key-known' as const,
                key: { label, plan, limits, isExclusive: true, usedToday: null, exclusiveSince },
              })),
              event,
            ];
          }
          if ('id' in event) {
            // Of a lost request nobody knows when it ended.
            unseen.delete(event.type === 'response-lost' ? -1 : event.id);
          }
          return [];
        };
        expect(accusations(model, clients, seed, hear)).toEqual([]);
      },
    ),
    RUNS,
  );
});

test('nor if others use the keys, and nobody knows how much', () => {
  fc.assert(
    fc.property(
      anyPermittedLimiter,
      anyClients,
      fc.integer(),
      fc.constantFrom(0, 0, 0.1, 0.6),
      (model, clients, seed, share) => {
        const random = seededRandom(seed);
        const others = new Set<number>();
        const hear = (event: HistoryEvent): readonly HistoryEvent[] => {
          if (event.type === 'key-known') {
            const { label, plan, limits } = event.key;
            return [{ type: 'key-known', key: { label, plan, limits, isExclusive: false, usedToday: null } }];
          }
          if (event.type === 'request-sent' && random() < share) {
            others.add(event.id);
          }
          return 'id' in event && others.has(event.id) ? [] : [event];
        };
        expect(accusations(model, clients, seed, hear)).toEqual([]);
      },
    ),
    RUNS,
  );
});

const { minute: WINDOW } = PLAIN_LIMITER;

/** Goes on when one is refused. */
const goOn = (requests: number, changes: Parameters<typeof send>[1] = {}) =>
  send(requests, { latency: 0, stops: false, ...changes });

test('an end of a window that slow answers show twice is one', () => {
  const model: PermittedLimiter = {
    ...PLAIN_LIMITER,
    minute: { ...WINDOW, algorithm: 'clock-aligned' },
    skew: 1_112_935.104237954,
  };
  const client: PlayedClient = {
    usedToday: 0,
    steps: [
      { kind: 'wait', beyond: 10 },
      goOn(2, { gap: 100, lanes: 2, latency: 3_000 }),
      goOn(1, { gap: 100, latency: 150 }),
      goOn(10, { lanes: 2, latency: 20 }),
      goOn(37, { gap: 100, lanes: 13, latency: 3_000, lost: 0.1 }),
    ],
  };
  expect(accusations(model, [client], -2_004_492_248)).toEqual([]);
});

test('what was not seen may have led to a ban', () => {
  const model: PermittedLimiter = {
    ...PLAIN_LIMITER,
    ban: { threshold: 0, seconds: 604_800, status: 429, extended: false, tellsWait: false },
  };
  const steps = [goOn(62, { lanes: 2 }), { kind: 'pause', seconds: 172_805 } as const, goOn(2, { lanes: 2 })];
  const client: PlayedClient = { usedToday: 0, steps };
  const unseen = new Set<number>();
  const hear = (event: HistoryEvent): readonly HistoryEvent[] => {
    if (event.type === 'request-sent' && event.id > 40 && event.id <= 62) {
      unseen.add(event.id);
      return [{ type: 'gap', at: event.at }];
    }
    return 'id' in event && unseen.has(event.id) ? [] : [event];
  };
  expect(accusations(model, [client], 0, hear)).toEqual([]);
});

/** As of a key of which nobody knows what it had used of its day before. */
function ownSinceThen(event: HistoryEvent): readonly HistoryEvent[] {
  return event.type === 'key-known'
    ? [{ ...event, key: { ...event.key, usedToday: null, exclusiveSince: 0 } }]
    : [event];
}

test('a day that was used up makes room for few requests at a time, and asks for short waits then', () => {
  const model: PermittedLimiter = {
    ...PLAIN_LIMITER,
    limits: { perMinute: 3, perDay: 7 },
    minute: { ...WINDOW, countsRefused: true },
    day: { ...WINDOW, algorithm: 'sliding log' },
  };
  const client: PlayedClient = {
    usedToday: 0,
    steps: [goOn(1), goOn(20, { gap: 7_000 }), { kind: 'wait', beyond: 0 }, goOn(2, { lanes: 2 }), goOn(1)],
  };
  expect(accusations(model, [client], 0, ownSinceThen)).toEqual([]);
});

test('a sliding counter that counts refused requests asks for long waits, and grants in between', () => {
  const model: PermittedLimiter = {
    ...PLAIN_LIMITER,
    limits: { perMinute: 1, perDay: 4 },
    day: { ...WINDOW, algorithm: 'sliding counter, rounded down', countsRefused: true },
    skew: 1_019_876.8990509497,
    retryAfter: 'date',
  };
  const client: PlayedClient = {
    usedToday: 4,
    steps: [goOn(1, { latency: 1 }), { kind: 'wait', beyond: 1_000 }, goOn(5, { lanes: 4, latency: 1 })],
  };
  const other: PlayedClient = { usedToday: 0, steps: [goOn(38, { gap: 7_000 })] };
  expect(accusations(model, [other, client], 0)).toEqual([]);
});

/** Keys that use up a minute of two requests, each at another moment, and ask once more after so many seconds. */
function comingBack(starts: readonly number[], seconds: number): readonly PlayedClient[] {
  return starts.map((start) => ({
    usedToday: 0,
    steps: [
      { kind: 'pause', seconds: start },
      goOn(2, { lanes: 2, latency: 2 }),
      { kind: 'pause', seconds },
      goOn(1, { latency: 2 }),
    ],
  }));
}

const EVERYWHERE = Array.from({ length: 7 }, (_, index) => 9 * index);
const CLOSE = Array.from({ length: 41 }, (_, index) => 0.3 * index);
const MANY_KEYS = [...comingBack(EVERYWHERE, 49), ...comingBack(CLOSE, 59.2)];

test('nor what it answers many keys that come back shortly before their minute is over', () => {
  fc.assert(
    fc.property(anyPermittedLimiter, fc.integer(), (model, seed) => {
      const limits = { perMinute: 2, perDay: 1_000 };
      expect(accusations({ ...model, limits }, MANY_KEYS, seed)).toEqual([]);
    }),
    // Each plays forty-eight keys.
    { numRuns: Math.ceil(RUNS.numRuns / 10) },
  );
});
