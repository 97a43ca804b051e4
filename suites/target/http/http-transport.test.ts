import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  answerOf,
  bomb,
  BROKEN_ANSWERS,
  ENDLESS_ANSWERS,
  longList,
} from '../../../fixtures/hostile-answers.test-data.ts';
import { listenForTest } from '../../../fixtures/loopback.test-data.ts';
import { createMutex } from './received-body.ts';
import {
  BODY_TOO_LARGE,
  openConnections,
  TransportError,
  type ConnectionPool,
  type TransportOptions,
  type WireRequest,
} from './http-transport.ts';

const OPTIONS: TransportOptions = {
  timeoutMilliseconds: 10_000,
  insecure: false,
  certificateAuthority: null,
};
const GET: WireRequest = { method: 'GET', path: '/v1/inventory', headers: [], body: null };

function connect(port: number, timeoutMilliseconds = OPTIONS.timeoutMilliseconds): ConnectionPool {
  const pool = openConnections(`http://127.0.0.1:${port}`, 1, { ...OPTIONS, timeoutMilliseconds });
  onTestFinished(() => pool.destroy());
  return pool;
}

/** A pool of connections to an HTTP server of Node. */
async function serve(listener: RequestListener) {
  const server = createHttpServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return connect(await listenForTest(server));
}

/** A pool of connections to a server that answers the head of each request as it likes. */
async function serveRaw(answer: (socket: Socket, head: string) => void, timeoutMilliseconds?: number) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => answer(socket, chunk.toString('latin1')));
  });
  onTestFinished(() => {
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  return connect(await listenForTest(server), timeoutMilliseconds);
}

/** What a server reads of a request, piece by piece; it answers once the last has come. */
async function piecesOf(request: WireRequest, last: string): Promise<readonly string[]> {
  const pieces: string[] = [];
  const pool = await serveRaw((socket, piece) => {
    pieces.push(piece);
    if (pieces.join('').endsWith(last)) {
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n');
    }
  });
  expect(await pool.send(request)).toMatchObject({ status: 204 });
  expect(await pool.send(request)).toMatchObject({ status: 204 });
  return pieces.slice(0, pieces.length / 2);
}

const failureOf = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => 'no failure',
    (error: unknown) => error,
  );

const transportErrorWith = (code: string | RegExp) =>
  expect.objectContaining({
    constructor: TransportError,
    code: typeof code === 'string' ? code : expect.stringMatching(code),
  });

describe('a request', () => {
  test('goes out as it was given: target, header case and order, body', async () => {
    const seen: string[] = [];
    const pool = await serveRaw((socket, head) => {
      seen.push(head);
      socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    });
    await pool.send({
      method: 'PATCH',
      path: '/v1//inventory/%31/../1?a=b&a',
      headers: [
        ['Authorization', 'Bearer k1'],
        ['X-Twice', 'one'],
        ['x-TWICE', 'two'],
      ],
      body: '{"quantity":5}',
    });
    const [head = ''] = seen;
    expect(head).toMatch(/^PATCH \/v1\/\/inventory\/%31\/\.\.\/1\?a=b&a HTTP\/1\.1\r\n/);
    expect(head).toMatch(/Authorization: Bearer k1\r\nX-Twice: one\r\nx-TWICE: two\r\n/);
    expect(head).toMatch(/content-length: 14\r\n/i);
    expect(head.endsWith('\r\n\r\n{"quantity":5}')).toBe(true);
  });

  const PATCH = { ...GET, method: 'PATCH', path: '/v1/inventory/1', body: '{"quantity":5}' };

  test('comes in several parts, if that is asked for', async () => {
    const [first, second, ...body] = await piecesOf({ ...PATCH, inParts: true }, '}');
    expect(`${first}${second}`).toMatch(/^PATCH [^~]*content-length: 14\r\n\r\n$/);
    expect(body).toEqual(['{"quant', 'ity":5}']);
  });

  test('comes in chunks, if that is asked for', async () => {
    const chunked = {
      ...PATCH,
      headers: [
        ['Transfer-Encoding', 'chunked'],
        ['Trailer', 'Server-Timing'],
      ] as const,
    };
    const text = (await piecesOf(chunked, '0\r\nServer-Timing: db;dur=2\r\n\r\n')).join('');
    expect(text).toContain('\r\nTransfer-Encoding: chunked\r\n');
    expect(text).not.toMatch(/content-length|~/i);
    expect(
      (await piecesOf({ ...PATCH, headers: [['Transfer-Encoding', 'chunked']] }, '0\r\n\r\n')).join(''),
    ).toMatch(/\r\n\r\nd\r\n\{"quantity":5\r\n1\r\n\}\r\n0\r\n\r\n$/);
    expect(text).toContain('\r\n\r\nD;part="1;2"\r\n{"quantity":5\r\n1;part="1;2"\r\n}\r\n0\r\n');
  });

  test('without a body has no Content-Length', async () => {
    const text = (await piecesOf({ ...PATCH, body: null }, '\r\n\r\n')).join('');
    expect(text).toMatch(/^PATCH \S+ HTTP\/1\.1\r\n/);
    expect(text).not.toMatch(/content-length|~/i);
  });

  test.each<[string, Partial<WireRequest>, RegExp]>([
    ['of HTTP/1.0', { isHttp10: true }, /^PATCH \S+ HTTP\/1\.0\r\n/],
    ['Expect', { headers: [['Expect', '100-continue']] }, /\r\nExpect: 100-continue\r\n/],
    ['Connection', { headers: [['Connection', 'te']] }, /^[^~]*\r\nConnection: te\r\n(?!.*connection)/s],
  ])('goes out with what undici refuses: %s', async (_what, form, pattern) => {
    expect((await piecesOf({ ...PATCH, ...form }, '}')).join('')).toMatch(pattern);
  });
});

