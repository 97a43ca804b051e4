import { createServer } from 'node:http';

import { BENCH_LIST, PER_MINUTE, serveParent } from './protocol.ts';

const LENGTH = `${Buffer.byteLength(BENCH_LIST)}`;

// Node adds Date, Connection and Keep-Alive, so that head and body are those of the reference server.
const headersAfter = (used: number, reset = inAMinute()): string[] => [
  'Content-Type',
  'application/json',
  'Content-Length',
  LENGTH,
  'X-RateLimit-Limit',
  `${PER_MINUTE}`,
  'X-RateLimit-Remaining',
  `${PER_MINUTE - used}`,
  'X-RateLimit-Reset',
  reset,
];

// With `counting` Remaining falls with each request of a key, so that there is something to judge.
const isCounting = process.argv.includes('counting');
const constant = headersAfter(1);
const minutes = new Map<string, { used: number; readonly reset: string }>();

function headersFor(authorization: string): string[] {
  const minute = minutes.get(authorization) ?? { used: 0, reset: inAMinute() };
  minutes.set(authorization, minute);
  minute.used += 1;
  return headersAfter(minute.used, minute.reset);
}

function inAMinute(): string {
  return `${Math.ceil(Date.now() / 1_000) + 60}`;
}

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  response.writeHead(200, isCounting ? headersFor(request.headers.authorization ?? '') : constant);
  response.end(BENCH_LIST);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  serveParent(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1/inventory`);
});
