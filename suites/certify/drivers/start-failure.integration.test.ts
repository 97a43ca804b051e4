import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { temporaryDirectory } from '../../../contract/temporary-directory.test-data.ts';
import { LIST_ORDER, NO_END, writeProgram } from './clients.test-data.ts';
import type { ClientCommand } from './environment.ts';
import { createExecDriver } from './exec.ts';

async function failureOf(client: ClientCommand): Promise<string> {
  const failure: unknown = await createExecDriver(client)
    .perform(LIST_ORDER, NO_END)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConfigurationError);
  return failure instanceof Error ? failure.message : '';
}
const start = (...command: readonly string[]): ClientCommand => ({
  command,
  environment: { PATH: process.env['PATH'] },
});

test('a client that cannot be started is named: no program', async () => {
  expect(() => createExecDriver(start())).toThrow(ConfigurationError);
  expect(() => createExecDriver(start(''))).toThrow(ConfigurationError);
  expect(await failureOf(start('no-such-client', 'x'))).toBe(
    'The client cannot be started: no-such-client: no such program was found',
  );
  expect(await failureOf(start('no-such-client --fast'))).toContain('separate words');
  expect(await failureOf(start('./no-such-client'))).toContain('there is no such file');
});

test('a client that cannot be started is named: a file that is no program', async () => {
  const file = writeProgram('#!/bin/sh\n', 0o644);
  expect(await failureOf(start(file))).toBe(
    `The client cannot be started: ${file}: it may not be executed (is it marked as executable?)`,
  );
  expect(await failureOf(start(temporaryDirectory()))).toContain('this is a directory');
  expect(await failureOf(start(writeProgram('#!/no/such/interpreter\n', 0o755)))).toContain(
    'the interpreter that its first line names was not found',
  );
  expect(await failureOf(start('sh', 'nul\0byte'))).toContain('sh: ');
});

test('a client that cannot be started is named: no directory', async () => {
  const directory = join(temporaryDirectory(), 'missing');
  expect(await failureOf({ ...start('sh'), directory })).toBe(
    `The working directory ${directory} of the client does not exist`,
  );
});
