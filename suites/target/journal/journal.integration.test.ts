import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type HelperProcess, anotherProcess, item, temporaryState } from './journal.test-data.ts';
import { findAbandoned, openJournal } from './journal.ts';
import type { StateDirectory } from './state-directory.ts';

const TARGET = 'http://127.0.0.1:8080/v1';

const files = ({ path }: StateDirectory) => readdirSync(join(path, 'journal'));
const write = (petId: bigint, quantity: bigint) => ({
  petId,
  quantities: [[quantity, quantity] as const],
});

/** Another run that has claimed pets and written to them. */
function anotherRun(
  state: StateDirectory,
  petIds: readonly bigint[],
  target = TARGET,
): Promise<HelperProcess> {
  return anotherProcess(
    { target, state, petIds: petIds.map(String) },
    `const journal = module.openJournal(input.target, input.state);
     const petIds = input.petIds.map(BigInt);
     journal.claim(petIds.map((petId) => ({ petId, quantity: 7, status: 'sold' })));
     journal.send(petIds.map((petId) => ({ petId, quantities: [[8n, 8n]] })));`,
  );
}

describe('a journal', () => {
  test('leaves nothing behind if all that was sent is undone', () => {
    const state = temporaryState();
    const journal = openJournal(TARGET, state);
    journal.claim([item(1n), item(2n), item(3n)]);
    journal.send([write(1n, 6n), write(2n, 6n)]);
    journal.restored([1n]);
    journal.release([2n]);
    journal.close();
    expect(files(state)).toEqual([]);
    expect(readdirSync(join(state.path, 'locks'))).toEqual(['probe.lock']);
  });

  test('stays if something is not undone', () => {
    const state = temporaryState();
    const journal = openJournal(TARGET, state);
    journal.claim([item(1n), item(2n)]);
    journal.send([write(1n, 6n), write(2n, 6n)]);
    journal.restored([1n]);
    journal.close();
    const { abandoned } = findAbandoned(TARGET, state.all);
    expect(abandoned.map(({ file }) => file)).toEqual([journal.file]);
    expect([...(abandoned[0]?.state.pets.values() ?? [])]).toEqual([
      { item: item(1n), sent: [] },
      { item: item(2n), sent: [[6n, 6n]] },
    ]);
  });

  test('knows the whole inventory, and what took its place', () => {
    const state = temporaryState();
    const journal = openJournal(TARGET, state);
    journal.noteInventory([item(1n)], 'http://127.0.0.1:9090');
    journal.noteFill([2n, 3n]);
    journal.close();
    expect(findAbandoned(TARGET, state.all).abandoned[0]?.state.inventory).toMatchObject({
      items: [item(1n)],
      control: 'http://127.0.0.1:9090',
      fills: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    });
  });

  test('writes a quantity that was sent already only once', () => {
    const journal = openJournal(TARGET, temporaryState());
    journal.claim([item(1n)]);
    journal.send([{ petId: 1n, quantities: [[1n, 9n]] }]);
    const before = readFileSync(journal.file, 'utf8');
    journal.send([write(1n, 4n), write(1n, 9n)]);
    expect(readFileSync(journal.file, 'utf8')).toBe(before);
    journal.restored([1n]);
    journal.send([write(1n, 4n)]);
    expect(journal.sentTo(1n)).toEqual([[4n, 4n]]);
    expect(readFileSync(journal.file, 'utf8')).toMatch(/"restored".*\n.*"send".*\n$/);
    journal.close();
  });
});

describe('the journal of another run', () => {
  test('that lives is left alone, and its pets are known', async () => {
    const state = temporaryState();
    const run = await anotherRun(state, [1n, 2n]);
    const journal = openJournal(TARGET, state);
    journal.claim([item(3n)]);
    expect(journal.claimedElsewhere()).toEqual(new Set(['1', '2']));
    expect(findAbandoned(TARGET, state.all)).toEqual({ abandoned: [], unclear: [] });
    await run.kill();
    expect(findAbandoned(TARGET, state.all).abandoned).toHaveLength(1);
  });

  test('that died is known to the last digit, to one run at a time, until it was undone', async () => {
    const state = temporaryState();
    const petIds = [9_007_199_254_740_993n, 9_223_372_036_854_775_807n];
    await (await anotherRun(state, petIds)).kill();
    const { abandoned } = findAbandoned(TARGET, state.all);
    expect(findAbandoned(TARGET, state.all).abandoned).toEqual([]);
    const [left] = abandoned;
    expect(left).toMatchObject({ damaged: 0, isSameAddress: true });
    expect([...(left?.state.pets.values() ?? [])]).toEqual(
      petIds.map((petId) => ({ item: { petId, quantity: 7, status: 'sold' }, sent: [[8n, 8n]] })),
    );
    left?.restored(petIds.slice(0, 1));
    left?.close();
    const [again] = findAbandoned(TARGET, state.all).abandoned;
    expect([...(again?.state.pets.values() ?? [])].map(({ sent }) => sent.length)).toEqual([0, 1]);
    again?.restored(petIds);
    again?.close();
    expect(files(state)).toEqual([]);
  });

  test('of the same process is that of a live run', () => {
    const state = temporaryState();
    const first = openJournal(TARGET, state);
    const second = openJournal(TARGET, state);
    first.claim([item(1n)]);
    second.claim([item(2n)]);
    expect(first.claimedElsewhere()).toEqual(new Set(['2']));
    expect(second.claimedElsewhere()).toEqual(new Set(['1']));
    expect(findAbandoned(TARGET, state.all).abandoned).toEqual([]);
  });

  test.each([
    ['http://127.0.0.1:8080/v1/', true],
    ['http://localhost:8080/v1', false],
    ['http://[::1]:8080/v1', false],
  ])('is found under %s; surely the same address: %s', async (target, isSameAddress) => {
    const state = temporaryState();
    await (await anotherRun(state, [1n], target)).kill();
    expect(findAbandoned(TARGET, state.all).abandoned).toMatchObject([{ isSameAddress }]);
  });

  test('of another target is not looked at', async () => {
    const state = temporaryState();
    const run = await anotherRun(state, [1n], 'http://127.0.0.1:8080/v2');
    expect(openJournal(TARGET, state).claimedElsewhere()).toEqual(new Set());
    await run.kill();
    expect(findAbandoned(TARGET, state.all).abandoned).toEqual([]);
  });

  test.each([
    ['cut off', true, (file: string) => truncateSync(file, readFileSync(file).length - 5)],
    ['emptied', false, (file: string) => truncateSync(file, 0)],
    ['overwritten', false, (file: string) => writeFileSync(file, '{"target":"http')],
  ])('that was %s is kept, and said to be damaged', async (_how, isSameAddress, spoil) => {
    const state = temporaryState();
    await (await anotherRun(state, [1n])).kill();
    const [name = ''] = files(state);
    spoil(join(state.path, 'journal', name));
    const [left] = findAbandoned(TARGET, state.all).abandoned;
    expect(left?.damaged).toBeGreaterThan(0);
    expect(left?.isSameAddress).toBe(isSameAddress);
    left?.restored([1n]);
    left?.close();
    expect(files(state)).toEqual([name]);
  });
});
