import { createServer } from 'node:http';

import { BENCH_LIST, PER_MINUTE, serveParent } from './protocol.ts';

// Node adds Date, Connection and Keep-Alive, so that head and body are those of the reference server.
const headers = [
  'Content-Type',
  'application/json',
  'Content-Length',
  `${Buffer.byteLength(BENCH_LIST)}`,
  'X-RateLimit-Limit',
  `${PER_MINUTE}`,
  'X-RateLimit-Remaining',
  `${PER_MINUTE - 1}`,
  'X-RateLimit-Reset',
  `${Math.ceil(Date.now() / 1_000) + 60}`,
];

const server = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
  response.writeHead(200, headers);
  response.end(BENCH_LIST);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  serveParent(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1/inventory`);
});
