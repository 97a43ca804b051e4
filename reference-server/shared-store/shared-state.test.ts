import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { withBans, type BanRule } from '../service/bans.ts';
import type { KeyRecord } from '../service/key-store.ts';
import { createRateLimiter } from '../service/rate-limiter.ts';
import { windowFromFirstRequest } from '../service/window.ts';
import { ITEMS, listRequest } from '../testing.test-data.ts';
import { readUsage, resumeLimiter } from './shared-keys.ts';
import { createSharedState, writeItems, type Command } from './shared-state.ts';

const START = 1_790_000_000;

// Sums of these fall on the ends of windows and bans, and just before and after them.
const STEPS = [0, 0, 0, 0.25, 1, 20, 39.75, 59.75, 60, 60.25, 3_600, 86_340, 86_400] as const;

const KEYS = ['one', 'two', 'three'];

const limits = fc.array(
  fc.record({ perMinute: fc.integer({ min: 1, max: 4 }), perDay: fc.integer({ min: 1, max: 9 }) }),
  { minLength: KEYS.length, maxLength: KEYS.length },
);
const ban: fc.Arbitrary<BanRule | false> = fc.oneof(
  fc.constant<false>(false),
  fc.record({
    afterRefused: fc.integer({ min: 1, max: 3 }),
    seconds: fc.constantFrom(1, 20, 60, 100_000),
    status: fc.constant<429>(429),
    extended: fc.boolean(),
  }),
);
const requests = fc.array(
  fc.record({ step: fc.constantFrom(...STEPS), key: fc.constantFrom(...KEYS), moves: fc.boolean() }),
  { maxLength: 60 },
);

function begin(rule: BanRule | false, perKey: readonly KeyRecord['limits'][] = []) {
  const keys = perKey.map((own, index) => ({ key: `${KEYS[index]}`, plan: 'enterprise' as const, ...own }));
  const state = createSharedState({ seed: { keys, inventory: ITEMS, ban: rule }, onReset: () => undefined });
  state.carryOut(state.beginning(), START);
  return state;
}

test('the log decides as the limiter in memory, at the very ends of windows and bans, too', () => {
  fc.assert(
    fc.property(limits, ban, requests, (perKey, rule, sequence) => {
      const state = begin(rule, perKey);
      const memory = withBans(
        createRateLimiter(() => windowFromFirstRequest),
        rule,
      );
      let time = START;
      let now = START;
      for (const { step, key, moves } of sequence) {
        now += step;
        time += moves ? 0 : step;
        state.carryOut(['advance', `${moves ? step : 0}`], time);
        const ruling = state.carryOut(['request', state.keys.digestOf(key)], time);
        const record = state.keys.find(key);
        if (ruling === undefined || record === undefined) {
          throw new Error('A valid key was refused');
        }
        expect(ruling).toMatchObject({ record, now });
        const resumed = resumeLimiter(readUsage(ruling.before), rule);
        expect(resumed.look(record, now)).toEqual(memory.look(record, now));
        expect(resumed.decide(record, now, listRequest())).toEqual(memory.decide(record, now, listRequest()));
        expect(state.keys.limiterOf(record)?.look(record, now)).toEqual(memory.look(record, now));
      }
    }),
  );
});

const commands = fc.array(
  fc.tuple(
    fc.constantFrom(...STEPS),
    fc.constantFrom(
      ...KEYS.map((digest): Command => ['request', digest]),
      ...KEYS.map((digest): Command => ['key', digest, 'pro 3 7']),
      ['giveBack', 'one'],
      ['earlier', 'two', '6'],
      ['revoke', 'three'],
      ['quantity', '9223372036854775807', '9007199254740993'],
      ['items', writeItems(ITEMS.slice(1))],
      ['advance', '12.5'],
    ),
  ),
  { maxLength: 40 },
);

test('who begins with a snapshot comes to the same state as who has read everything', () => {
  fc.assert(
    fc.property(commands, commands, (before, after) => {
      const [first, second] = [begin(false), begin(false)];
      let time = START;
      for (const [step, command] of before) {
        time += step;
        first.carryOut(command, time);
      }
      second.forget();
      first.snapshot().forEach((command) => second.carryOut(command, time));
      for (const [step, command] of after) {
        time += step;
        expect(second.carryOut(command, time)?.after).toEqual(first.carryOut(command, time)?.after);
      }
      expect(second.snapshot()).toEqual(first.snapshot());
      expect(second.now()).toBe(first.now());
    }),
  );
});

test('what was decided is undone, or given back once more was decided', () => {
  const state = begin({ afterRefused: 9, seconds: 60, status: 429, extended: false }, [
    { perMinute: 2, perDay: 9 },
  ]);
  const ask = (): Command => {
    const ruling = state.carryOut(['request', state.keys.digestOf('one')], START);
    return ['undo', state.keys.digestOf('one'), ruling?.before ?? '', ruling?.after ?? ''];
  };
  const usage = (): readonly string[] => state.snapshot().at(-1)?.at(-1)?.split(' ') ?? [];
  const [first] = [ask(), ask()];
  state.carryOut(first, START);
  expect(usage()).toEqual(['1', `${START + 60}`, '1', `${START + 86_400}`, '0', '0']);
  ask();
  state.carryOut(ask(), START);
  expect(usage()).toEqual(['2', `${START + 60}`, '2', `${START + 86_400}`, '0', '0']);
});

test('a state that was lost takes nothing but a reset', () => {
  const state = begin(false);
  state.carryOut(['lose'], START);
  state.carryOut(['quantity', '1', '5'], START);
  state.carryOut(state.beginning(), START);
  expect(state.course().phase).toBe('lost');
  expect(state.inventory.find(1n)?.quantity).toBe(7);
  state.carryOut(state.reset(), START);
  expect(state.course().phase).toBe('open');
});

test('after another run of Redis has begun, nothing is decided for a second', () => {
  const state = begin(false, [{ perMinute: 5, perDay: 5 }]);
  const isDecided = (time: number): boolean =>
    state.carryOut(['request', state.keys.digestOf('one')], time) !== undefined;
  state.carryOut(['run', 'first'], START);
  expect(isDecided(START)).toBe(true);
  state.carryOut(['run', 'second'], START + 1);
  state.carryOut(['run', 'second'], START + 1.5);
  expect([isDecided(START + 1.9), state.isResuming(), isDecided(START + 2), state.isResuming()]).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
