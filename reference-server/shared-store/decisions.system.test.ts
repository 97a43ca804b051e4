import * as fc from 'fast-check';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';

import { withBans, type BanRule } from '../service/bans.ts';
import type { KeyRecord } from '../service/key-store.ts';
import { createRateLimiter, type RateLimiter } from '../service/rate-limiter.ts';
import { windowFromFirstRequest } from '../service/window.ts';
import { listRequest } from '../testing.test-data.ts';
import { writeRecord } from './key-directory.ts';
import { createReplica } from './replica.ts';
import { COMMON, DECISION, KEY_NAMES } from './scripts.ts';
import { freshNamespace, obstacle, useRedis } from './servers.test-data.ts';
import { joinSharedState } from './shared-state.ts';
import { readUsage, resumeLimiter } from './shared-service.ts';

const REQUEST = listRequest();
const START = 1_790_000_000;

// Sums of these fall on the ends of windows and bans, and just before and after them.
const STEPS = [0, 0, 0, 0.25, 1, 20, 39.75, 59.75, 60, 60.25, 3_600, 86_340, 86_400] as const;

const keys = fc.array(
  fc.record({ perMinute: fc.integer({ min: 1, max: 4 }), perDay: fc.integer({ min: 1, max: 9 }) }),
  { minLength: 1, maxLength: 3 },
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
const requests = fc.array(fc.record({ step: fc.constantFrom(...STEPS), key: fc.nat({ max: 2 }) }), {
  maxLength: 60,
});

function memoryLimiter(rule: BanRule | false): RateLimiter {
  return withBans(createRateLimiter(windowFromFirstRequest), rule);
}

function recordsOf(limits: readonly KeyRecord['limits'][]): readonly KeyRecord[] {
  return limits.map((limit, index) => ({ key: `key-${index}`, plan: 'enterprise', limits: limit }));
}

function chosen(records: readonly KeyRecord[], index: number): KeyRecord {
  const record = records[index % records.length];
  if (record === undefined) {
    throw new Error('There are no keys');
  }
  return record;
}

describe.skipIf(obstacle !== null)('Redis decides as the limiter in memory', () => {
  const redis = useRedis({ isDurable: false });

  test('at any time, the very ends of windows and bans among them', async () => {
    const client = new Redis(redis().url);
    onTestFinished(() => client.disconnect());
    const script = `${COMMON}${DECISION} return { decide(tonumber(ARGV[1]), ARGV[2], banOf(3)) }`;
    await fc.assert(
      fc.asyncProperty(keys, ban, requests, async (limits, rule, sequence) => {
        const namespace = freshNamespace();
        const names = KEY_NAMES.map((name) => `${namespace}:${name}`);
        const records = recordsOf(limits);
        for (const { key, plan, limits: limit } of records) {
          await client.hset(`${namespace}:records`, key, writeRecord(plan, limit));
        }
        const memory = memoryLimiter(rule);
        const banWords =
          rule === false ? ['', '0', ''] : [rule.afterRefused, rule.seconds, rule.extended ? '1' : ''];
        let now = START;
        for (const { step, key: index } of sequence) {
          now += step;
          const record = chosen(records, index);
          const reply = await client.eval(script, names.length, ...names, now, record.key, ...banWords);
          const [isValid, before, after] = Array.isArray(reply) ? reply.map(String) : [];
          expect(isValid).toBe('1');
          const resumed = resumeLimiter(readUsage(before ?? ''), rule);
          expect(resumed.look(record, now)).toEqual(memory.look(record, now));
          expect(resumed.decide(record, now, REQUEST)).toEqual(memory.decide(record, now, REQUEST));
          const next = resumeLimiter(readUsage(after ?? ''), rule);
          expect(next.look(record, now)).toEqual(memory.look(record, now));
        }
      }),
      { numRuns: 100 },
    );
  });

  test('by the clock of Redis, which the control contract sets forward', async () => {
    await fc.assert(
      fc.asyncProperty(keys, ban, requests, async (limits, rule, sequence) => {
        const replica = createReplica([]);
        const records = recordsOf(limits);
        const state = await joinSharedState({
          url: redis().url,
          namespace: freshNamespace(),
          replica,
          ban: rule,
          seedRecords: () =>
            records.flatMap(({ key, plan, limits: limit }) => [
              replica.keys.digestOf(key),
              writeRecord(plan, limit),
            ]),
          configuration: () => 'configuration',
        });
        const memory = memoryLimiter(rule);
        let latest = 0;
        for (const { step, key: index } of sequence) {
          if (step > 0) {
            await state.apply([['advance', `${step}`]]);
          }
          const record = chosen(records, index);
          const { now, usage } = await state.decide(replica.keys.digestOf(record.key));
          expect(now).toBeGreaterThanOrEqual(latest + step);
          latest = now;
          expect(usage).toBeDefined();
          const resumed = resumeLimiter(readUsage(usage?.before ?? ''), rule);
          expect(resumed.decide(record, now, REQUEST)).toEqual(memory.decide(record, now, REQUEST));
        }
        state.close();
      }),
      { numRuns: 30 },
    );
  });
});
