import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

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
} from './clients.test-data.ts';
import type { ClientDriver, ClientOrder } from './driver.ts';
import { createJsonlDriver } from './jsonl.ts';

/** Runs `handle(request)` for each line of stdin; `reply(id, value)` writes a reply. */
function jsonlDriver(handle: string, ...words: readonly string[]): ClientDriver {
  const client = nodeClient(
    `const { writeFileSync } = require('node:fs');
    const write = (line) => process.stdout.write(line + '\\n');
    const reply = (id, value) => write(JSON.stringify({ id, ok: true, value }));
    const held = [];
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const request = JSON.parse(line);
      ${handle}
    });`,
    ...words,
  );
  return closedAfterTest(createJsonlDriver(client));
}

const orders = (count: number): ClientOrder[] =>
  Array.from({ length: count }, (_, index) => ({ ...LIST_ORDER, id: `order-${index}` }));

const performAll = (driver: ClientDriver, count: number, end: AbortSignal = NO_END) =>
  Promise.all(orders(count).map((order) => driver.perform(order, end)));

describe('requests and replies', () => {
  test('hold the order, the petId with every digit', async () => {
    const driver = jsonlDriver('reply(request.id, request);');
    expect(valueOf(await driver.perform(LIST_ORDER, NO_END))).toEqual({
      id: 'list',
      baseUrl: BASE_URL,
      apiKey: ORDERED_KEY,
      operation: 'listInventory',
    });
    expect(valueOf(await driver.perform(UPDATE_ORDER, NO_END))).toEqual({
      id: 'update',
      baseUrl: BASE_URL,
      apiKey: ORDERED_KEY,
      operation: 'updateInventory',
      petId: '9007199254740993',
      quantity: 7,
    });
  });

  test('go side by side through one process, in any order', async () => {
    const driver = jsonlDriver(`
      held.push(request.id);
      if (held.length === 5) for (const id of held.toReversed()) reply(id, [id, process.pid]);`);
    const values = (await performAll(driver, 5)).map(valueOf);
    expect(values).toEqual(orders(5).map(({ id }) => [id, expect.any(Number)]));
    expect(new Set(values.map((value) => (Array.isArray(value) ? value[1] : null))).size).toBe(1);
  });

  test('keep their ids apart if a scenario comes twice', async () => {
    const driver = jsonlDriver('reply(request.id, request.id);');
    const values = await Promise.all([1, 2, 3].map(() => driver.perform(LIST_ORDER, NO_END)));
    expect(values.map(valueOf)).toEqual(['list', 'list-2', 'list-3']);
  });

  test('may stand among other lines, which are kept without the key', async () => {
    const driver = jsonlDriver(`
      write('starting'); write('{"level":"info"}'); write('{broken'); write('[1]'); write('');
      write('key ' + request.apiKey); write(JSON.stringify({ id: 'nobody', note: 1 }));
      reply(request.id, 1);`);
    expect(await driver.perform(LIST_ORDER, NO_END)).toEqual({
      kind: 'replied',
      reply: { ok: true, value: 1 },
      output:
        '--- stdout\nstarting\n{"level":"info"}\n{broken\n[1]\n\nkey [key]\n{"id":"nobody","note":1}\n{"id":"list","ok":true,"value":1}\n',
    });
  });

  test('are garbled if they begin as objects do, and none was right yet', async () => {
    const driver = jsonlDriver(
      `if (held.push(request) > 1) reply(request.id, 1); else write("{'id': 'list', 'ok': True}");`,
    );
    const ending = new AbortController();
    const first = driver.perform(LIST_ORDER, ending.signal);
    await expect.poll(() => driver.garbles(), { timeout: 20_000 }).toBe(true);
    expect(valueOf(await driver.perform(UPDATE_ORDER, NO_END))).toBe(1);
    expect(driver.garbles()).toBe(false);
    ending.abort();
    expect(await first).toMatchObject({ kind: 'ended' });
  });

  test('come once for each order, so that a second line is a mistake', async () => {
    const driver = jsonlDriver('reply(request.id, 1); reply(request.id, 2);');
    expect(await driver.perform(LIST_ORDER, NO_END)).toMatchObject({
      kind: 'broken',
      problem: 'It wrote a second reply line with the id list.',
    });
  });

  test('show in their output no replies to others', async () => {
    const driver = jsonlDriver(`
      held.push(request.id);
      if (held.length === 2) { write('noise'); for (const id of held) reply(id, id); }`);
    const outcomes = await performAll(driver, 2);
    expect(outcomes).toMatchObject([
      { output: '--- stdout\nnoise\n{"id":"order-0","ok":true,"value":"order-0"}\n' },
      { output: '--- stdout\nnoise\n{"id":"order-1","ok":true,"value":"order-1"}\n' },
    ]);
  });

  test.each([
    ['{ ok: true, value: 1 }', 'In the reply line id is missing.'],
    ['{ id: 1, ok: true }', 'In the reply line id is not the string of the request, list.'],
    ['{ id: "x", ok: true }', 'In the reply line id is not that of the request, list: x.'],
    ['{ id: "list", ok: false }', 'In the reply line error is missing.'],
  ])('are broken if the only order gets %s', async (reply, problem) => {
    const driver = jsonlDriver(`write(JSON.stringify(${reply}));`);
    expect(await driver.perform(LIST_ORDER, NO_END)).toMatchObject({ kind: 'broken', problem });
  });
});

