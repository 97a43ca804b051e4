import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import type { InventoryItem } from '../contract/inventory.ts';
import { startHelper, type HelperProcess } from './helper-process.test-data.ts';
import { openJournal, stateDirectory } from './journal.ts';

const TARGET = 'http://127.0.0.1:8080/v1';

const item = (petId: bigint, quantity = 5): InventoryItem => ({ petId, quantity, status: 'available' });

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'stockcheck-journal-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const files = () => readdirSync(join(directory, 'journal'));

/** Another run that has noted pets and lives until it is killed. */
async function anotherRun(petIds: readonly bigint[], target = TARGET, whole = false): Promise<HelperProcess> {
  const run = await startHelper(
    './journal.ts',
    { target, directory, whole, petIds: petIds.map(String) },
    `const journal = module.openJournal(input.target, input.directory);
     const items = input.petIds.map((petId) => ({ petId: BigInt(petId), quantity: 7, status: 'sold' }));
     journal.note(items, input.whole);`,
  );
  onTestFinished(() => run.kill());
  return run;
}

describe('a journal', () => {
  test('leaves nothing behind where all that was noted is settled', () => {
    const journal = openJournal(TARGET, directory);
    journal.note([item(1n), item(2n)]);
    journal.settle([1n]);
    journal.settle([2n]);
    journal.close();
    expect(files()).toEqual([]);
  });

  test('stays where something is not settled', () => {
    const journal = openJournal(TARGET, directory);
    journal.note([item(1n), item(2n)]);
    journal.settle([1n]);
    journal.close();
    expect(files()).toHaveLength(1);
  });

  test('that noted nothing leaves nothing behind', () => {
    openJournal(TARGET, directory).close();
    expect(files()).toEqual([]);
  });

  test('knows what a run that died had not settled, to the last digit', async () => {
    const run = await anotherRun([9_007_199_254_740_993n, 9_223_372_036_854_775_807n]);
    await run.kill();
    const journal = openJournal(TARGET, directory);
    const [left, ...more] = journal.leftBehind();
    expect(more).toEqual([]);
    expect(left?.whole).toBe(false);
    expect(left?.items).toEqual([
      { petId: 9_007_199_254_740_993n, quantity: 7, status: 'sold' },
      { petId: 9_223_372_036_854_775_807n, quantity: 7, status: 'sold' },
    ]);
    left?.forget();
    expect(journal.leftBehind()).toEqual([]);
    expect(files()).toEqual([]);
  });

  test('knows whether a run that died had noted the whole inventory', async () => {
    const run = await anotherRun([1n], TARGET, true);
    await run.kill();
    expect(openJournal(TARGET, directory).leftBehind()).toMatchObject([{ whole: true }]);
  });

  test('knows what a live run noted, and leaves that alone', async () => {
    await anotherRun([1n, 2n]);
    const journal = openJournal(TARGET, directory);
    journal.note([item(3n)]);
    expect(journal.notedElsewhere()).toEqual(new Set(['1', '2']));
    expect(journal.leftBehind()).toEqual([]);
  });

  test('suspects a pet to the end of the run once another had noted it', async () => {
    const run = await anotherRun([1n]);
    const journal = openJournal(TARGET, directory);
    expect(journal.notedElsewhere()).toEqual(new Set(['1']));
    await run.kill();
    expect(journal.notedElsewhere()).toEqual(new Set(['1']));
  });

  test('is not concerned with other targets', async () => {
    const run = await anotherRun([1n], 'http://127.0.0.1:8080/v2');
    const journal = openJournal(TARGET, directory);
    expect(journal.notedElsewhere()).toEqual(new Set());
    await run.kill();
    expect(journal.leftBehind()).toEqual([]);
  });

  test('of the same process is that of a live run', () => {
    const first = openJournal(TARGET, directory);
    const second = openJournal(TARGET, directory);
    first.note([item(1n)]);
    second.note([item(2n)]);
    expect(first.notedElsewhere()).toEqual(new Set(['2']));
    expect(second.notedElsewhere()).toEqual(new Set(['1']));
    expect(second.leftBehind()).toEqual([]);
  });

  test('that is torn counts as empty', async () => {
    const run = await anotherRun([1n]);
    await run.kill();
    const [name = ''] = files();
    writeFileSync(join(directory, 'journal', name), '{"target":"http');
    expect(openJournal(TARGET, directory).leftBehind()).toMatchObject([{ items: [], whole: false }]);
  });
});

describe('the folder for state', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test.each([
    { own: '/var/lib/own', xdg: '/var/lib/xdg', folder: '/var/lib/own' },
    { own: undefined, xdg: '/var/lib/xdg', folder: '/var/lib/xdg/stockcheck' },
    { own: undefined, xdg: undefined, folder: join(homedir(), '.local', 'state', 'stockcheck') },
    // XDG Base Directory Specification: empty is as good as unset.
    { own: '', xdg: '', folder: join(homedir(), '.local', 'state', 'stockcheck') },
  ])('is $folder where STOCKCHECK_STATE_DIR is $own and XDG_STATE_HOME is $xdg', ({ own, xdg, folder }) => {
    vi.stubEnv('STOCKCHECK_STATE_DIR', own);
    vi.stubEnv('XDG_STATE_HOME', xdg);
    expect(stateDirectory()).toBe(folder);
  });
});
