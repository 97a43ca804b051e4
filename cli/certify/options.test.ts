import { expect, test } from 'vitest';

import { refusalOf } from '../refusal.test-data.ts';

test.each([
  ['', 'CMD is missing'],
  ['--driver http -- true', '--driver must be exec, jsonl or none'],
  ['--driver none -- true', '--driver none starts nothing'],
  ['--driver none --freedoms', '--freedoms runs the client many times, so it needs --driver exec or jsonl'],
  ['--only no-such -- true', '--only no-such matches no scenario'],
  ['--jobs 2 --driver none', '--jobs has no meaning with --driver none'],
  ['--herd 1 -- true', '--herd must be a whole number from 2 to 256'],
  ['--herd 4 --driver none', '--herd starts the client many times'],
  ['--config nowhere.json -- true', '--config nowhere.json'],
])('certify %s is bad usage: one line and exit code 2', async (line, message) => {
  const words = line === '' ? [] : line.split(' ');
  const { exitCode, text } = await refusalOf(['certify', '--quiet', ...words]);
  expect(exitCode).toBe(2);
  expect(text).toContain(message);
  expect(text.trim().split('\n')).toHaveLength(1);
});
