import { readdirSync } from 'node:fs';

import { expect, test } from 'vitest';

import { findRequirement } from '../../contract/requirements/index.ts';
import { FAULTS } from './index.ts';

const FILES = readdirSync(import.meta.dirname)
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => name !== 'index' && name !== 'fault' && !name.endsWith('.test'));

/** The file with the longest name that begins the requirement's id, word by word; else that of its area. */
function fileOf(requirement: string): string | undefined {
  const words = requirement.split('-');
  const begins = words.map((_, index) => words.slice(0, words.length - index).join('-'));
  const area = findRequirement(requirement)?.area.replaceAll(' ', '-') ?? '';
  return [...begins, area].find((name) => FILES.includes(name));
}

test.each(FILES)('%s has the faults that break what it is named after', async (file) => {
  const exported: object = await import(`../faults/${file}.ts`);
  const values = new Set<unknown>(Object.values(exported).flat());
  const faults = FAULTS.filter((fault) => values.has(fault));
  expect(faults).not.toEqual([]);
  expect(faults.map(({ id, breaks }) => [id, fileOf(breaks)])).toEqual(faults.map(({ id }) => [id, file]));
});
