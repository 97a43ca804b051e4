import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { describe, expect, onTestFinished, test } from 'vitest';

import { listenForTest } from '../../fixtures/loopback.test-data.ts';
import { type Watch, watchTraffic } from '../../suites/watch/index.ts';
import { openProxy } from '../../suites/watch/proxy/open-proxy.ts';
import { alterationOf, seedKey, startTarget } from '../verify/run.test-data.ts';
import { refusalOf } from '../refusal.test-data.ts';
import { readReport, runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { createRedactor } from '../../suites/target/index.ts';

/** Watches a service of which no key is known, on a free port. */
async function watch(
  base: string,
  changes: Partial<Parameters<typeof watchTraffic>[0]> = {},
): Promise<Watch> {
  const watched = await watchTraffic({
    base,
    keys: [],
    redactor: createRedactor(),
    hostname: '127.0.0.1',
    port: 0,
    keepHost: false,
    insecure: false,
    certificateAuthority: null,
    sample: 1,
    isExclusive: false,
    ...changes,
  });
  onTestFinished(() => watched.close());
  return watched;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function upstream(handler: Handler): Promise<{ readonly server: Server; readonly base: string }> {
  const server = createServer(handler);
  return { server, base: `http://127.0.0.1:${await listenForTest(server)}/v1` };
}

/** Sends bytes to the proxy and returns all that comes back. */
async function exchangeBytes({ url }: Watch, bytes: string): Promise<string> {
  const socket = await connectTo(url);
  socket.write(bytes);
  return (await buffer(socket)).toString('latin1');
}

async function connectTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  return socket;
}

describe('what passes the proxy', () => {
  test('keeps its fields, their order, their letter-case and those that are repeated', async () => {
    const seen: string[][] = [];
    const { base } = await upstream((request, response) => {
      seen.push(request.rawHeaders);
      response.sendDate = false;
      response.writeHead(200, 'Very Well', ['x-a', '1', 'X-B', '2', 'x-a', '3', 'Content-Length', '2']);
      response.end('ok');
    });
    const answer = await exchangeBytes(
      await watch(base),
      'GET /v1/x%2fy?q HTTP/1.1\r\nHost: proxy\r\nx-Q: 1\r\nAccept: */*\r\nx-q: 2\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(
      /^HTTP\/1\.1 200 Very Well\r\nx-a: 1\r\nX-B: 2\r\nx-a: 3\r\nContent-Length: 2\r\n[^]*\r\n\r\nok$/,
    );
    expect(answer).not.toContain('Date:');
    const [fields = []] = seen;
    expect(fields.slice(2, 8)).toEqual(['x-Q', '1', 'Accept', '*/*', 'x-q', '2']);
    expect(fields.slice(0, 2)).toEqual(['Host', new URL(base).host]);
  });

  test('may be of any length, and is not held', async () => {
    const part = Buffer.alloc(1024 * 1024, 'x');
    const { base } = await upstream((request, response) => {
      let length = 0;
      request.on('data', (chunk: Buffer) => (length += chunk.length));
      request.on('end', () => {
        response.writeHead(200, { 'X-Got': String(length) });
        for (let sent = 0; sent < 16; sent += 1) {
          response.write(part);
        }
        response.end();
      });
    });
    const watched = await watch(base);
    const body = new Blob(Array.from({ length: 16 }, () => part));
    const answer = await fetch(`${watched.url}/inventory`, { method: 'POST', body });
    expect(answer.headers.get('X-Got')).toBe(String(16 * part.length));
    let received = 0;
    for await (const chunk of answer.body ?? []) {
      received += chunk.length;
    }
    expect(received).toBe(16 * part.length);
    await watched.close();
    expect(watched.findings()).toMatchObject({ exchanges: 1, withoutBody: 1 });
  });

  test('begins before it has ended', async () => {
    const ended = Promise.withResolvers<() => void>();
    const { base } = await upstream((_request, response) => {
      response.write('first');
      ended.resolve(() => response.end('last'));
    });
    const answer = await fetch(`${(await watch(base)).url}/stream`);
    const reader = answer.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toBe('first');
    (await ended.promise)();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('last');
  });

  test('has its interim responses before it and its trailers behind it, both ways', async () => {
    const trailers = Promise.withResolvers<string[]>();
    const { base } = await upstream((request, response) => {
      response.writeInformation(102);
      response.writeEarlyHints({ link: '</a>; rel=preload', 'x-b': '1' });
      response.writeHead(200, { Trailer: 'X-Sum' });
      response.write('ok');
      response.addTrailers({ 'X-Sum': 'abc' });
      request.resume();
      request.on('end', () => {
        trailers.resolve(request.rawTrailers);
        response.end();
      });
    });
    const answer = await exchangeBytes(
      await watch(base),
      'POST /v1/x HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\na\r\n0\r\nX-Of: me\r\n\r\n',
    );
    expect(answer).toMatch(
      /^HTTP\/1\.1 102 Processing\r\n\r\nHTTP\/1\.1 103 Early Hints\r\nLink: <\/a>; rel=preload\r\nx-b: 1\r\n\r\nHTTP\/1\.1 200 /,
    );
    expect(answer).toMatch(/\r\nok\r\n0\r\nX-Sum: abc\r\n\r\n$/);
    expect(await trailers.promise).toEqual(['X-Of', 'me']);
  });

  test('comes back to a client that ended its half of the connection, whatever that expects', async () => {
    const answers = Promise.withResolvers<() => void>();
    const { server, base } = await upstream(() => {});
    server.on('checkExpectation', (_request, response: ServerResponse) =>
      answers.resolve(() => response.end('late')),
    );
    const { url } = await watch(base);
    const client = connect({
      port: Number(new URL(url).port),
      host: new URL(url).hostname,
      allowHalfOpen: true,
    });
    client.end('GET /v1/x HTTP/1.1\r\nHost: p\r\nExpect: a-miracle\r\n\r\n');
    const answer = buffer(client);
    (await answers.promise)();
    expect((await answer).toString('latin1')).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nlate$/);
  });

  test('goes both ways once it is upgraded; CONNECT is refused', async () => {
    const { server, base } = await upstream(() => {});
    const seen: string[] = [];
    server.on('upgrade', ({ headers }, socket: Socket) => {
      seen.push(String(headers['x-l']));
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
      socket.on('data', (chunk) => socket.end(chunk));
    });
    const watched = await watch(base);
    const socket = await connectTo(watched.url);
    const upgrade =
      'GET /v1/ws HTTP/1.1\r\nHost: p\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-L: caf\xE9\r\n\r\n';
    socket.write(upgrade, 'latin1');
    await once(socket, 'data');
    socket.write('ping');
    expect((await buffer(socket)).toString()).toBe('ping');
    expect(seen).toEqual(['caf\xE9']);
    expect(watched.findings().unseen.upgraded).toBe(1);
    await expect(exchangeBytes(watched, 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n')).resolves.toMatch(
      /^HTTP\/1\.1 501 /,
    );
    expect(watched.findings().unseen.refused).toBe(1);
  });

  test('has no chunks for a client of HTTP/1.0', async () => {
    const { base } = await upstream((_request, response) => {
      response.write('[');
      response.end(']');
    });
    const answer = await exchangeBytes(await watch(base), 'GET /v1/inventory HTTP/1.0\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\n\[\]$/);
    expect(answer).not.toMatch(/^transfer-encoding:/im);
  });

  test.each([
    ['a method that is unknown', 'FROB /v1/inventory HTTP/1.1\r\nHost: p\r\n\r\n'],
    ['no Host', 'GET /v1/inventory HTTP/1.1\r\n\r\n'],
    [
      'two lengths',
      'GET /v1/x HTTP/1.1\r\nHost: p\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
  ])('does not pass with %s, which the proxy refuses and counts', async (_, bytes) => {
    const { base } = await upstream((_request, response) => response.end('[]'));
    const watched = await watch(base);
    expect(await exchangeBytes(watched, bytes)).toMatch(/^HTTP\/1\.1 400 /);
    expect(watched.findings()).toMatchObject({ exchanges: 0, unseen: { refused: 1 } });
  });

  test('is judged if the client offers HTTP/2 and the service does not take it up', async () => {
    const seen: string[] = [];
    const { base } = await upstream((request, response) => {
      seen.push(...Object.keys(request.headers));
      response.end('[]');
    });
    const watched = await watch(base);
    const answer = await exchangeBytes(
      watched,
      'GET /v1/inventory HTTP/1.1\r\nHost: p\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    await watched.close();
    expect(seen).toEqual(['host']);
    expect(watched.findings()).toMatchObject({ exchanges: 1, unseen: { upgraded: 0 } });
  });

  test('is answered 502 if the service is gone, and what was cut off is cut off', async () => {
    const { server, base } = await upstream((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half');
      setImmediate(() => response.destroy());
    });
    const watched = await watch(base);
    await expect(fetch(`${watched.url}/inventory`).then((answer) => answer.text())).rejects.toThrow(
      'terminated',
    );
    server.closeAllConnections();
    server.close();
    const answer = await fetch(`${watched.url}/inventory`);
    expect([answer.status, await answer.text()]).toEqual([
      502,
      expect.stringMatching(`^The upstream ${base} did not answer: .*ECONNREFUSED`),
    ]);
    await watched.close();
    expect(watched.findings()).toMatchObject({
      exchanges: 2,
      unanswered: 2,
      silence: expect.stringMatching(`^The upstream ${base} did not answer 1 request, .*ECONNREFUSED`),
    });
  });
});

test('a request is told of before its body has passed, since a service may count it by then', async () => {
  const reached = Promise.withResolvers<void>();
  const { base } = await upstream((request, response) => {
    reached.resolve();
    request.resume().on('end', () => response.end('{}'));
  });
  const passed: string[] = [];
  const proxy = await openProxy({
    upstream: new URL(base),
    hostname: '127.0.0.1',
    port: 0,
    keepHost: false,
    insecure: false,
    certificateAuthority: null,
    recorderFor: () => (request) => {
      passed.push(request.method);
      return {
        bodyPassed: (body) => void passed.push(String(body)),
        ended: (response) => void passed.push(`${response?.status}`),
      };
    },
    onTunnel: () => () => {},
    onRefused: () => {},
    unanswered: (reason) => reason,
  });
  onTestFinished(() => proxy.close());
  const client = await connectTo(proxy.url);
  client.write(
    'PATCH /v1/inventory/1 HTTP/1.1\r\nHost: p\r\nContent-Length: 14\r\nConnection: close\r\n\r\n{"quan',
  );
  await reached.promise;
  expect(passed).toEqual(['PATCH']);
  client.write('tity":5}');
  await buffer(client);
  expect(passed).toEqual(['PATCH', '{"quantity":5}', '200']);
});

test('what goes to other paths is counted alone, and what the end of the watch cuts off is no fault of the service', async () => {
  const asked = Promise.withResolvers<void>();
  const { base } = await upstream((request, response) => {
    if (request.url === '/v1/inventory') {
      asked.resolve();
    } else {
      response.end('{}');
    }
  });
  const watched = await watch(base);
  expect((await fetch(new URL('/health', watched.url))).status).toBe(200);
  const cutOff = fetch(`${watched.url}/inventory`).catch(() => 'cut off');
  await asked.promise;
  await watched.close();
  expect(await cutOff).toBe('cut off');
  expect(watched.findings()).toMatchObject({ exchanges: 0, others: 1, unseen: { cutOff: 1 } });
});

test('what is not sampled passes and is counted', async () => {
  const { base } = await upstream((_request, response) => response.end('{}'));
  const watched = await watch(base, { sample: 1e-12 });
  expect((await fetch(`${watched.url}/inventory`)).status).toBe(200);
  await watched.close();
  expect(watched.findings()).toMatchObject({ exchanges: 0, unseen: { notSampled: 1 } });
});

function failToHide(): never {
  throw new Error('no memory is left');
}

test('traffic goes on if its judge fails, and what passed unjudged is said', async () => {
  const { base } = await upstream((_request, response) => response.end('{}'));
  const watched = await watch(base, { redactor: { ...createRedactor(), hide: failToHide } });
  for (const headers of [{}, { authorization: 'Bearer key-Never-Seen-0123456789' }, {}]) {
    expect((await fetch(`${watched.url}/inventory`, { headers })).status).toBe(200);
  }
  await watched.close();
  expect(watched.findings()).toMatchObject({
    exchanges: 1,
    problem: 'Judging ended before the traffic did (no memory is left), so that 2 exchanges passed unjudged.',
  });
});

/** A program that asks for the list three times. */
const PROGRAM = `
const ask = () => fetch(process.env.STOCKCHECK_BASE_URL + '/inventory', { headers: { authorization: 'Bearer ' + process.argv[1] } });
for (let i = 0; i < 3; i += 1) console.log((await ask()).status);
process.exitCode = Number(process.argv[2] ?? 0);
`;

const command = (upstreamUrl: string, key: string, code: string, ...options: readonly string[]) =>
  ['watch', '--upstream', upstreamUrl, ...options, '--', process.execPath].concat([
    '--input-type=module',
    '-e',
    PROGRAM,
    key,
    code,
  ]);

describe('stockcheck watch', () => {
  test('names a port that is in use', async () => {
    const { port } = new URL((await upstream(() => {})).base);
    const words = ['watch', '--upstream', 'http://127.0.0.1:1/v1', '--port', port];
    expect(await refusalOf(words)).toEqual({
      exitCode: 2,
      text: `stockcheck: --port: port ${port} is in use; choose another, or 0 for any that is free\n`,
    });
  });

  test('judges what a program was answered, and hides its key', async () => {
    const target = await startTarget();
    const directory = temporaryDirectory();
    const json = join(directory, 'watch.json');
    const { exitCode, stdout, stderr } = await runBinary(
      command(target.server.url, seedKey('free'), '0', '--json', json),
      directory,
    );
    expect(stderr).toContain(`on to ${target.server.url}. Press Ctrl-C to stop it.`);
    expect(stdout).toMatch(/^200\n200\n200\n/);
    expect(stdout).toMatch(/✓ conformant in the traffic: \d+ of \d+ MUSTs judged/);
    expect(exitCode).toBe(0);
    const report = readReport(json, 'verify');
    expect(report).toMatchObject({ kind: 'verify', traffic: { exchanges: 3, others: 0 } });
    expect(JSON.stringify(report)).not.toContain(seedKey('free'));
  });

  test.each([
    [
      'violates the specification, and its program does not fail',
      ['headers-in-one-field'],
      0,
      1,
      'header-reset',
    ],
    ['keeps it, and its program fails', [], 7, 7, 'The program failed. It exited with code 7.'],
  ])('with a service that %s', async (_what, faults, code, exitCode, said) => {
    const target = await startTarget({ alterations: faults.map(alterationOf) });
    const words = command(target.server.url, seedKey('free'), `${code}`);
    expect(await runBinary(words, temporaryDirectory())).toMatchObject({
      exitCode,
      stdout: expect.stringContaining(said),
    });
  });
});

test('a recording in which nothing went to the service is inconclusive, and the report says so', async () => {
  const directory = temporaryDirectory();
  const request = { method: 'GET', url: 'https://pets.example/api/inventory', headers: [] };
  const entry = {
    startedDateTime: '2026-11-22T10:00:00Z',
    time: 5,
    request,
    response: { status: 200, headers: [] },
  };
  writeFileSync(join(directory, 'a.har'), JSON.stringify({ log: { entries: [entry, null] } }));
  const words = ['verify', '--har', 'a.har', '--json', 'report.json'];
  const { exitCode } = await runBinary(words, directory);
  expect(exitCode).toBe(3);
  expect(readReport(join(directory, 'report.json'), 'verify')).toMatchObject({
    verdict: 'inconclusive',
    problems: [
      '--har a.har, entry 1: it is no JSON object.',
      expect.stringMatching(/^No request of the traffic went to .*https:\/\/pets\.example\/api: name/),
    ],
  });
});
