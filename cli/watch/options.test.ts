import { expect, test } from 'vitest';

import { refusalOf } from '../refusal.test-data.ts';

const UPSTREAM = ['--upstream', 'http://127.0.0.1:1/v1'];

test.each([
  [[], '--upstream is missing'],
  [['--upstream', 'ftp://a'], '--upstream'],
  [[...UPSTREAM, '--for', 'soon'], '--for must be a time such as 90s'],
  [[...UPSTREAM, '--sample', '0'], '--sample must be above 0'],
])('watch %j is refused', async (words, message) => {
  const { exitCode, text } = await refusalOf(['watch', ...words]);
  expect([exitCode, text]).toEqual([2, expect.stringContaining(message)]);
});
