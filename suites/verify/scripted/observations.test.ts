import { expect, test } from 'vitest';

import { judgeScripted } from './judge-scripted.test-data.ts';
import { acceptedForms, observedUpdates, oddRequests } from '../../stimuli/checks/observations.ts';
import { closing } from './target-changes.test-data.ts';

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
    findings: [{ message: expect.stringMatching(/^GET \/store\/orders got no complete HTTP response/) }],
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