describe('replies with the id of no order', () => {
  test.each([
    ["'x'", 'In the reply line id is not that of an open request: x.'],
    ['1', 'In the reply line id is not the string of an open request.'],
  ])('such as %s break all orders, once there are as many', async (id, problem) => {
    const driver = jsonlDriver(`
      held.push(request.id);
      if (held.length === 3) for (const _ of held) write(JSON.stringify({ id: ${id}, ok: true, value: 1 }));`);
    const outcomes = await performAll(driver, 3);
    expect(outcomes).toMatchObject([
      { kind: 'broken', problem },
      { kind: 'broken', problem },
      { kind: 'broken', problem },
    ]);
  });

  test('are what is told of an order that is given up', async () => {
    const end = new AbortController();
    const driver = jsonlDriver(`
      held.push(request.id);
      if (held.length === 2) {
        write(JSON.stringify({ id: 'x', ok: true, value: 1 }));
        reply('update', 2);
      }`);
    const given = driver.perform(LIST_ORDER, end.signal);
    await driver.perform(UPDATE_ORDER, NO_END);
    end.abort();
    expect(await given).toMatchObject({
      kind: 'broken',
      problem: 'No reply to the request list came. In the reply line id is not that of an open request: x.',
    });
  });
});

describe('a process that exits', () => {
  test('breaks what was outstanding, and is started again', async () => {
    const driver = jsonlDriver(`
      if (request.id === 'order-0') reply(request.id, process.pid);
      if (request.id === 'order-2') { console.error('crashed'); process.exitCode = 3; process.stdin.destroy(); }
      if (request.id === 'list') reply(request.id, process.pid);`);
    const [first, second, third] = await performAll(driver, 3);
    expect(first).toMatchObject({ kind: 'replied' });
    const problem = 'It exited with code 3 while 2 requests were outstanding; on stderr it wrote: crashed.';
    expect(second).toMatchObject({ kind: 'broken', problem });
    expect(third).toMatchObject({
      kind: 'broken',
      problem,
      output: '--- stderr\ncrashed\n',
    });
    const again = await driver.perform(LIST_ORDER, NO_END);
    expect(again).toMatchObject({ kind: 'replied' });
    expect(valueOf(again)).not.toBe(first === undefined ? undefined : valueOf(first));
  });

  test.each([
    ['exit 0', 'It exited with code 0 before it replied.'],
    ['read line; kill -KILL $$', 'It was ended by SIGKILL before it replied.'],
  ])('is named: %s', async (script, problem) => {
    const driver = closedAfterTest(createJsonlDriver(shellClient(script)));
    expect(await driver.perform(LIST_ORDER, NO_END)).toMatchObject({ kind: 'broken', problem });
  });

  test('is heard to its last line, which needs no newline', async () => {
    const driver = jsonlDriver(`
      process.stdout.write(JSON.stringify({ id: request.id, ok: true, value: 1 }), () => process.exit(0));`);
    expect(valueOf(await driver.perform(LIST_ORDER, NO_END))).toBe(1);
  });
});

