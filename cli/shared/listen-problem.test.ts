import { once } from 'node:events';
import { createServer } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { refusalOf } from '../refusal.test-data.ts';

test.each([
  ['--port', ['serve', '--port']],
  ['--port', ['watch', '--upstream', 'http://127.0.0.1:1/v1', '--port']],
])('%s of %j that is in use is named, in one line', async (option, words) => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? `${address.port}` : '';
  expect(await refusalOf([...words, port])).toEqual({
    exitCode: 2,
    text: `stockcheck: ${option}: port ${port} is in use; choose another, or 0 for any that is free\n`,
  });
});
