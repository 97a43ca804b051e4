import { expect, test } from 'vitest';

import { listInventory } from '../target/index.ts';
import type { Check } from '../stimuli/check.ts';
import { judgeScripted } from './scripted/judge-scripted.test-data.ts';

test('a key that is refused again each time that it has waited is sent nothing more', async () => {
  const seen: unknown[] = [];
  let requests = 0;
  const sender: Check = {
    id: 'sender',
    title: 'Sends three requests',
    judges: ['list-succeeds'],
    needs: { profile: 'standard', keys: [{ plan: 'free', use: 'share', requests: 3 }] },
    run: async (context) => {
      for (let sent = 0; sent < 3; sent += 1) {
        seen.push(
          await context.send(listInventory(), { key: context.key() }).then(
            ({ response }) => response.status,
            (error: unknown) => (error instanceof Error ? error.message : error),
          ),
        );
      }
    },
  };
  await judgeScripted([sender], () => ({
    grants: () => 0,
    reply: (reply) => {
      requests += 1;
      return reply;
    },
  }));
  const givenUp = expect.stringContaining('nothing more is sent with it');
  expect(seen).toEqual([429, givenUp, givenUp]);
  expect(requests).toBe(3);
});

test('a burst on a key that keeps its limit goes on after a 429 no sooner than a single request does', async () => {
  let requests = 0;
  const told: unknown[] = [];
  const sender: Check = {
    id: 'sender',
    title: 'Sends three requests at once',
    judges: ['list-succeeds'],
    needs: { profile: 'standard', keys: [{ plan: 'free', use: 'share', requests: 3 }] },
    run: async (context) => {
      const burst = [listInventory(), listInventory(), listInventory()];
      told.push(await context.sendAll(burst, context.key(), 1).catch((error: unknown) => String(error)));
    },
  };
  await judgeScripted([sender], () => ({
    grants: () => 0,
    reply: (reply) => {
      requests += 1;
      return reply;
    },
  }));
  expect(told).toEqual([expect.stringContaining('nothing more is sent with it')]);
  expect(requests).toBe(3);
});
