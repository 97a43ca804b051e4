import { describe, expect, test } from 'vitest';

import { judgeScripted, testChecks } from './judge-scripted.test-data.ts';
import { acceptedForms, observedUpdates, oddRequests } from './observations.ts';
import { readQuantity } from './scripted-target.test-data.ts';
import { closing, withField } from './target-changes.test-data.ts';

describe('is judged in passing', () => {
  testChecks(
    [observedUpdates, oddRequests],
    [
      [
        'update-succeeds',
        'a negative quantity is accepted and shown as 0',
        ({ update }) => ({
          update: (item, quantity) => ({
            ...update(item, quantity),
            quantity: Math.max(0, Number(quantity)),
          }),
        }),
      ],
      [
        'refused-changes-nothing',
        'a quantity beyond 32 bits is refused after it was stored',
        ({ reply: plain }) => ({
          reply: (reply, call, client) => {
            const quantity = Number(readQuantity(call.body) ?? 0);
            return plain(
              call.method === 'PATCH' && reply.status === 200 && quantity > 2 ** 32
                ? { ...reply, status: 400, body: '{"code":"large","message":"Too large.","status":400}' }
                : reply,
              call,
              client,
            );
          },
        }),
      ],
      ['update-persists', 'the list stays', () => ({ update: (item, quantity) => ({ ...item, quantity }) })],
      [
        'update-exact-pet',
        'the pet that a body names is updated',
        ({ find, quantityOf, update }) => {
          let named = '';
          return {
            quantityOf: (call) => {
              named = /"petId":(\d+)/.exec(call.body)?.[1] ?? '';
              return quantityOf(call);
            },
            update: (item, quantity) => update(find(named) ?? item, quantity),
          };
        },
      ],
      ['method-not-allowed', 'Allow is missing', withField('Allow', null)],
      ['method-not-allowed', 'the connection is closed', closing((status) => status === 405)],
    ],
  );
});

test('a closed connection is an answer to what is not documented', async () => {
  const judgements = await judgeScripted(
    [acceptedForms, oddRequests],
    closing((status, { path }) => status === 404 && !path.startsWith('/pets/')),
  );
  expect(judgements.judgementOf('method-not-allowed').outcome).toBe('pass');
  expect(judgements.observations()).toMatchObject({
    'path-spellings.list with a trailing slash': 'connection closed',
    'query-parameters.list with a query string': 200,
    'unknown-routes.GET /inventories': 'connection closed',
  });
});

test('a closed connection is no answer to what is documented', async () => {
  const judgements = await judgeScripted(
    [acceptedForms],
    closing((_status, { path }) => path === '/store/orders'),
  );
  expect(judgements.judgementOf('valid-key-accepted')).toMatchObject({
    outcome: 'fail',
    findings: [{ message: expect.stringMatching(/^GET \/store\/orders got no HTTP response/) }],
  });
});

test('what the specification leaves open is observed', async () => {
  const judgements = await judgeScripted([acceptedForms, observedUpdates, oddRequests]);
  expect(judgements.observations()).toMatchObject({
    'negative-quantity.minus one': 'accepted as -1',
    'integral-number-forms.1e2': 'accepted as 100',
    'body-encoding.UTF-16': '400',
    'request-content-type.text/plain': 200,
    'path-spellings.list with a trailing slash': 404,
    'query-parameters.list with a query string': 200,
    'other-operation-shapes.listOrders': '200 JSON array',
    'unknown-routes.GET /inventories': '404 Error object',
    'odd-pet-ids.petId: fraction': 404,
  });
});
