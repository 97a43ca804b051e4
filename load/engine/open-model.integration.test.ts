import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { answeredAt } from '../../fixtures/answer-times.ts';
import {
  startAnswering,
  startClosing,
  startDead,
  startFailing,
  startResetting,
  startSilent,
} from '../../fixtures/load-targets.test-data.ts';
import { seededRandom } from '../../contract/seeded-random.ts';
import { arrivals, type RateStage } from './arrivals.ts';
import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { tellEngine, never, REQUEST, loadTargetAt, startHanging, type Told } from './engine.test-data.ts';
import { type LoadPart, type OpenLoad, WHOLE } from './load-model.ts';
import type { LoadTarget } from './load-request.ts';
import { runOpenModel } from './open-model.ts';

function steady(rate: number, seconds: number): readonly RateStage[] {
  return [{ from: rate, to: rate, seconds }];
}

function model(
  stages: readonly RateStage[],
  changes: Partial<OpenLoad> = {},
  startsAt = performance.now(),
): LoadPart<OpenLoad> {
  const usual = { model: 'open', process: 'constant', seed: 1, connections: 32, mix: [REQUEST] } as const;
  return { load: { ...usual, stages, ...changes }, share: WHOLE, startsAt };
}

async function run(target: LoadTarget, model: LoadPart<OpenLoad>, signal = never()): Promise<Told> {
  const told = tellEngine();
  await runOpenModel(target, model, told.listener, signal);
  return told;
}

/** When each request was due that was answered or lost, in order. */
function accounted({ responses, losses }: Told): readonly number[] {
  return [...responses, ...losses].map(({ dueAt }) => dueAt).toSorted((a, b) => a - b);
}

describe('every request that is due is answered or lost, once', () => {
  test.each<[string, () => Promise<string>, readonly string[]]>([
    ['answers', startAnswering, []],
    ['closes connections with notice', () => startClosing(true), []],
    ['closes connections', () => startClosing(false), []],
    ['resets connections', () => startResetting(0.2, 1), ['ECONNRESET', 'UND_ERR_SOCKET']],
    ['fails', startFailing, []],
  ])('by a target that %s', async (_how, start, causes) => {
    const stages: readonly RateStage[] = [
      { from: 0, to: 300, seconds: 0.5 },
      { from: 300, to: 300, seconds: 0.5 },
    ];
    const told = await run(loadTargetAt(await start()), model(stages, { process: 'poisson' }));
    const schedule = [...arrivals(stages, 'poisson', seededRandom(1))];
    expect(told.due).toHaveLength(schedule.length);
    expect(accounted(told)).toEqual(told.due);
    // On an absolute schedule: the distances are those that were planned, whatever came between.
    const from = (told.due[0] ?? 0) - (schedule[0] ?? 0);
    told.due.forEach((moment, index) => expect(moment - from).toBeCloseTo(schedule[index] ?? 0, 3));
    expect(told.losses.filter(({ cause }) => !causes.includes(cause))).toEqual([]);
    expect(told.sent).toHaveLength(told.responses.length + told.losses.length);
  });
});

test('requests are sent in their order, never before they are due, and carry what they should', async () => {
  const paths: string[] = [];
  const url = await startHttpServer(({ url: path = '', headers }, outgoing) => {
    paths.push(`${path} ${headers.authorization} ${String(headers['x-tenant'])}`);
    outgoing.end();
  });
  const requests = Array.from({ length: 50 }, (_, index) => ({
    ...REQUEST,
    message: { ...REQUEST.message, path: `/inventory?${index}` },
  }));
  const target: LoadTarget = { ...loadTargetAt(url), headers: [['X-Tenant', 'a b']] };
  const told = await run(target, model(steady(100, 0.5), { connections: 1, mix: requests }));
  expect(paths).toEqual(requests.map(({ message }) => `/v1${message.path} Bearer secret a b`));
  expect(told.responses.map((response) => response.request)).toEqual(requests);
  for (const { dueAt, sentAt, answeredAt: at } of told.responses) {
    expect(sentAt).toBeGreaterThanOrEqual(dueAt);
    expect(at).toBeGreaterThanOrEqual(sentAt);
  }
  expect(told.lags.filter((lag) => lag < 0)).toEqual([]);
});

