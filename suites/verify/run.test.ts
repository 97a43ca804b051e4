import { createServer, type RequestListener } from 'node:http';
import { expect, test } from 'vitest';

import { listenForTest, startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { rememberingUse, resolveTargetConfig } from '../target/index.ts';
import { rateLimitFields } from '../oracle/exchange.test-data.ts';
import { runForTest } from './run-suite.test-data.ts';
import type { RunResult } from './run.ts';

/** Runs the checks of profile safe against a server on a free port. */
async function judge(listener: RequestListener): Promise<RunResult> {
  return judgeAt(await startHttpServer(listener));
}

function judgeAt(target: string): Promise<RunResult> {
  return runForTest({ target, keys: { free: ['a-good-key'] }, profile: 'safe' });
}

const redirectTo =
  (location: string): RequestListener =>
  (_request, response) => {
    response.writeHead(308, { Location: location }).end();
  };

test('a list that is redirected to another spelling of its path is judged', async () => {
  const { preflight, judgements, problems } = await judge(redirectTo('/v1/inventory/'));
  expect(preflight.state).toBe('ready');
  expect(problems).toContainEqual(expect.stringContaining('redirected (308) to /v1/inventory/'));
  const list = judgements.find(({ id }) => id === 'list-succeeds');
  expect(list).toMatchObject({ outcome: 'fail' });
  expect(list?.findings[0]?.message).toContain('was answered 308, not 200');
});

test('a target that dies of the first request has failed', async () => {
  const server = createServer(() => {
    server.close();
    server.closeAllConnections();
  });
  const { preflight, judgements } = await judgeAt(`http://127.0.0.1:${await listenForTest(server)}/v1`);
  expect(preflight.state).toBe('died');
  const list = judgements.find(({ id }) => id === 'list-succeeds');
  expect(list).toMatchObject({ outcome: 'fail' });
  expect(list?.findings[0]?.message).toMatch(
    /^GET \/inventory got no complete HTTP response .* seems to have died of it\.$/,
  );
});

test('a target that closes the connection on a good key alone has failed', async () => {
  const { preflight, judgements } = await judge(({ socket, headers }, response) => {
    if (headers.authorization === undefined) {
      response.writeHead(401, rateLimitFields(60, 60, Math.ceil(Date.now() / 1000) + 60).flat()).end();
    } else {
      socket.destroy();
    }
  });
  expect(preflight.state).toBe('died');
  expect(judgements.find(({ id }) => id === 'list-succeeds')).toMatchObject({ outcome: 'fail' });
});

test('a target that serves other operations, and answers 404 to the list, has failed in that', async () => {
  const { preflight } = await judge(({ url }, response) => {
    const fields = rateLimitFields(60, 59, Math.ceil(Date.now() / 1000) + 60).flat();
    response.writeHead(url?.endsWith('/store/orders') === true ? 200 : 404, fields).end();
  });
  expect(preflight.state).toBe('ready');
});

test('a target that closes every connection is not there', async () => {
  const { preflight, judgements } = await judge(({ socket }) => socket.destroy());
  expect(preflight.state).toBe('unreachable');
  expect(judgements.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
});

/** Judges, in a profile that exhausts nothing, a target of which so many requests are left in the day. */
async function judgeWithLeft(left: number, describes: 'day' | 'minute') {
  let accepted = 0;
  let refused = 0;
  const target = await startHttpServer((request, response) => {
    const isKnown = request.headers.authorization === 'Bearer a-good-key';
    const isAccepted = isKnown && accepted < left;
    accepted += Number(isAccepted);
    refused += Number(isKnown && !isAccepted);
    const [limit, remaining] = describes === 'day' ? [1_000, left - accepted] : [60, 60 - accepted];
    response.writeHead(isKnown ? (isAccepted ? 200 : 429) : 401, {
      'Content-Type': 'application/json',
      'X-RateLimit-Limit': limit,
      'X-RateLimit-Remaining': remaining,
      'X-RateLimit-Reset': Math.ceil(Date.now() / 1000) + (describes === 'day' ? 7_200 : 60),
      ...(isKnown && !isAccepted ? { 'Retry-After': 7_200 } : {}),
    });
    response.end(isAccepted ? '[]' : '{"code":"no","message":"no","status":401}');
  });
  const result = await runForTest({ target, keys: { free: ['a-good-key'] }, profile: 'safe' });
  return { ...result, accepted, refused };
}

test('no more is sent with a key than its headers say is left of the day', async () => {
  const { accepted, refused, judgements } = await judgeWithLeft(15, 'day');
  expect(refused).toBe(0);
  expect(accepted).toBeLessThan(15);
  expect(judgements.map(({ reason }) => reason)).toContainEqual(
    expect.stringMatching(/^The day of free#1 has \d+ requests left, too few for this/),
  );
});

test('nothing is sent with a key after a 429 that asks for a longer wait than a run takes', async () => {
  const { accepted, refused } = await judgeWithLeft(5, 'minute');
  expect([accepted, refused]).toEqual([5, 1]);
});

test('a key whose day is used up leaves the others to be judged with', async () => {
  let refused = 0;
  const target = await startHttpServer(({ headers: { authorization = '' } }, response) => {
    const isFree = authorization === 'Bearer a-free-key';
    const isKnown = isFree || authorization === 'Bearer a-pro-key';
    refused += Number(isFree);
    response.writeHead(isFree ? 429 : isKnown ? 200 : 401, {
      'Content-Type': 'application/json',
      ...(isFree ? { 'Retry-After': 7_200 } : {}),
    });
    response.end(isKnown && !isFree ? '[]' : '{"code":"no","message":"no","status":401}');
  });
  const keys = { free: ['a-free-key'], pro: ['a-pro-key'] };
  const { preflight, judgements } = await runForTest({ target, keys, profile: 'safe' });
  expect(preflight).toMatchObject({ state: 'ready', key: { label: 'pro#1' } });
  expect(judgements.find(({ id }) => id === 'list-succeeds')?.outcome).toBe('pass');
  expect(refused).toBe(1);
});

test('nothing is sent before the moment that a run before was told to wait for', async () => {
  let requests = 0;
  const target = await startHttpServer((_request, response) => {
    requests += 1;
    response.writeHead(429, { 'Retry-After': 7_200 }).end();
  });
  const description = { target, keys: { free: ['a-good-key'] }, profile: 'standard' } as const;
  const config = rememberingUse(resolveTargetConfig(description));
  await runForTest(description, { config });
  expect(requests).toBe(1);
  const { preflight } = await runForTest(description, { config });
  expect(preflight).toMatchObject({ state: 'limited', message: expect.stringContaining('free#1') });
  expect(requests).toBe(1);
});

test('a run that is interrupted before its first answer has judged nothing', async () => {
  const interruption = new AbortController();
  const target = await startHttpServer(() => interruption.abort());
  const description = { target, keys: { free: ['a-good-key'] }, profile: 'safe' } as const;
  for (let times = 0; times < 2; times += 1) {
    const { preflight, interrupted } = await runForTest(description, { signal: interruption.signal });
    expect([preflight.state, interrupted]).toEqual(['interrupted', true]);
  }
});

test('a slow first answer says nothing of a run without checks', async () => {
  const target = await startHttpServer(
    (_request, response) => void setTimeout(() => response.writeHead(200).end('[]'), 350),
  );
  const notices: string[] = [];
  await runForTest(
    { target, keys: { free: ['a-good-key'] }, profile: 'safe' },
    { selects: () => false, listener: { onNotice: (notice) => notices.push(notice) } },
  );
  expect(notices).toEqual([]);
});
