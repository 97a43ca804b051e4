import { tmpdir } from 'node:os';

import { describe, expect, test } from 'vitest';

import { AREAS, REQUIREMENTS, requirement } from '../../contract/requirements/index.ts';
import { CHECKS } from '../../suites/verify/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { HISTORY_MONITORS, MONITORS } from '../../suites/oracle/index.ts';
import { renderId, renderRegister } from './run.ts';
import { runBinary } from '../run-binary.test-data.ts';

const JUDGES = [...CHECKS, ...MONITORS, ...HISTORY_MONITORS];

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

describe('a requirement', () => {
  test.each(REQUIREMENTS.map(({ id }) => id))('%s is explained in full', (id) => {
    const {
      statement,
      clause,
      level,
      since,
      quotes = [],
      basis = '',
      reading = '',
      notChecked = '',
    } = requirement(id);
    const text = renderId(id, false);
    for (const part of [
      `${id} (${level})`,
      statement,
      clause,
      `requirement set ${since}`,
      ...quotes,
      basis,
      reading,
      notChecked,
    ]) {
      expect(text).toContain(part);
    }
    for (const { title } of JUDGES.filter(({ judges }) => judges.includes(id))) {
      expect(text).toContain(title);
    }
  });
});

test.each(JUDGES.map(({ id }) => id))('%s, a check or monitor, names what it judges', (id) => {
  const text = renderId(id, false);
  for (const judge of JUDGES.filter((candidate) => candidate.id === id)) {
    expect(text).toContain(judge.title);
    for (const judged of judge.judges) {
      expect(text).toContain(judged);
    }
  }
});

test('a check says what it needs', () => {
  const text = renderId('minute-limit-free', false);
  expect(text).toContain('profile full');
  expect(text).toContain('a free key: uses up a window, at most ');
});

test.each(AREAS)('the area %s lists its rows', (area) => {
  const text = renderId(area, false);
  for (const { id } of REQUIREMENTS.filter((row) => row.area === area)) {
    expect(text).toContain(`  ${id} `);
  }
});

test('colour is added only if it is wanted', () => {
  const escape = '\u001B';
  expect(renderId('ban-ends', false)).not.toContain(escape);
  expect(renderId('ban-ends', true)).toContain(escape);
});

test('an unknown id is bad usage, with the nearest known one', () => {
  expect(() => renderId('ban-end', false)).toThrow(ConfigurationError);
  expect(() => renderId('ban-end', false)).toThrow('Did you mean ban-ends?');
  expect(() => renderId('zzzzzzzzzz', false)).toThrow('`stockcheck explain` lists them');
});

test('the command prints it, and exits with 2 if there is nothing', async () => {
  const [known, unknown] = await Promise.all([
    runBinary(['explain', 'ban-ends'], tmpdir()),
    runBinary(['explain', 'retry-after-valdi'], tmpdir()),
  ]);
  expect(known).toEqual({ exitCode: 0, stderr: '', stdout: renderId('ban-ends', false) });
  expect({ exitCode: unknown.exitCode, stdout: unknown.stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(unknown.stderr).toContain('Did you mean retry-after-valid?');
});
