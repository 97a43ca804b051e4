import { createServer } from 'node:http';

import { callAt } from '../../fixtures/load-targets/at-time.ts';
import { answeredAt } from '../../fixtures/load-targets/stall-end.ts';
import { LIST, serveParent } from './protocol.ts';

// Stalls at the end of each period, and remembers when each request has come.
const [periodMilliseconds = 2_000, stallMilliseconds = 200] = process.argv.slice(2).map(Number);
let arrivals: number[] = [];

const server = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
  const at = performance.now();
  arrivals.push(performance.timeOrigin + at);
  callAt(answeredAt({ periodMilliseconds, stallMilliseconds }, at), () => {
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(LIST),
    });
    response.end(LIST);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  serveParent(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1/inventory`, () => {
    const told = arrivals;
    arrivals = [];
    return told;
  });
});