test('a seeded target resets as many as are lost or sent again, and no other request', async () => {
  const url = await startResetting(0.1, 7);
  const told = await run(loadTargetAt(url), model(steady(200, 1), { connections: 8 }));
  const random = seededRandom(7);
  const seen = Array.from({ length: 200 + told.repeats.length }, () => random() < 0.1);
  expect(told.losses.length + told.repeats.length).toBe(seen.filter(Boolean).length);
  expect(told.losses.map(({ sentAt }) => sentAt)).not.toContain(null);
  expect(told.responses).toHaveLength(200 - told.losses.length);
});

/** The percentile of values, as the smallest that so many of a hundred do not exceed. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}

test.each(['constant', 'poisson'] as const)(
  'what waits for a stall shows all of its wait, at %s arrivals, whatever the connections',
  async (process) => {
    const stalls = { periodMilliseconds: 500, stallMilliseconds: 200 };
    const begunAt = performance.now();
    // Answers come late, never early: the target's schedule is a lower bound.
    const url = await startHttpServer((_incoming, outgoing) => {
      const answer = (): void => {
        const now = performance.now() - begunAt;
        const until = answeredAt(stalls, now);
        if (until <= now) {
          outgoing.end();
        } else {
          setTimeout(answer, Math.ceil(until - now));
        }
      };
      answer();
    });
    // With four connections most requests of a stall are not even sent in it.
    const told = await run(loadTargetAt(url), model(steady(400, 1.5), { process, connections: 4 }));
    expect(told.losses).toEqual([]);
    const shown = told.responses.map((response) => response.answeredAt - response.dueAt);
    const owed = told.responses.map(({ dueAt }) => answeredAt(stalls, dueAt - begunAt) - (dueAt - begunAt));
    owed.forEach((wait, index) => expect(shown[index]).toBeGreaterThanOrEqual(wait - 0.01));
    for (const share of [0.5, 0.75, 0.9, 0.99, 1]) {
      expect(percentile(shown, share)).toBeGreaterThanOrEqual(percentile(owed, share) - 0.01);
    }
    // The schedule does stall: two fifths of all are due in one, and the last waits nearly all of it.
    expect(percentile(owed, 0.99)).toBeGreaterThan(150);
    const served = told.responses.map((response) => response.answeredAt - response.sentAt);
    expect(percentile(served, 0.75)).toBeLessThan(percentile(shown, 0.75));
  },
);

test('a target that hangs: lost by the time, which the response time holds', async () => {
  const told = await run(
    loadTargetAt(await startSilent(), 300),
    model(steady(100, 0.5), { connections: 100 }),
  );
  expect(told.due).toHaveLength(50);
  expect(told.responses).toEqual([]);
  expect(accounted(told)).toEqual(told.due);
  const sent = told.losses.filter(({ sentAt }) => sentAt !== null);
  expect(sent.length).toBeGreaterThan(0);
  expect(new Set(sent.map(({ cause }) => cause))).toEqual(new Set(['timeout']));
  for (const { dueAt, givenUpAt } of told.losses) {
    expect(givenUpAt - dueAt).toBeGreaterThanOrEqual(300);
  }
});

test('a request is given up when its time is over, not at some later tick', async () => {
  const happened: string[] = [];
  const later = Promise.withResolvers<void>();
  const { listener } = tellEngine();
  await runOpenModel(
    loadTargetAt(await startSilent(), 1_000),
    model(steady(1, 1), { connections: 1 }),
    {
      ...listener,
      // Timers of one process fire in the order of their moments, however busy it is.
      onSent: () => {
        setTimeout(() => {
          happened.push('a quarter of a second more');
          later.resolve();
        }, 1_250);
      },
      onLoss: ({ cause }) => void happened.push(cause),
    },
    never(),
  );
  await later.promise;
  expect(happened).toEqual(['timeout', 'a quarter of a second more']);
});

const GONE = { ...REQUEST, message: { ...REQUEST.message, headers: [['X-Gone', 'yes']] as const } };

test.each<[string, (socket: Socket, count: number) => void, object]>([
  [
    'is sent once more if the connection ends before an answer, and waits from when it was due',
    (socket, count) =>
      count === 1 ? socket.end() : socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    { repeats: 1, responses: 2, losses: 0 },
  ],
  ['is sent no third time', (socket) => socket.resetAndDestroy(), { repeats: 1, responses: 1, losses: 1 }],
  [
    'is lost if an answer had begun',
    (socket) => socket.end('HTTP/1.1 2'),
    { repeats: 0, responses: 1, losses: 1 },
  ],
])('over a connection that was used before, a request %s', async (_, refuse, counts) => {
  let gone = 0;
  const url = await startHttpServer((incoming, outgoing) => {
    if (incoming.headers['x-gone'] === undefined) {
      outgoing.end('[]');
    } else {
      gone += 1;
      refuse(incoming.socket, gone);
    }
  });
  const told = await run(loadTargetAt(url), model(steady(2, 1), { connections: 1, mix: [REQUEST, GONE] }));
  const { repeats, responses, losses } = told;
  expect({ repeats: repeats.length, responses: responses.length, losses: losses.length }).toEqual(counts);
  expect(accounted(told)).toEqual(told.due);
  expect(told.sent).toHaveLength(2);
  expect(new Set([...repeats, ...responses, ...losses].map(({ departure }) => departure)).size).toBe(
    repeats.length + responses.length + losses.length,
  );
});

test('over a fresh connection, a request that gets no answer is lost', async () => {
  const url = await startHttpServer((incoming) => incoming.socket.resetAndDestroy());
  const told = await run(loadTargetAt(url), model(steady(20, 0.5), { connections: 4 }));
  expect([told.repeats.length, told.responses.length, told.losses.length]).toEqual([0, 0, 10]);
});

test('what finds all connections hanging is given up unsent', async () => {
  const told = await run(loadTargetAt(await startSilent(), 300), model(steady(100, 0.5), { connections: 2 }));
  expect(accounted(told)).toEqual(told.due);
  const unsent = told.losses.filter(({ sentAt }) => sentAt === null);
  expect(unsent.length).toBeGreaterThan(30);
  expect(unsent.every(({ dueAt, givenUpAt }) => givenUpAt - dueAt >= 300)).toBe(true);
});

test('a generator that is far behind sends no more than it may when it catches up', async () => {
  const url = await startAnswering();
  const over = new AbortController();
  const told = tellEngine();
  let due = 0;
  const listener = {
    ...told.listener,
    onDue: () => {
      due += 1;
      if (due === 5) {
        over.abort();
      }
    },
  };
  const late = model(steady(1_000, 1), {}, performance.now() - 500);
  await runOpenModel(loadTargetAt(url), late, listener, over.signal);
  expect(due).toBe(5);
});

test('an interruption ends it with what was measured, and closes every connection', async () => {
  const { target, signal, openConnections } = await startHanging();
  const told = await run(target, model(steady(200, 3_600)), signal);
  expect(told.responses).toHaveLength(40);
  expect(accounted(told)).toEqual(told.due);
  expect(told.losses.length).toBeGreaterThan(0);
  await expect.poll(openConnections, { timeout: 60_000 }).toBe(0);
});

test('an interruption before it begins sends nothing', async () => {
  const told = await run(loadTargetAt(await startSilent()), model(steady(200, 3_600)), AbortSignal.abort());
  expect([told.due, told.responses, told.losses]).toEqual([[], [], []]);
});

test('a target that is dead is asked seldom, and all is unsent', async () => {
  let attempts = 0;
  const onAttempt = (): void => {
    attempts += 1;
  };
  subscribe('undici:client:beforeConnect', onAttempt);
  onTestFinished(() => void unsubscribe('undici:client:beforeConnect', onAttempt));
  const told = await run(loadTargetAt(await startDead(), 500), model(steady(500, 1)));
  expect(told.due).toHaveLength(500);
  expect(accounted(told)).toEqual(told.due);
  expect([told.responses, told.sent]).toEqual([[], []]);
  expect(told.losses.filter(({ sentAt }) => sentAt !== null)).toEqual([]);
  const causes = new Set(told.losses.map(({ cause }) => cause));
  expect(causes).toEqual(new Set(['ECONNREFUSED', 'no connection in time']));
  // As many as are opened before the first has failed; then one at a time, after pauses that double.
  expect(attempts).toBeGreaterThan(0);
  expect(attempts).toBeLessThanOrEqual(32 + 5);
});
