import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';

import { afterEach, describe, expect, test, vi } from 'vitest';

import type { InventoryItem } from '../../contract/inventory.ts';
import type { Alteration } from '../../reference-server/index.ts';
import { openJournal, stateOnDemand, type Journal } from '../../suites/target/index.ts';
import {
  answering,
  judgeInProcess as run,
  alterationOf,
  seedKey,
  startTarget,
  type TestTarget,
} from './run.test-data.ts';
import { loadInProcess } from '../load/run.test-data.ts';
import { temporaryDirectory } from '../run-binary.test-data.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A target, and the journal of a run against it that did not end. */
async function targetWithJournal(
  write: (journal: Journal, target: TestTarget) => void,
  spell = (url: string): string => url,
): Promise<{ readonly target: TestTarget; readonly file: string; readonly pets: readonly InventoryItem[] }> {
  vi.stubEnv('STOCKCHECK_STATE_DIR', temporaryDirectory());
  const target = await startTarget();
  const journal = openJournal(spell(target.server.url), stateOnDemand(undefined)());
  write(journal, target);
  journal.close();
  return { target, file: journal.file, pets: target.inventory() };
}

const quantityOf = (target: TestTarget, petId: bigint) =>
  target.inventory().find((pet) => pet.petId === petId)?.quantity;

/** The journal says that the first pet was 4711, and that `sent` was sent to it. */
const wrote = (sent: bigint) => (journal: Journal, target: TestTarget) => {
  const [pet] = target.inventory();
  if (pet !== undefined) {
    journal.claim([{ ...pet, quantity: 4711 }]);
    journal.send([{ petId: pet.petId, quantities: [[sent, sent]] }]);
  }
};
const first = (pets: readonly InventoryItem[]): InventoryItem =>
  pets[0] ?? { petId: 0n, quantity: 0, status: 'sold' };

/** The same, of what the pet still stands at. */
const wroteWhatStands = (journal: Journal, target: TestTarget) =>
  wrote(BigInt(first(target.inventory()).quantity))(journal, target);

describe('a pet that a dead run had written to', () => {
  test('is restored if it still has the value that was set, and the journal goes', async () => {
    const { target, file, pets } = await targetWithJournal(wroteWhatStands);
    const { problems, notices } = await run(target);
    expect(problems).toEqual([]);
    // On a busy machine there is one of the first answer, too.
    const told = notices.filter((notice) => !notice.startsWith('The target took'));
    expect(told).toEqual([expect.stringMatching(/^Put back a quantity that a run of 20/)]);
    expect(quantityOf(target, first(pets).petId)).toBe(4711);
    expect(existsSync(file)).toBe(false);
  });

  test.each(['safe', 'standard'] as const)(
    'is left alone for good if somebody else has set it since, as a run in profile %s says once',
    async (profile) => {
      const { target, file, pets } = await targetWithJournal(wrote(4712n));
      const { petId, quantity } = first(pets);
      const { problems } = await run(target, { profile });
      expect(problems).toEqual([
        expect.stringMatching(
          `pet ${petId} was 4711, and stands at ${quantity}, which the run did not set, so it is left as it is. The journal no longer holds`,
        ),
      ]);
      expect(existsSync(file)).toBe(false);
      // Not even if they come to what the run had sent.
      await fetch(`${target.server.url}/inventory/${petId}`, {
        method: 'PATCH',
        headers: { Authorization: `Bearer ${seedKey('pro')}`, 'Content-Type': 'application/json' },
        body: '{"quantity":4712}',
      });
      expect((await run(target)).problems).toEqual([]);
      expect(quantityOf(target, petId)).toBe(4712);
    },
  );

  test('is kept and reported if the pet is no longer in the inventory, and nothing is sent to it', async () => {
    const { target, file } = await targetWithJournal((journal) => {
      journal.claim([{ petId: 404_404n, quantity: 3, status: 'sold' }]);
      journal.send([{ petId: 404_404n, quantities: [[4n, 4n]] }]);
    });
    const { problems } = await run(target);
    expect(problems).toEqual([
      expect.stringContaining('pet 404404 was 3, and is no longer in the inventory'),
    ]);
    expect(target.requests.filter((request) => request.startsWith('PATCH'))).toEqual([]);
    expect(existsSync(file)).toBe(true);
  });

  test('is only reported by a run that only reads', async () => {
    const { target, file, pets } = await targetWithJournal(wroteWhatStands);
    const { problems } = await run(target, { profile: 'safe' });
    expect(problems).toEqual([
      expect.stringMatching(/was 4711, and stands at \d+\. Profile safe only reads; .*--profile standard/),
    ]);
    expect(target.inventory()).toEqual(pets);
    expect(existsSync(file)).toBe(true);
  });

  test('is reported by a load that only reads, too', async () => {
    const { target, file, pets } = await targetWithJournal(wroteWhatStands);
    const description = { ...target.description, profile: 'safe' as const };
    const { problems, scenarios } = await loadInProcess(description, { scenario: ['mixed'] });
    expect(problems).toContainEqual(expect.stringContaining(`Its journal ${file} is kept`));
    expect(scenarios[0]?.reason).toContain('Profile safe only reads');
    expect(target.inventory()).toEqual(pets);
  });

  test('may belong to another service if the address is another name of this machine', async () => {
    const { target, file } = await targetWithJournal(
      (journal, running) => {
        const pet = first(running.inventory());
        journal.claim([pet]);
        journal.send([{ petId: pet.petId, quantities: [[-1n, -1n]] }]);
      },
      (url) => url.replace('127.0.0.1', 'localhost'),
    );
    const { problems } = await run(target);
    expect(problems).toEqual([expect.stringContaining('run against that address')]);
    expect(existsSync(file)).toBe(true);
  });

  test('is put back from a journal that was cut off, which is kept', async () => {
    const { target, file, pets } = await targetWithJournal(wroteWhatStands);
    await appendFile(file, '0123abcd {"type":"se');
    const { problems } = await run(target);
    expect(problems).toEqual([expect.stringContaining('1 of its records cannot be read')]);
    expect(quantityOf(target, first(pets).petId)).toBe(4711);
    expect(existsSync(file)).toBe(true);
  });
});

