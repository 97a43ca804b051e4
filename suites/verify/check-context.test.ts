import { expect, test } from 'vitest';

import { listInventory } from '../target/index.ts';
import type { Check, CheckContext } from '../stimuli/index.ts';
import { judgeScripted } from './scripted/judge-scripted.test-data.ts';

const LISTS = [listInventory(), listInventory(), listInventory()];
const GIVEN_UP = expect.stringContaining('nothing more is sent with it');

/** What came of it, by the statuses of the answers, or in words. */
const outcomeOf = (sent: ReturnType<CheckContext['send']>): Promise<unknown> =>
  sent.then(({ response }) => response.status).catch(String);

test.each<[string, (context: CheckContext) => Promise<unknown>, unknown]>([
  [
    'one request after the other',
    async (context) => {
      const seen: unknown[] = [];
      for (const list of LISTS) {
        seen.push(await outcomeOf(context.send(list, { key: context.key() })));
      }
      return seen;
    },
    [429, GIVEN_UP, GIVEN_UP],
  ],
  ['a burst', (context) => context.sendAll(LISTS, context.key(), 1).catch(String), GIVEN_UP],
])(
  'a key that is refused again each time that it has waited is sent nothing more: %s',
  async (_, send, expected) => {
    let requests = 0;
    let seen: unknown;
    const sender: Check = {
      id: 'sender',
      title: 'Sends three requests',
      judges: ['list-succeeds'],
      needs: { profile: 'standard', keys: [{ plan: 'free', use: 'share', requests: 3 }] },
      run: async (context) => {
        seen = await send(context);
      },
    };
    await judgeScripted([sender], () => ({
      grants: () => 0,
      reply: (reply) => {
        requests += 1;
        return reply;
      },
    }));
    expect(seen).toEqual(expected);
    expect(requests).toBe(3);
  },
);
