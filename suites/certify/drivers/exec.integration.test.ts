import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { temporaryDirectory } from '../../../contract/temporary-directory.test-data.ts';
import {
  ORDERED_KEY,
  BASE_URL,
  closedAfterTest,
  isRunning,
  lineOf,
  LIST_ORDER,
  NO_END,
  nodeClient,
  shellClient,
  UPDATE_ORDER,
  valueOf,
  writeProgram,
} from './clients.test-data.ts';
import { CLIENT_TIME_ZONE, type ClientCommand, type ClientOrder, type ClientOutcome } from './driver.ts';
import { createExecDriver } from './exec.ts';

const OK = `{"ok":true,"value":"done"}`;
const DONE: unknown = { ok: true, value: 'done' };

function perform(client: ClientCommand, order: ClientOrder = LIST_ORDER): Promise<ClientOutcome> {
  return closedAfterTest(createExecDriver(client)).perform(order, NO_END);
}

async function endWhenReady(script: (file: string) => ClientCommand) {
  const file = join(temporaryDirectory(), 'pids');
  const driver = closedAfterTest(createExecDriver(script(file)));
  const end = new AbortController();
  const performing = driver.perform(LIST_ORDER, end.signal);
  const pids = (await lineOf(file)).split(' ').map(Number);
  expect(pids.every(isRunning)).toBe(true);
  end.abort();
  return { outcome: await performing, pids };
}

describe('the order', () => {
  const REPORT = `
    const told = Object.entries(process.env).filter(([name]) => name.startsWith('STOCKCHECK_'));
    console.log(JSON.stringify({ ok: true, value: Object.fromEntries(told) }));`;
  const stale = {
    STOCKCHECK_BASE_URL: 'stale',
    STOCKCHECK_API_KEY: 'stale',
    STOCKCHECK_OPERATION: 'stale',
    STOCKCHECK_PET_ID: 'stale',
    STOCKCHECK_QUANTITY: 'stale',
    STOCKCHECK_OTHER: 'kept',
  };

  test("comes in a time zone that is not the parent's", async () => {
    const client = nodeClient(`console.log(JSON.stringify({ ok: true, value: process.env.TZ }))`);
    const outcome = await perform({ ...client, environment: { ...client.environment, TZ: 'UTC' } });
    expect(valueOf(outcome)).toBe(CLIENT_TIME_ZONE);
  });

  test.each<[string, ClientOrder, Record<string, string>]>([
    ['a list', LIST_ORDER, { STOCKCHECK_OPERATION: 'listInventory' }],
    [
      'an update, with all digits',
      UPDATE_ORDER,
      {
        STOCKCHECK_OPERATION: 'updateInventory',
        STOCKCHECK_PET_ID: '9007199254740993',
        STOCKCHECK_QUANTITY: '7',
      },
    ],
  ])(
    'of %s stands in the environment, without what the parent holds of another',
    async (_what, order, told) => {
      const client = nodeClient(REPORT);
      const environment = { ...client.environment, ...stale };
      expect(valueOf(await perform({ ...client, environment }, order))).toEqual({
        STOCKCHECK_BASE_URL: BASE_URL,
        STOCKCHECK_API_KEY: ORDERED_KEY,
        STOCKCHECK_OTHER: 'kept',
        ...told,
      });
    },
  );

  test('comes with the arguments as they are, and with an empty stdin', async () => {
    const client = nodeClient(
      `const stdin = require('node:fs').readFileSync(0, 'utf8');
      console.log(JSON.stringify({ ok: true, value: [process.argv.slice(1), stdin] }));`,
      '$HOME `id` "x"',
      '*',
    );
    expect(valueOf(await perform(client))).toEqual([['$HOME `id` "x"', '*'], '']);
  });
});