/** Somebody else sets every pet to 4711 as soon as the first list was sent, or so many updates were carried out. */
const settingAll = (updates: number): Alteration => ({
  parts: ({ inventory }) => {
    let left = updates;
    const setAll = (): void =>
      inventory.list().forEach(({ petId }) => void inventory.setQuantity(petId, 4711));
    return {
      inventory: {
        ...inventory,
        list: () => {
          const listed = [...inventory.list()];
          if (left === 0) {
            setAll();
          }
          left -= Number(left === 0);
          return listed;
        },
        setQuantity: (petId, quantity) => {
          const updated = inventory.setQuantity(petId, quantity);
          if (left === 1) {
            setAll();
          }
          left -= Number(left > 0);
          return updated;
        },
      },
    };
  },
});

describe('what somebody else sets while a run goes on', () => {
  test.each([
    ['before the run writes stays, and is what it is put back to', 0, []],
    [
      'after the run has written stays, and the run says so',
      2,
      [expect.stringMatching(/^Somebody else has written .* stands at 4711, which the run did not set/)],
    ],
  ])('%s', async (_what, updates, said) => {
    vi.stubEnv('STOCKCHECK_STATE_DIR', temporaryDirectory());
    const target = await startTarget({ alterations: [settingAll(updates)] });
    const { problems } = await run(target, { checks: ['update'] });
    expect(target.inventory().map(({ quantity }) => Number(quantity))).toEqual(
      target.inventory().map(() => 4711),
    );
    expect(problems.filter((problem) => /^Somebody else has written|put back/.test(problem))).toEqual(said);
  });
});

test('a status that the target changed with a quantity, and not back with it, is told', async () => {
  vi.stubEnv('STOCKCHECK_STATE_DIR', temporaryDirectory());
  const target = await startTarget({ alterations: [alterationOf('status-by-quantity')] });
  const before = new Map(target.inventory().map(({ petId, status }) => [petId, status]));
  const { problems, isRestored } = await run(target, { checks: ['update'] });
  const changed = target.inventory().filter(({ petId, status }) => before.get(petId) !== status);
  expect(changed).not.toEqual([]);
  expect(problems).toEqual([
    expect.stringContaining(
      `: ${changed.map(({ petId, status }) => `pet ${petId} was ${before.get(petId)}, and is ${status}`).join('; ')}. No request`,
    ),
  ]);
  expect(isRestored).toBe(true);
});

