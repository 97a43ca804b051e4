import { tmpdir } from 'node:os';

import { expect, test } from 'vitest';

import { readProveOptions, type ProveFlags, type ProveOptions } from './options.ts';

function read(flags: ProveFlags): ProveOptions {
  return readProveOptions(flags, { environment: {}, directory: tmpdir() });
}

test.each<[string, ProveFlags]>([
  // It would judge nothing, and say proven.
  ['--fault is empty', { fault: [','] }],
  ['--variant is empty', { variant: [''] }],
  ['--with is empty', { with: [','] }],
  ['--fault: sliding-log is a variant, not a fault', { fault: ['sliding-log'] }],
  ['--variant: ban-for-bad-requests is a fault, not a variant', { variant: ['ban-for-bad-requests'] }],
  ['--fault: race-when-busy shows only under load', { fault: ['race-when-busy'] }],
  ['--explore has no meaning without --by', { explore: '100' }],
  ['--seed has no meaning without --by', { seed: '3' }],
  ['--keys has no meaning without --real-time', { keys: 'free' }],
  ['--keys must be free, pro, business or enterprise', { realTime: true, keys: 'free,gold' }],
  [
    '--keys names pro 2 times, and a server has only 1 of that plan',
    { realTime: true, keys: 'pro,free,pro' },
  ],
  ['--real-time has no meaning beside --by', { realTime: true, by: 'explore' }],
  ['Did you mean aligned-minute?', { variant: ['aligned-minut'] }],
  ['Did you mean ban-for-bad-requests?', { fault: ['ban-for-bad-request'] }],
  ['--fault: there is no "no-such-*"', { fault: ['no-such-*'] }],
  ['--with: there is no "aligned-*"', { with: ['aligned-*'] }],
  ['--variant: no server is left to judge', { with: ['sliding-log'], variant: ['aligned-minute'] }],
])('%s', (message, flags) => {
  expect(() => read(flags)).toThrow(message);
});

test('random sequences are drawn with the seed', () => {
  expect(read({ by: 'explore', seed: '7', explore: '500' })).toMatchObject({
    by: 'explore',
    exploration: { requests: 500, seed: 7 },
  });
  expect(read({}).by).toBe('checks');
});

test('the matrix goes to stdout if --json names no file', () => {
  expect(read({ json: true }).json).toBe('-');
  expect(read({ json: '-' }).json).toBe('-');
});

test('a clock by which waits take longer than they say is a freedom of its control contract alone', () => {
  const [all, left] = [false, true].map((realTime) =>
    read({ variant: ['clock-*'], realTime }).trials.flatMap(({ variants }) => variants.map(({ id }) => id)),
  );
  expect(new Set(all).difference(new Set(left))).toEqual(
    new Set(['clock-that-stands-still', 'clock-loses-two-percent']),
  );
});
