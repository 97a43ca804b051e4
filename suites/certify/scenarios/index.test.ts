import { describe, expect, test } from 'vitest';

import { CLIENT_REQUIREMENTS, findRequirement } from '../../../contract/requirements/index.ts';
import { SCENARIOS } from './index.ts';
import { HERD_JUDGE } from '../herd/judge-herd.ts';
import { CLIENT_JUDGES } from '../judges/index.ts';

const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const judged = new Set(CLIENT_JUDGES.flatMap(({ judges }) => judges));

describe('every requirement of clients', () => {
  test.each(CLIENT_REQUIREMENTS.map(({ id }) => id))('%s is judged, in some scenario or the herd', (id) => {
    expect([...judged, ...HERD_JUDGE.judges]).toContain(id);
    expect([...SCENARIOS, HERD_JUDGE].flatMap(({ judges }) => judges)).toContain(id);
  });
});

describe('every judge', () => {
  test('has an id of its own', () => {
    const ids = [...CLIENT_JUDGES, HERD_JUDGE].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([...CLIENT_JUDGES, HERD_JUDGE].map((judge) => [judge.id, judge] as const))(
    '%s is complete',
    (id, judge) => {
      expect(id).toMatch(KEBAB_CASE);
      expect(judge.title).toMatch(/^\S.*[^.\s]$/);
      expect(judge.judges).not.toEqual([]);
      expect(judge.judges.filter((row) => findRequirement(row)?.area !== 'client')).toEqual([]);
    },
  );
});

describe('every scenario', () => {
  test('has an id of its own', () => {
    const ids = SCENARIOS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(SCENARIOS.map((scenario) => [scenario.id, scenario] as const))(
    '%s is complete',
    (id, scenario) => {
      expect(id).toMatch(KEBAB_CASE);
      expect(scenario.title).toMatch(/^\S.*[^.\s]$/);
      expect(scenario.judges).not.toEqual([]);
      expect(scenario.judges.filter((row, index) => scenario.judges.indexOf(row) !== index)).toEqual([]);
      expect(scenario.judges.filter((row) => !judged.has(row))).toEqual([]);
      expect(scenario.seconds).toBeGreaterThan(0);
      const ids = scenario.inventory.map(({ petId }) => petId.toString());
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  test('updates a pet of its inventory, unless that is what it is about', () => {
    const unknown = SCENARIOS.filter(({ task, inventory }) => {
      return task.operation === 'updateInventory' && !inventory.some(({ petId }) => petId === task.petId);
    });
    expect(unknown.map(({ id }) => id)).toEqual([
      'update-unknown-pet',
      'unknown-pet-further-members',
      'gzip-refusal',
    ]);
  });

  test('is short, but for those with a long Retry-After and the one without end', () => {
    const long = SCENARIOS.filter(({ seconds }) => seconds > 8);
    expect(long.map(({ id }) => id)).toEqual([
      'limited-long',
      'limited-over-a-minute',
      'limited-update-date-over-a-minute',
      'limited-without-end',
    ]);
    expect(Math.max(...SCENARIOS.map(({ seconds }) => seconds))).toBeLessThan(70);
  });
});

test('the long list holds 8,000 entries, many of them beyond the integers of a double', () => {
  const inventory = SCENARIOS.find(({ id }) => id === 'list-long')?.inventory ?? [];
  expect(inventory).toHaveLength(8_000);
  expect(inventory.filter(({ petId }) => BigInt(Number(petId)) !== petId).length).toBeGreaterThan(1_000);
});
