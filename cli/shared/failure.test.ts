import { createServer } from 'node:net';

import { expect, test } from 'vitest';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import { describeFailure } from './failure.ts';
import { InconclusiveError } from '../../contract/inconclusive-error.ts';
import { listenForTest } from '../../fixtures/loopback.test-data.ts';
import { refusalOf } from '../refusal.test-data.ts';

test('bad usage is exit code 2, one line for each problem and no stack trace', () => {
  expect(describeFailure(new ConfigurationError('a is wrong\nb is wrong'), { DEBUG: 'stockcheck' })).toEqual({
    text: 'stockcheck: a is wrong\nstockcheck: b is wrong\n',
    exitCode: 2,
  });
});

test('anything else is exit code 3 and no stack trace', () => {
  const { text, exitCode } = describeFailure(new TypeError('boom'), { DEBUG: 'other' });
  expect(exitCode).toBe(3);
  expect(text).toMatch(/^stockcheck: unexpected error: boom\nstockcheck: .*DEBUG=stockcheck/);
  expect(text).not.toContain('    at ');
});

test('an image that cannot be judged is exit code 3, and no fault of stockcheck', () => {
  expect(describeFailure(new InconclusiveError('it exited\nIts last lines:'), {})).toEqual({
    text: 'stockcheck: it exited\nstockcheck: Its last lines:\n',
    exitCode: 3,
  });
});

test('too many open files is reported with what to do about it', () => {
  const error = Object.assign(new Error('EMFILE: too many open files, open x'), { code: 'EMFILE' });
  expect(describeFailure(error, {})).toMatchObject({ exitCode: 3 });
  expect(describeFailure(error, {}).text).toMatch(/ulimit -n.*--jobs/);
});

test.each(['EACCES', 'EROFS', 'ENOSPC', 'EDQUOT', 'EFBIG'])(
  'what the system refuses with %s is no fault of stockcheck',
  (code) => {
    const error = Object.assign(new Error(`${code}: refused, write '/some/file'`), { code });
    const { text, exitCode } = describeFailure(error, {});
    expect(exitCode).toBe(3);
    expect(text).toContain(`the system refuses it: ${error.message}`);
    expect(text).not.toContain('fault of stockcheck');
  },
);

test('DEBUG=stockcheck shows the stack trace', () => {
  expect(describeFailure(new TypeError('boom'), { DEBUG: 'other,stockcheck' }).text).toContain('    at ');
});

test('what was thrown need not be an Error', () => {
  expect(describeFailure('boom', {}).text).toContain('unexpected error: boom');
});

test.each([
  ['--port', 'serve --control-port 0 --port'],
  ['--control-port', 'serve --port 0 --control-port'],
])('a %s that is in use is named in one line: %s', async (option, line) => {
  const port = await listenForTest(createServer());
  expect(await refusalOf([...line.split(' '), `${port}`])).toEqual({
    exitCode: 2,
    text: `stockcheck: ${option}: port ${port} is in use; choose another, or 0 for any that is free\n`,
  });
});