describe('the reply', () => {
  test.each([
    ['needs no newline at its end', shellClient(`printf %s '${OK}'`)],
    ['is heard from a child after the program has ended', shellClient(`(echo '${OK}') & exit 0`)],
  ])('%s', async (_what, client) => {
    expect(await perform(client)).toMatchObject({ kind: 'replied', reply: DONE });
  });

  test('is the last line of stdout that is not blank', async () => {
    const outcome = await perform(
      shellClient(`echo loading; echo '{"ok":false}'; echo '${OK}'; echo '  '; echo; echo warned >&2`),
    );
    expect(outcome).toEqual({
      kind: 'replied',
      reply: DONE,
      output: `--- stdout\nloading\n{"ok":false}\n${OK}\n  \n\n--- stderr\nwarned\n`,
    });
  });

  test('is cut off each time if the program exits before stdout has taken it', async () => {
    const client = nodeClient(`
      process.stdout.write(JSON.stringify({ ok: true, value: 'x'.repeat(450_000) }) + '\\n');
      process.exit();`);
    for (let time = 0; time < 5; time += 1) {
      expect(await perform(client)).toMatchObject({
        kind: 'broken',
        problem: expect.stringMatching(
          /^stdout was cut off at byte \d{2,3},\d{3}, in the middle of its last line: [{]"ok"/,
        ),
      });
    }
  });

  test('may be cut off before its last line has begun', async () => {
    const client = nodeClient(`
      process.stdout.write('x'.repeat(450_000) + '\\n');
      process.stdout.write('${OK}\\n');
      process.exit();`);
    expect(await perform(client)).toMatchObject({
      kind: 'broken',
      problem: expect.stringMatching(
        / stdout ended at byte \d{2,3},\d{3}, within a line\. If more was written/,
      ),
    });
  });

  test.each([
    ['exit code 3', shellClient(`echo '${OK}'; exit 3`), 'It exited with code 3.'],
    ['a signal', shellClient('kill -SEGV $$'), 'It was ended by SIGSEGV.'],
    ['silence', shellClient('exit 0'), 'It exited with code 0 and wrote nothing to stdout.'],
    [
      'another last line',
      shellClient(`echo '${OK}'; echo "$STOCKCHECK_API_KEY"`),
      'The last line of stdout is no JSON object on one line: "[key]".',
    ],
  ])('is missing after %s', async (_what, client, problem) => {
    expect(await perform(client)).toMatchObject({ kind: 'broken', problem });
  });
});

test.each([
  ['hold stdout open', `sleep 600 & echo "{\\"ok\\":true,\\"value\\":$!}"`],
  [
    'ignore SIGTERM',
    `(trap '' TERM; sleep 600; sleep 600) >/dev/null 2>&1 & echo "{\\"ok\\":true,\\"value\\":$!}"`,
  ],
])('children that are left behind are ended, though they %s', async (_what, script) => {
  const outcome = await perform(shellClient(script));
  expect(isRunning(Number(valueOf(outcome)))).toBe(false);
});

test('a child in a session of its own is ended with the driver', async () => {
  const file = join(temporaryDirectory(), 'pid');
  const driver = createExecDriver(
    // Before it has a session of its own, it would end with the group of the shell.
    shellClient(
      `setsid sh -c 'echo $$ > ${file}; exec sleep 60' >/dev/null 2>&1 & until [ -s ${file} ]; do sleep 0.01; done; echo '${OK}'`,
    ),
  );
  expect(valueOf(await driver.perform(LIST_ORDER, NO_END))).toBe('done');
  const pid = Number(await lineOf(file));
  await driver.close();
  expect(isRunning(pid)).toBe(false);
});

describe('the end', () => {
  test.each([
    ['the program and its children', 'echo waiting; sleep 600 & echo "$$ $!" > "$1"; wait'],
    ['those that ignore SIGTERM', `trap '' TERM; echo waiting; sleep 600 & echo "$$ $!" > "$1"; wait`],
    [
      'children in a process group of their own',
      `echo waiting; timeout 600 sh -c 'echo "$PPID $$" > "$1"; sleep 600; true' sh "$1"; true`,
    ],
    [
      'a program that has closed stdout and goes on',
      `echo waiting; exec >&- 2>&-; echo "$$" > "$1"; sleep 600; true`,
    ],
  ])('takes %s', async (_what, script) => {
    const { outcome, pids } = await endWhenReady((file) => shellClient(script, file));
    expect(outcome).toEqual({ kind: 'ended', output: '--- stdout\nwaiting\n' });
    expect(pids.filter(isRunning)).toEqual([]);
  });

  test('comes to a program that writes without one', async () => {
    expect(
      await perform(nodeClient("for (;;) require('fs').writeSync(1, '\\n'.repeat(65_536));")),
    ).toMatchObject({
      kind: 'broken',
      problem: expect.stringMatching(/^It wrote to stdout without an end \([\d,]+ bytes\)/),
    });
  });

  test('leaves a program time to clear away, and is told though it replies then', async () => {
    const { outcome } = await endWhenReady((file) =>
      nodeClient(
        `process.on('SIGTERM', () => { console.log('${OK}'); process.exit(0); });
        setInterval(() => {}, 1_000);
        require('node:fs').writeFileSync(process.argv[1], process.pid + '\\n');`,
        file,
      ),
    );
    expect(outcome).toEqual({ kind: 'ended', output: `--- stdout\n${OK}\n`, replied: true });
  });

  test('that came before the start starts nothing', async () => {
    const file = join(temporaryDirectory(), 'pids');
    const driver = createExecDriver(shellClient('echo $$ > "$1"', file));
    expect(await driver.perform(LIST_ORDER, AbortSignal.abort())).toEqual({ kind: 'ended', output: '' });
    expect(await driver.perform(LIST_ORDER, NO_END)).toMatchObject({ kind: 'broken' });
  });

  test('comes to all with close, and nothing is started after it', async () => {
    const directory = temporaryDirectory();
    const driver = createExecDriver(
      shellClient('sleep 600 & echo "$$ $!" > "$1/$STOCKCHECK_API_KEY"; wait', directory),
    );
    const keys = ['a', 'b', 'c'];
    const performing = keys.map((apiKey) => driver.perform({ ...LIST_ORDER, apiKey }, NO_END));
    const lines = await Promise.all(keys.map((key) => lineOf(join(directory, key))));
    await driver.close();
    const pids = lines.flatMap((line) => line.split(' ').map(Number));
    expect(pids.filter(isRunning)).toEqual([]);
    expect((await Promise.all(performing)).map(({ kind }) => kind)).toEqual(['ended', 'ended', 'ended']);
    expect(await driver.perform(LIST_ORDER, NO_END)).toEqual({ kind: 'ended', output: '' });
  });
});

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
