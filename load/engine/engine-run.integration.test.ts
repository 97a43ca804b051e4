import { expect, test } from 'vitest';

import { startDead } from '../../fixtures/load-targets.test-data.ts';
import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { createTargetClient, redactorOf } from '../../suites/target/index.ts';
import { followKeys } from '../judging/key-history.ts';
import { type EngineOptions, startEngine } from './engine-run.ts';
import { loadTargetAt, never, sampleKey, sampleRequest } from './engine.test-data.ts';
import { type Load, WHOLE } from './load-model.ts';
import type { LoadRequest } from './load-request.ts';

function run(url: string, load: Load, spend: EngineOptions['spend'] = () => true) {
  const target = loadTargetAt(url, 200);
  const signal = never();
  const client = createTargetClient(target, { redactor: redactorOf([]), signal });
  return startEngine(load, {
    target,
    client,
    share: WHOLE,
    startsAt: performance.now(),
    warmUpMilliseconds: 0,
    spend,
    signal,
    history: followKeys(client, false),
  }).ended;
}

function open(rate: number, seconds: number): Load {
  const stages = [{ from: rate, to: rate, seconds }];
  return { model: 'open', stages, process: 'constant', seed: 1, connections: 1, mix: [SPARED] };
}

function closed(connections: number, next: () => LoadRequest | null): Load {
  return { model: 'closed', connections, seconds: 3_600, maxRate: Infinity, source: 'made', next };
}

test.each([
  ['for good', Number.POSITIVE_INFINITY, true],
  ['for a while', 12, false],
])('it is told whether a target has stopped answering: %s', async (_how, lastHanging, isSilenced) => {
  let served = 0;
  const url = await startHttpServer((_incoming, outgoing) => {
    served += 1;
    if (served <= 10 || served > lastHanging) {
      outgoing.end('[]');
    }
  });
  const left = Array.from({ length: 20 }, () => sampleRequest());
  expect(
    await run(
      url,
      closed(2, () => left.shift() ?? null),
    ),
  ).toMatchObject({ isSilenced });
});

const SPARED = sampleRequest(sampleKey({ label: 'pro#1', issued: false, isSpared: true }));
const CLOSED = { model: 'closed', connections: 1, seconds: 3_600, maxRate: Infinity } as const;
const BEHAVIOUR = { keepsAlive: true, sendsContentLength: true };

test.each<[string, Load]>([
  ['of the open model, whatever is waiting', open(1_000, 3_600)],
  ['of loops', { ...CLOSED, source: 'made', next: () => SPARED }],
  ['of autocannon', { ...CLOSED, source: 'mix', mix: [SPARED], behaviour: BEHAVIOUR }],
])('%s, nothing is sent after a 429 with a key that is to be spared', async (_engine, load) => {
  let served = 0;
  const url = await startHttpServer((_incoming, outgoing) => {
    served += 1;
    outgoing.writeHead(served < 20 ? 200 : 429, { 'Retry-After': '60' });
    setTimeout(() => outgoing.end('[]'), 5);
  });
  expect(await run(url, load)).toMatchObject({ usedUp: 'pro#1' });
  expect(served).toBe(20);
});

test.each<[string, Load]>([
  ['an open model, in which the last request is due earlier', open(2, 1)],
  [
    'loops, in which the last slot is earlier',
    { ...CLOSED, seconds: 1, maxRate: 3, source: 'made', next: () => SPARED },
  ],
])('a load lasts as long as it was to last: %s', async (_model, load) => {
  const url = await startHttpServer((_incoming, outgoing) => outgoing.end('[]'));
  expect((await run(url, load)).milliseconds).toBeGreaterThan(999.9);
});

test('what never left is not spent', async () => {
  let spent = 0;
  const spend = (requests = 1): boolean => {
    spent += requests;
    return true;
  };
  const { recording } = await run(await startDead(), open(40, 0.1), spend);
  expect([recording.scheduled, recording.lost, spent]).toEqual([4, {}, 0]);
});

test('what is sent again is spent and counted, and the target may have counted both', async () => {
  let spent = 0;
  let served = 0;
  const spend = (requests = 1): boolean => {
    spent += requests;
    return true;
  };
  const url = await startHttpServer((incoming, outgoing) => {
    served += 1;
    if (served === 2) {
      incoming.socket.end();
    } else {
      outgoing.end('[]');
    }
  });
  const { recording, isSilenced } = await run(url, { ...CLOSED, source: 'made', next: twice() }, spend);
  const { operations, repeated, lost } = recording;
  expect([operations[0]?.statuses, repeated, lost]).toEqual([{ '200': 2 }, 1, {}]);
  expect([spent, served, isSilenced]).toEqual([3, 3, false]);
});

function twice(): () => LoadRequest | null {
  const left = [sampleRequest(), sampleRequest()];
  return () => left.shift() ?? null;
}
