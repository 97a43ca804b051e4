import { describe, expect, test } from 'vitest';

import { SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { FAULTS, LOAD_FAULTS, VARIANTS, FREEDOMS } from '../../reference-server/index.ts';

const MUSTS = SERVER_REQUIREMENTS.filter(({ level }) => level === 'must');

describe.each([
  ['faults', FAULTS, 150],
  ['faults under load', LOAD_FAULTS, 8],
  ['variants', VARIANTS, 50],
])('%s', (_name, entries, fewest) => {
  test('are many, each with a name of its own in hyphenated words', () => {
    expect(entries.length).toBeGreaterThanOrEqual(fewest);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    expect(entries.map(({ id }) => id).filter((id) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  test('are titled without a full stop', () => {
    expect(entries.map(({ title }) => title).filter((title) => !/^\S.*[^.\s]$/s.test(title))).toEqual([]);
  });
});

test('no name is in two of the lists', () => {
  const ids = [...FAULTS, ...LOAD_FAULTS, ...VARIANTS].map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('each fault under load breaks a must', () => {
  expect(LOAD_FAULTS.filter(({ breaks }) => !MUSTS.some(({ id }) => id === breaks))).toEqual([]);
});

test('each fault breaks a must or a should, and each must is broken by a fault', () => {
  const broken = new Set<string>(FAULTS.map(({ breaks }) => breaks));
  const judged = SERVER_REQUIREMENTS.filter(({ level }) => level !== 'observe');
  expect([...broken].filter((id) => !judged.some((row) => row.id === id))).toEqual([]);
  expect(MUSTS.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([]);
});

test('what a fault excludes exists, and leaves it possible', () => {
  const known = new Set<string>([...FREEDOMS, ...VARIANTS.map(({ id }) => id)]);
  const unknown = FAULTS.flatMap(({ id, excludes = [] }) =>
    excludes.filter((name) => !known.has(name)).map((name) => `${id} excludes ${name}`),
  );
  expect(unknown).toEqual([]);
});
