import { tmpdir } from 'node:os';

import { describe, expect, test } from 'vitest';

import { FAULTS, VARIANTS } from '../../reference-server/index.ts';
import { describeServer } from './start-server.ts';
import { readServeOptions, type ServeFlags, type ServeOptions } from './options.ts';

function read(flags: ServeFlags): ServeOptions {
  const surroundings = { environment: {}, directory: tmpdir() };
  return readServeOptions({ control: true, ...flags }, surroundings);
}

const STORE = 'redis://127.0.0.1:6379';

test('every option arrives', () => {
  const options = read({
    host: '::1',
    port: '0',
    control: false,
    key: ['free=k1,k2', 'enterprise=k3@5/50'],
    pets: '20000',
    seed: '7',
    variant: ['no-challenge'],
    fault: ['remaining-missing-once-in-fifteen, ban-for-bad-requests', 'ban-for-bad-requests'],
    store: 'redis://10.0.0.1:6379/2',
    storeNamespace: 'mine',
  });
  expect(options).toEqual({
    host: '::1',
    port: 0,
    controlPort: null,
    keys: [
      { key: 'k1', plan: 'free' },
      { key: 'k2', plan: 'free' },
      { key: 'k3', plan: 'enterprise', perMinute: 5, perDay: 50 },
    ],
    pets: 20_000,
    seed: 7,
    variants: VARIANTS.filter(({ id }) => id === 'no-challenge'),
    like: null,
    faults: ['remaining-missing-once-in-fifteen', 'ban-for-bad-requests'].flatMap((name) =>
      FAULTS.filter(({ id }) => id === name),
    ),
    store: { url: 'redis://10.0.0.1:6379/2', namespace: 'mine' },
  } satisfies ServeOptions);
});

test('a fault that shows only under load', () => {
  expect(read({ fault: ['race-when-busy'] }).faults[0]).toMatchObject({
    id: 'race-when-busy',
    breaks: 'limit-under-concurrency',
  });
});

test('over a store, a fault may see limits and inventory in its own way', () => {
  for (const fault of ['minute-free-one-more', 'update-lost-once-in-twelve']) {
    expect(read({ store: STORE, fault: [fault] }).faults[0]?.id).toBe(fault);
  }
});

test.each([
  ['variant', 'sliding-log', 'it counts requests in its own way'],
  ['variant', 'clock-of-whole-seconds', 'it replaces the clock'],
  ['variant', 'short-keys', 'it keeps its own keys'],
  ['variant', 'status-by-quantity', 'it keeps its own inventory'],
  ['fault', 'race-of-reads', 'it has no effect when Redis counts the requests'],
])('--%s %s cannot be combined with --store: %s', (option, id, why) => {
  const message = `--${option} ${id} cannot be combined with --store: ${why}`;
  expect(() => read({ store: STORE, [option]: [id] })).toThrow(message);
});

describe('a bad value names its option', () => {
  test.each<[string, ServeFlags]>([
    ['--store-namespace needs --store', { storeNamespace: 'n' }],
    ['--store-namespace must be', { storeNamespace: 'a b', store: STORE }],
    ['--store must be redis://HOST:PORT', { store: 'http://127.0.0.1:6379' }],
    ['not "redis://…@127.0.0.1/x"', { store: 'redis://user:secret@127.0.0.1/x' }],
    ['--port must be a whole number from 0 to 65535, not "65536"', { port: '65536' }],
    ['--variant: there is no "aligned". Did you mean aligned-', { variant: ['aligned'] }],
    ['--fault: sliding-log is a variant, not a fault', { fault: ['sliding-log'] }],
    ['--variant: race-of-reads is a fault, not a variant', { variant: ['race-of-reads'] }],
    ['--variant is empty', { variant: [','] }],
    ['aligned-minute exclude each other', { variant: ['sliding-log', 'aligned-minute'] }],
    ['--control-port and --no-control exclude each other', { controlPort: '9090', control: false }],
    ['--key pro: key 2 was given before', { key: ['free=k1', 'pro=k1'] }],
  ])('%s', (message, flags) => {
    expect(() => read(flags)).toThrow(message);
  });
});

test('the way to judge a server names target, key and control', () => {
  const address = { url: 'http://127.0.0.1:8080/v1', controlUrl: 'http://127.0.0.1:9090' };
  const revoked = { key: 'k0', plan: 'free', revoked: true } as const;
  expect(describeServer(address, { ...read({}), keys: [revoked, { key: 'k1', plan: 'pro' }] })).toContain(
    "stockcheck verify http://127.0.0.1:8080/v1 --key 'pro=k1' --control http://127.0.0.1:9090\n",
  );
});
