import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { temporaryDirectory } from '../run-binary.test-data.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { Baseline } from '../library/baseline.ts';
import { BASELINE_OPTION } from './baseline.ts';

let directory = '';

beforeEach(() => {
  directory = temporaryDirectory();
});

function read(text: string, name = 'baseline.json'): Baseline {
  writeFileSync(join(directory, 'baseline.json'), text);
  return BASELINE_OPTION.read([name], '--baseline', { directory, environment: {} });
}

test('holds a reason for each requirement', () => {
  const baseline = read('{"expectedFailures": {"item-quantity": "ticket 7", "ban-ends": ""}}');
  expect([...baseline]).toEqual([
    ['item-quantity', 'ticket 7'],
    ['ban-ends', ''],
  ]);
});

test('may expect nothing', () => {
  expect(read('{"expectedFailures": {}}').size).toBe(0);
});

describe('is bad configuration, which names the file', () => {
  test.each([
    ['is not JSON', '{'],
    ['has to hold', '[]'],
    ['has to hold', '{}'],
    ['has to hold', '{"expectedFailures": ["item-quantity"]}'],
    ['has to hold', '{"expectedFailures": {}, "more": 1}'],
    [
      'there is no requirement item-quantty. Did you mean item-quantity?',
      '{"expectedFailures": {"item-quantty": ""}}',
    ],
    ['there is no requirement __proto__.', '{"expectedFailures": {"__proto__": ""}}'],
    ['the reason of item-quantity has to be a string', '{"expectedFailures": {"item-quantity": true}}'],
  ])('%s: %s', (message, text) => {
    expect(() => read(text)).toThrow(ConfigurationError);
    expect(() => read(text)).toThrow(/^--baseline baseline[.]json/);
    expect(() => read(text)).toThrow(message);
  });

  test('that is missing', () => {
    expect(() => read('{}', 'none.json')).toThrow('there is no such file');
  });
});
