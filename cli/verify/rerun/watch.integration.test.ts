import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { representation, type Alteration } from '../../../reference-server/index.ts';
import { startHttpServer } from '../../../fixtures/loopback.test-data.ts';
import { startBinaryWithInput, temporaryDirectory } from '../../run-binary.test-data.ts';
import { startTarget, writeJson } from '../run.test-data.ts';
import { untilAnswering } from './until-answering.ts';
import { watchFiles } from './watch-files.ts';

const WAITING = 'Waiting for a change.';

/** The error objects have no code for as long as `isBroken` says so. */
function brokenWhile(isBroken: () => boolean): Alteration {
  return {
    parts: () => ({
      representation: {
        ...representation,
        error: (body) =>
          isBroken()
            ? JSON.stringify({ message: body.message, status: body.status })
            : representation.error(body),
      },
    }),
  };
}

test('--watch runs again when a file changes and on Enter, shows what changed, and q ends it', async () => {
  let isBroken = true;
  const { description } = await startTarget({ alterations: [brokenWhile(() => isBroken)] });
  const directory = temporaryDirectory();
  writeJson(directory, 'config.json', description);
  mkdirSync(join(directory, 'src'));
  const words = ['verify', '--config', 'config.json', '--profile', 'safe', '--only', 'errors', '--watch'];
  const child = startBinaryWithInput([...words, '--report', 'report'], directory);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let shown = '';
  let told = '';
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
  /** What is shown of the next run. */
  const nextRun = async (): Promise<string> => {
    while (!told.includes(WAITING)) {
      await delay(20);
    }
    const text = shown;
    shown = '';
    told = told.slice(told.indexOf(WAITING) + WAITING.length);
    return text;
  };

  const first = await nextRun();
  expect(first).toMatch(/^✗ nonconformant in profile safe: 1 of \d+ MUSTs failed/);
  isBroken = false;
  writeFileSync(join(directory, 'src', 'service.js'), '');
  const second = await nextRun();
  expect(second).toMatch(/^✓ conformant .*\n {2}1 fixed\n {2}✓ error-code \(must\)\n/);
  child.stdin.write('\n');
  expect(await nextRun()).toMatch(/^✓ conformant .*\n {2}nothing changed\n/);
  isBroken = true;
  writeFileSync(join(directory, 'src', 'service.js'), '1');
  const fourth = await nextRun();
  expect(fourth).toMatch(/^✗ nonconformant .*\n {2}1 new\n {2}✗ error-code \(must; /);
  expect(fourth).toContain('repeat: ');
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.write('q');
  expect(await ended).toBe(1);
});

test('a service that answers only later is waited for', async () => {
  let isUp = false;
  const url = await startHttpServer((request, response) => {
    if (isUp) {
      response.writeHead(401).end();
    } else {
      request.socket.destroy();
    }
  });
  const transport = { timeoutMilliseconds: 10_000, insecure: false, certificateAuthority: null };
  let waits = 0;
  const onWait = (): void => {
    waits += 1;
    isUp = true;
  };
  await untilAnswering(url, transport, { signal: new AbortController().signal, onWait });
  expect(waits).toBe(1);
});

test('what changes in a watched folder is told, and what is ignored is not', async () => {
  const directory = temporaryDirectory();
  const inside = (...names: readonly string[]): string => join(directory, ...names);
  for (const name of ['src', 'node_modules', '.git', 'report']) {
    mkdirSync(inside(name));
  }
  writeFileSync(inside('alone.txt'), '');
  const changed: string[] = [];
  const all = watchFiles({ paths: [directory], written: [inside('report')] }, (path) => changed.push(path));
  const one: string[] = [];
  const stopOne = watchFiles({ paths: [inside('alone.txt')], written: [] }, (path) => one.push(path));
  onTestFinished(() => {
    all();
    stopOne();
  });
  const seen = async (path: string): Promise<void> => {
    while (!changed.includes(path)) {
      await delay(5);
    }
  };
  for (const name of ['node_modules', '.git', 'report']) {
    writeFileSync(inside(name, 'file'), '');
  }
  writeFileSync(inside('src', 'draft.ts~'), '');
  mkdirSync(inside('src', 'new'));
  await seen(inside('src', 'new'));
  writeFileSync(inside('src', 'new', 'file.ts'), '');
  await seen(inside('src', 'new', 'file.ts'));
  rmSync(inside('src', 'new'), { recursive: true });
  writeFileSync(inside('alone.txt'), 'changed');
  await seen(inside('alone.txt'));
  expect(changed.filter((path) => /node_modules|\.git|report|~$/.test(path))).toEqual([]);
  expect(new Set(one)).toEqual(new Set([inside('alone.txt')]));
});
