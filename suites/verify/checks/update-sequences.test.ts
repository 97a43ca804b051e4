import { describe, expect, test } from 'vitest';

import { judgeScripted, testChecks } from './judge-scripted.test-data.ts';
import { rewriting } from './target-changes.test-data.ts';
import { readQuantity, type TargetChange } from './scripted-target.test-data.ts';
import { updateOutlivesTime, updateSequences, updateWithEveryPlan } from './update-sequences.ts';

const failing = rewriting(
  (_reply, { method }) => method === 'PATCH',
  () => ({ status: 500 }),
);
const zeroIsNothing: TargetChange = ({ update }) => ({
  update: (item, quantity) => (Number(quantity) === 0 ? { ...item, quantity } : update(item, quantity)),
});

describe('in sequence', () => {
  testChecks(
    [updateSequences],
    [
      ['update-succeeds', 'it is answered 500', failing],
      ['update-persists', '0 is not stored', zeroIsNothing],
      [
        'update-missing-quantity',
        'the query has it',
        ({ quantityOf }) => ({
          quantityOf: (call) =>
            quantityOf(call) ?? readQuantity(`{"${call.query.replace('=', '":')}}`) ?? null,
        }),
      ],
      [
        'update-invalid-quantity',
        'null is 0',
        ({ quantityOf }) => ({ quantityOf: (call) => (call.body.includes('null') ? 0 : quantityOf(call)) }),
      ],
    ],
  );
});

describe('with keys of every plan', () => {
  test('a limit of millions is to be shown in full', async () => {
    const judgements = await judgeScripted(
      [updateWithEveryPlan],
      rewriting(
        () => true,
        ({ headers }) => ({
          headers: headers.map(([name, value]) =>
            name === 'X-RateLimit-Limit' && value.length > 6 ? [name, '1.2e+06'] : [name, value],
          ),
        }),
      ),
    );
    expect(judgements.judgementOf('header-limit').outcome).toBe('fail');
  });

  testChecks(
    [updateWithEveryPlan],
    [
      ['update-succeeds', 'it is answered 500', failing],
      [
        'update-persists',
        'each client has a list of its own',
        () => {
          const own = new Map<string, number>();
          return {
            update: (item, quantity) => ({ ...item, quantity }),
            reply: (reply, { method, path, body }, client) => {
              const name = client?.secret ?? '';
              if (method === 'PATCH') {
                own.set(`${name} ${path.split('/')[2]}`, Number(readQuantity(body)));
              }
              const entry = /"petId":(\d+),"quantity":\d+/g;
              const shown = reply.body.replaceAll(entry, (text, petId: string) =>
                text.replace(/\d+$/, (old) => String(own.get(`${name} ${petId}`) ?? old)),
              );
              return { ...reply, body: shown };
            },
          };
        },
      ],
    ],
  );
});

describe('as time passes', () => {
  testChecks(
    [updateOutlivesTime],
    [
      ['update-succeeds', 'it is answered 500', failing],
      [
        'update-persists',
        'an hour later the old quantity is back',
        ({ list, update }, world) => {
          const old = new Map(list().map((item) => [item.petId, item]));
          let latest = 0;
          return {
            update: (item, quantity) => {
              latest = world.now;
              return update(item, quantity);
            },
            list: () => (world.now > latest + 3_600 ? [...old.values()] : list()),
          };
        },
      ],
    ],
  );
});