test('a pet that cannot be put back, since updates are refused by then, is told', async () => {
  vi.stubEnv('STOCKCHECK_STATE_DIR', temporaryDirectory());
  let updates = 0;
  const refusing = answering((request, service) => {
    updates += Number(request.method === 'PATCH');
    return service.respond(updates > 1 ? { ...request, target: '/v1/inventory/none' } : request);
  });
  const target = await startTarget({ alterations: [refusing] });
  const { problems, isRestored } = await run(target, { checks: ['update'] });
  expect(isRestored).toBe(false);
  expect(problems).toContainEqual(expect.stringMatching(/^Could not be put back: pet .* was answered 4/));
});

describe('an inventory that a dead run had replaced', () => {
  const before: readonly InventoryItem[] = [{ petId: 1n, quantity: 2, status: 'pending' }];
  const replaced = (filled: (pets: readonly bigint[]) => readonly bigint[]) =>
    targetWithJournal((journal, target) => {
      journal.noteInventory(before, 'http://127.0.0.1:9090');
      journal.noteFill(filled(target.inventory().map(({ petId }) => petId)));
    });

  test('is kept and said by a run without a control URL, and put back by one with it', async () => {
    const { target, file, pets } = await replaced((petIds) => petIds);
    const without = await run(target);
    expect(without.problems).toEqual([
      expect.stringContaining('run again with --control http://127.0.0.1:9090'),
    ]);
    expect(target.inventory()).toEqual(pets);
    expect(existsSync(file)).toBe(true);
    const { problems } = await run(target, { control: true });
    expect(problems).toEqual([]);
    expect(target.inventory()).toEqual(before);
    expect(existsSync(file)).toBe(false);
  });

  test('is not put over one that somebody else filled since', async () => {
    const { target, file, pets } = await replaced(() => [7n]);
    const { problems } = await run(target, { control: true });
    expect(problems).toEqual([expect.stringContaining('neither what it was nor what the run put')]);
    expect(target.inventory()).toEqual(pets);
    expect(existsSync(file)).toBe(true);
  });
});

test('an inventory that cannot be read in full is not replaced, and nothing that the user set is lost', async () => {
  vi.stubEnv('STOCKCHECK_STATE_DIR', temporaryDirectory());
  const inventory = Array.from({ length: 6 }, (_, index) => ({
    petId: BigInt(index + 1),
    quantity: index,
    status: 'available' as const,
  }));
  const target = await startTarget({ alterations: [alterationOf('quantity-as-string-once')] });
  await fetch(`${target.description.control}/inventory`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(inventory.map((pet) => ({ ...pet, petId: Number(pet.petId) }))),
  });
  const { problems, judgements } = await run(target, {
    profile: 'full',
    control: true,
    checks: ['update', 'whole-store'],
  });
  expect(problems).toEqual([]);
  expect(target.inventory()).toEqual(inventory);
  expect(judgements.find(({ id }) => id === 'item-quantity')?.outcome).toBe('fail');
});

describe('pets that all stand below zero', () => {
  const below = [1n, 2n, 3n].map((petId) => ({ petId, quantity: -2, status: 'sold' as const }));
  const judge = async (alterations: readonly Alteration[]) => {
    vi.stubEnv('STOCKCHECK_STATE_DIR', temporaryDirectory());
    const target = await startTarget({ inventory: below, alterations });
    const { problems, judgements } = await run(target, { checks: ['update'] });
    const updates = target.requests.filter((request) => request.startsWith('PATCH')).length;
    const outcome = judgements.find(({ id }) => id === 'update-sets')?.outcome;
    return { problems, updates, outcome, pets: target.inventory() };
  };

  test('are not changed where such a quantity is refused, since they could not be put back', async () => {
    const { problems, updates, outcome, pets } = await judge([]);
    expect(problems).toEqual([expect.stringMatching(/the target refused to set pet \d to -2, as it stands/)]);
    expect([updates > 0, outcome, pets]).toEqual([true, 'skipped', below]);
  });

  test('are changed and put back where it is taken', async () => {
    const { problems, outcome, pets } = await judge([alterationOf('negative-quantities')]);
    expect({ problems, outcome, pets }).toEqual({ problems: [], outcome: 'pass', pets: below });
  });
});
