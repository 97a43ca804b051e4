import { createServer } from 'node:http';

import { BENCH_LIST, PER_MINUTE, serveParent } from './protocol.ts';

const RESET = `${Math.ceil(Date.now() / 1_000) + 60}`;
const LENGTH = `${Buffer.byteLength(BENCH_LIST)}`;

// As the bare server, but Remaining falls with each request of a key, so that there is something to judge.
const used = new Map<string, number>();
const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const { authorization = '' } = request.headers;
  const count = (used.get(authorization) ?? 0) + 1;
  used.set(authorization, count);
  response.writeHead(200, [
    'Content-Type',
    'application/json',
    'Content-Length',
    LENGTH,
    'X-RateLimit-Limit',
    `${PER_MINUTE}`,
    'X-RateLimit-Remaining',
    `${PER_MINUTE - count}`,
    'X-RateLimit-Reset',
    RESET,
  ]);
  response.end(BENCH_LIST);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  serveParent(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1/inventory`);
});
