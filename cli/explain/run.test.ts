import { describe, expect, test } from 'vitest';

import {
  CLIENT_REQUIREMENTS,
  findRequirement,
  REQUIREMENTS,
  AREAS,
} from '../../contract/requirements/index.ts';
import { CHECKS } from '../../suites/verify/index.ts';
import { HISTORY_MONITORS, MONITORS } from '../../suites/oracle/index.ts';
import { SCENARIOS, CLIENT_JUDGES, HERD_JUDGE } from '../../suites/certify/index.ts';
import { registerJson, renderId, renderRegister } from './run.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';

const JUDGES = [...CHECKS, ...MONITORS, ...HISTORY_MONITORS];
const ALL_JUDGES = [...JUDGES, ...CLIENT_JUDGES, HERD_JUDGE];

function judgesOf(requirement: string): readonly string[] {
  return ALL_JUDGES.filter(({ judges }) => judges.some((id) => id === requirement)).map(({ id }) => id);
}

test('every row of the register is judged by a check, a monitor or a client judge, or says why it is not', () => {
  const judged = REQUIREMENTS.filter(({ id }) => judgesOf(id).length > 0).map(({ id }) => id);
  const without = REQUIREMENTS.filter(({ notChecked }) => notChecked !== undefined).map(({ id }) => id);
  expect(new Set(judged)).toEqual(new Set(REQUIREMENTS.map(({ id }) => id)).difference(new Set(without)));
});

test('the scenarios and the herd of certify judge exactly the requirements for clients', () => {
  const asked = new Set([...SCENARIOS, HERD_JUDGE].flatMap(({ judges }) => judges));
  expect(new Set(CLIENT_REQUIREMENTS.map(({ id }) => id))).toEqual(asked);
});

describe('checks and monitors', () => {
  test('have ids of their own, in kebab-case', () => {
    const ids = JUDGES.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  test.each(JUDGES.map((judge) => [judge.id, judge] as const))('%s is complete', (_id, { title, judges }) => {
    expect(title).toMatch(/^\S.*[^.\s]$/);
    expect(judges).not.toEqual([]);
    expect(judges.filter((id) => findRequirement(id) === undefined)).toEqual([]);
    expect(judges.filter((id, index) => judges.indexOf(id) !== index)).toEqual([]);
  });
});

function idsOf(id: string | null): readonly string[] {
  const { requirements }: { readonly requirements: readonly { readonly id: string }[] } = JSON.parse(
    registerJson(id),
  );
  return requirements.map((row) => row.id);
}

test('the register as JSON has each row, and who judges it', () => {
  expect(idsOf(null)).toEqual(REQUIREMENTS.map(({ id }) => id));
  expect(JSON.parse(registerJson('retry-after-valid'))).toMatchObject({
    kind: 'register',
    requirements: [{ id: 'retry-after-valid', level: 'must', clause: 'Errors', area: 'retry' }],
  });
});

test('an area or a judge stands for its requirements', () => {
  const inArea = REQUIREMENTS.filter(({ area }) => area === 'versioning').map(({ id }) => id);
  expect(idsOf('versioning')).toEqual(inArea);
  expect(idsOf('rate-limit-header-presence')).toEqual(['header-limit', 'header-remaining', 'header-reset']);
});

test('without an id every row is printed under its area, with counts', () => {
  const text = renderRegister(false);
  for (const { id, level, since, statement } of REQUIREMENTS) {
    expect(text).toMatch(new RegExp(`^  ${id} +${level} +${since} +${RegExp.escape(statement)}`, 'm'));
  }
  for (const area of AREAS) {
    const rows = REQUIREMENTS.filter((row) => row.area === area).length;
    expect(text).toContain(`${area} (${rows})\n`);
  }
  expect(text).toContain(`${REQUIREMENTS.length} requirements (`);
});

test.each(REQUIREMENTS.map((row) => [row.id, row] as const))('%s is explained in full', (id, row) => {
  const { statement, clause, level, since, quotes = [], basis = '', reading = '', notChecked = '' } = row;
  const parts = [
    `${id} (${level})`,
    statement,
    clause,
    `requirement set ${since}`,
    basis,
    reading,
    notChecked,
  ];
  const titles = JUDGES.filter(({ judges }) => judges.includes(id)).map(({ title }) => title);
  const text = renderId(id, false);
  for (const part of [...parts, ...quotes, ...titles]) {
    expect(text).toContain(part);
  }
});

test.each(JUDGES.map(({ id }) => id))('%s, a check or monitor, names what it judges', (id) => {
  const text = renderId(id, false);
  for (const { title, judges } of JUDGES.filter((candidate) => candidate.id === id)) {
    [title, ...judges].forEach((part) => expect(text).toContain(part));
  }
});

test('a check says what it needs', () => {
  const text = renderId('minute-limit-free', false);
  expect(text).toContain('profile full');
  expect(text).toContain('a free key: uses up a window, at most ');
});

test('colour is added only if it is wanted', () => {
  const escape = '\u001B';
  expect(renderId('ban-ends', false)).not.toContain(escape);
  expect(renderId('ban-ends', true)).toContain(escape);
});

test('an unknown id is bad usage, with the nearest known one', () => {
  expect(() => registerJson('limit')).toThrow('there is no requirement, check or area "limit"');
  expect(() => renderId('ban-end', false)).toThrow(ConfigurationError);
  expect(() => renderId('ban-end', false)).toThrow('Did you mean ban-ends?');
  expect(() => renderId('zzzzzzzzzz', false)).toThrow('`stockcheck explain` lists them');
});