describe('a response', () => {
  test('keeps the letter-case, order and repetition of its headers', async () => {
    const pool = await serveRaw((socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\nX-RateLimit-LIMIT: 60\r\nx-ratelimit-limit:  61  \r\nServer: x\r\nContent-Length: 2\r\n\r\n[]',
      ),
    );
    const { headers, body } = await pool.send(GET);
    expect(headers).toEqual([
      ['X-RateLimit-LIMIT', '60'],
      ['x-ratelimit-limit', '61'],
      ['Server', 'x'],
      ['Content-Length', '2'],
    ]);
    expect(body.toString()).toBe('[]');
  });

  test.each(['2 ', '  2   '])('comes whole with spaces beside its length: %j', async (length) => {
    const pool = await serveRaw((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length:${length}\r\n\r\n[]`),
    );
    for (let sent = 0; sent < 3; sent += 1) {
      expect((await pool.send(GET)).body.toString()).toBe('[]');
    }
  });

  test.each(['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 100\r\nX: y\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'])(
    'comes behind what goes on unasked: %j',
    async (interim) => {
      const bytes = `${interim}HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n["HTTP/1.1 100`;
      const pool = await serveRaw((socket) => {
        socket.setNoDelay(true);
        const next = (at: number): void => {
          socket.write(bytes.slice(at, at + 5));
          if (at + 5 < bytes.length) {
            setImmediate(() => next(at + 5));
          }
        };
        next(0);
      });
      expect((await pool.send(GET)).body.toString()).toBe('["HTTP/1.1 100');
    },
  );

  test('that came before the whole body was sent is read though the connection is closed', async () => {
    const pool = await serveRaw((socket) => {
      socket.write('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}');
      socket.resetAndDestroy();
      // Nothing is read until the next part has been written.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    });
    const sent = pool.send({ ...GET, method: 'PATCH', body: '{"quantity":5}', inParts: true });
    expect(await sent).toMatchObject({ status: 401 });
  });

  test('that is long waits for its turn, and comes whole', async () => {
    const longBodies = createMutex();
    const pools = await Promise.all(
      [1, 2, 3].map(() => serveRaw((socket) => void longList(3_000_000)(socket))),
    );
    const leave = await longBodies.acquire();
    const order: string[] = [];
    const received = pools.map(async (pool) => {
      const { longList: received } = await pool.send(GET, longBodies);
      order.push('received');
      expect(received?.bytes).toBeGreaterThan(3_000_000);
      expect(received?.list?.items.size).toBe(received?.list?.length);
    });
    await serve((_request, response) => response.end('[]')).then((pool) => pool.send(GET, longBodies));
    order.push('short one received');
    leave();
    await Promise.all(received);
    expect(order).toEqual(['short one received', 'received', 'received', 'received']);
  });

  test.each([
    ['as it is', (text: string) => Buffer.from(text), []],
    ['packed', (text: string) => gzipSync(text), ['Content-Encoding', 'gzip']],
  ] as const)('that is a long list comes with all that it holds, %s', async (_, encode, field) => {
    const pets = Array.from({ length: 60_000 }, (_pet, index) => index * 7919);
    const text = `[${pets.map((petId) => `{"petId":${petId},"quantity":${petId % 977},"status":"sold"}`).join()}]`;
    const sent = encode(text);
    const pool = await serve((_request, response) => response.writeHead(200, [...field]).end(sent));
    const { body, longList: received } = await pool.send(GET);
    expect(text.startsWith(body.toString())).toBe(true);
    expect(received?.bytes).toBe(text.length);
    expect([...(received?.list?.petIds ?? [])].map(Number)).toEqual(pets);
    expect(received?.list?.items.get(7919n)).toEqual({ petId: 7919n, quantity: 103, status: 'sold' });
  });

  test('that begins as a long list and is not JSON comes without one', async () => {
    const text = `[${'1,'.repeat(600_000)}]`;
    const pool = await serve((_request, response) => response.end(text));
    const { longList: received } = await pool.send(GET);
    expect(received).toEqual({ bytes: text.length, list: null });
  });

  test('comes with a header section of 200 KB', async () => {
    const policy = 'p'.repeat(200_000);
    const pool = await serve((_request, response) => response.setHeader('Policy', policy).end('[]'));
    expect((await pool.send(GET)).headers).toContainEqual(['Policy', policy]);
  });

  test('after an interim response is the final one', async () => {
    const pool = await serve((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.setHeader('X-Final', 'yes').end('[]');
    });
    const { status, headers, body } = await pool.send(GET);
    expect(status).toBe(200);
    expect(headers).toContainEqual(['X-Final', 'yes']);
    expect(body.toString()).toBe('[]');
  });
});

test.each([0, 30])('a 100 that nothing asked for is skipped, %d ms before the answer', async (pause) => {
  const pool = await serveRaw((socket) => {
    socket.setNoDelay(true).write('HTTP/1.1 100 Continue\r\n\r\n');
    setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]'), pause);
  });
  const [first, second] = [await pool.send(GET), await pool.send(GET)];
  expect([first.status, second.status]).toEqual([200, 200]);
});

describe('no response is a TransportError', () => {
  test.each<[why: string, answer: (socket: Socket) => unknown, code: string | RegExp, message?: string]>([
    ['the server closes the connection before it answers', (socket) => socket.end(), 'UND_ERR_SOCKET'],
    ['the server resets the connection', (socket) => socket.resetAndDestroy(), /ECONNRESET|UND_ERR_SOCKET/],
    [
      'the body ends early',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[]'),
      'BODY_CUT',
    ],
    [
      'a chunked body ends early',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n'),
      'BODY_CUT',
    ],
    ['what comes is not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), /./, 'HTTP/1.1'],
    [
      'a body of more than 64 MB is announced',
      answerOf('[]', `Content-Length: ${65 * 1024 * 1024}\r\nX-Now: `),
      BODY_TOO_LARGE,
      'is 65 MB long, more than the 64 MB',
    ],
    [
      'a body of more than 64 MB is announced, by a byte',
      answerOf('[]', `Content-Length: ${64 * 1024 * 1024 + 1}\r\nX-Now: `),
      BODY_TOO_LARGE,
      'is 64.1 MB long, more than the 64 MB',
    ],
    [
      'a body of more than 64 MB is packed',
      bomb(65, 'zstd'),
      BODY_TOO_LARGE,
      'is longer, when it is unpacked, than the 64 MB',
    ],
    ...Object.entries(BROKEN_ANSWERS).map(([how, answer]): [string, typeof answer, RegExp] => [
      `the connection is ${how}`,
      answer,
      /ECONNRESET|UND_ERR_SOCKET|BODY_CUT/,
    ]),
  ])('if %s', async (_why, answer, code, message = '') => {
    const pool = await serveRaw((socket) => void answer(socket));
    const failure = await failureOf(pool.send(GET));
    expect(failure).toEqual(transportErrorWith(code));
    expect(failure).toMatchObject({ message: expect.stringContaining(message) });
  });

  test.each<[why: string, answer: (socket: Socket) => unknown, code: string | RegExp]>([
    ['the head never comes', () => {}, 'HEAD_TIMEOUT'],
    [
      'the body stops midway',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n['),
      'BODY_TIMEOUT',
    ],
    ...Object.entries(ENDLESS_ANSWERS).map(([how, answer]): [string, typeof answer, RegExp] => [
      `the answer is ${how}`,
      answer,
      /HEAD_TIMEOUT|BODY_TIMEOUT|BODY_TOO_LARGE/,
    ]),
  ])('if %s, after the timeout', async (_why, answer, code) => {
    const pool = await serveRaw((socket) => void answer(socket), 100);
    expect(await failureOf(pool.send(GET))).toEqual(transportErrorWith(code));
  });

  test('if its header section is longer than is read', async () => {
    const pool = await serve((_request, response) =>
      response.setHeader('Policy', 'p'.repeat(300_000)).end('[]'),
    );
    const failure = await failureOf(pool.send(GET));
    expect(failure).toEqual(transportErrorWith(BODY_TOO_LARGE));
    expect(failure).toMatchObject({ message: expect.stringContaining('header section') });
  });

  test('if the connections are destroyed meanwhile, for those that wait in line too', async () => {
    const pool = await serveRaw(() => {});
    const sent = Promise.all([1, 2, 3].map(() => failureOf(pool.send(GET))));
    await pool.destroy();
    const failures = await sent;
    expect(failures).toHaveLength(3);
    for (const failure of failures) {
      expect(failure).toEqual(transportErrorWith('UND_ERR_DESTROYED'));
    }
    expect(await failureOf(pool.send(GET))).toEqual(transportErrorWith('UND_ERR_DESTROYED'));
  });

  test('if the request itself cannot be sent', async () => {
    const pool = await serveRaw(() => {});
    const sent = pool.send({ ...GET, headers: [['X-Broken', 'a\r\nb']] });
    expect(await failureOf(sent)).toEqual(transportErrorWith('UND_ERR_INVALID_ARG'));
  });
});
