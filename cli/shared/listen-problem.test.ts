import { once } from 'node:events';
import { createServer } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { refusalOf } from '../refusal.test-data.ts';

test('a port that is in use is named with its option, in one line', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? `${address.port}` : '';
  expect(await refusalOf(['serve', '--port', port])).toEqual({
    exitCode: 2,
    text: `stockcheck: --port: port ${port} is in use; choose another, or 0 for any that is free\n`,
  });
});