test('a process that closes stdin and goes on breaks the order that does not reach it', async () => {
  const driver = closedAfterTest(
    createJsonlDriver(
      shellClient(`read line; exec <&-; echo '{"id":"list","ok":true,"value":1}'; sleep 600 <&-; true`),
    ),
  );
  expect(valueOf(await driver.perform(LIST_ORDER, NO_END))).toBe(1);
  expect(await driver.perform(UPDATE_ORDER, NO_END)).toMatchObject({
    kind: 'broken',
    problem: 'It closed its stdin, so that no further order reached it.',
  });
});

describe('the end', () => {
  test('of the only order ends the process, and the next starts another', async () => {
    const file = join(temporaryDirectory(), 'pid');
    const driver = jsonlDriver(
      `if (request.operation === 'listInventory') writeFileSync(process.argv[1], process.pid + '\\n');
      else reply(request.id, process.pid);`,
      file,
    );
    const end = new AbortController();
    const performing = driver.perform(LIST_ORDER, end.signal);
    const pid = Number(await lineOf(file));
    end.abort();
    expect(await performing).toEqual({ kind: 'ended', output: '', mute: true });
    expect(isRunning(pid)).toBe(false);
    const next = valueOf(await driver.perform(UPDATE_ORDER, NO_END));
    expect(next).toEqual(expect.any(Number));
    expect(next).not.toBe(pid);
  });

  test('of one of several leaves the others, and the process goes when they are done', async () => {
    const directory = temporaryDirectory();
    const driver = jsonlDriver(
      `held.push(request.id);
      if (held.length === 2 && held.includes('order-0')) {
        writeFileSync(process.argv[1] + '/pid', process.pid + '\\n');
        process.on('SIGUSR2', () => { reply('order-0', 'late'); reply('order-1', process.pid); });
      } else if (request.id === 'list') reply(request.id, process.pid);`,
      directory,
    );
    const end = new AbortController();
    const [hanging = LIST_ORDER, other = LIST_ORDER] = orders(2);
    const ending = driver.perform(hanging, end.signal);
    const going = driver.perform(other, NO_END);
    const pid = Number(await lineOf(join(directory, 'pid')));
    end.abort();
    expect(await ending).toMatchObject({ kind: 'ended' });
    expect(isRunning(pid)).toBe(true);
    const next = valueOf(await driver.perform(LIST_ORDER, NO_END));
    expect(next).not.toBe(pid);
    process.kill(pid, 'SIGUSR2');
    expect(valueOf(await going)).toBe(pid);
    await driver.close();
    expect([pid, Number(next)].filter(isRunning)).toEqual([]);
  });

  test('comes to all with close, children too, and nothing is started after it', async () => {
    const file = join(temporaryDirectory(), 'pids');
    const driver = createJsonlDriver(
      shellClient(`trap '' TERM; read line; read line; sleep 600 & echo "$$ $!" > "$1"; wait`, file),
    );
    const performing = performAll(driver, 2);
    const pids = (await lineOf(file)).split(' ').map(Number);
    await driver.close();
    expect(pids.filter(isRunning)).toEqual([]);
    expect((await performing).map(({ kind }) => kind)).toEqual(['ended', 'ended']);
    expect(await driver.perform(LIST_ORDER, NO_END)).toEqual({ kind: 'ended', output: '' });
  });

  test('lets an idle process clear away when its stdin closes', async () => {
    const file = join(temporaryDirectory(), 'farewell');
    const driver = jsonlDriver(
      `reply(request.id, process.pid);
      process.stdin.once('end', () => writeFileSync(process.argv[1], 'bye\\n'));`,
      file,
    );
    const pid = valueOf(await driver.perform(LIST_ORDER, NO_END));
    await driver.close();
    expect(isRunning(Number(pid))).toBe(false);
    expect(await lineOf(file)).toBe('bye');
  });
});
