import { expect, test } from 'vitest';

import { describeLoadEnvironment, withoutSecrets } from './run.ts';

test.each([
  ['load http://h/v1 --key free=SECRET,SECRET --rate 5', 'load http://h/v1 --key free=… --rate 5'],
  ['load --key=enterprise=SECRET@5/50 --quiet', 'load --key=enterprise=… --quiet'],
  ['load --key SECRET', 'load --key …'],
  ['load --revoked-key SECRET --revoked-key=SECRET', 'load --revoked-key … --revoked-key=…'],
  ['load --header X-Token:SECRET --header=Cookie:SECRET', 'load --header X-Token:… --header=Cookie:…'],
  ['load --header SECRET', 'load --header …'],
  [
    'load --fleet rediss://user:SECRET@redis.example:6380 --fleet=redis://h:1',
    'load --fleet rediss://…@redis.example:6380 --fleet=redis://h:1',
  ],
])('no secret of %s is kept', (given, kept) => {
  expect(withoutSecrets(given.split(' ')).join(' ')).toBe(kept);
});

test('the machine is described', () => {
  const { processor, cores, node, system } = describeLoadEnvironment([]);
  expect(processor).not.toBe('');
  expect(cores).toBeGreaterThan(0);
  expect([node, system]).toEqual([process.versions.node, expect.stringContaining(process.arch)]);
});
