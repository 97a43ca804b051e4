import { expect, test } from 'vitest';

import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Check } from '../../stimuli/check.ts';
import { credentialSpellings } from '../../stimuli/checks/altered-keys.ts';
import { banCheck } from '../../stimuli/checks/bans.ts';
import { wholeDay } from '../../stimuli/checks/day-limits.ts';
import { minuteLimitChecks } from '../../stimuli/checks/minute-limits.ts';
import { keylessUpdates } from '../../stimuli/checks/missing-keys.ts';
import { acceptedForms, observedUpdates, oddRequests } from '../../stimuli/checks/observations.ts';
import { confusablePets, updateCheck } from '../../stimuli/checks/updates.ts';
import { judgeScripted } from './judge-scripted.test-data.ts';
import { TransportError } from '../../target/index.ts';
import { readQuantity, rewriting, type TargetChange } from './scripted-target.test-data.ts';

// What checks make of targets that are none of the seeded faults and permitted variants: the kill matrix shows all others.

/** Windows of this kind grant so many requests more than they should. */
const granting =
  (more: number, window: 'minute' | 'day'): TargetChange =>
  ({ grants }) => ({
    grants: (client, name) => grants(client, name) + (name === window ? more : 0),
  });

/** The connection is closed instead of a reply that fits. */
function closing(fits: Parameters<typeof rewriting>[0]): TargetChange {
  return rewriting(fits, () => {
    throw new TransportError('other side closed', 'UND_ERR_SOCKET');
  });
}

const onlyCapitalBearer: TargetChange = ({ authenticate }) => ({
  authenticate: (call) =>
    call.authorization[0]?.startsWith('Bearer ') === true ? authenticate(call) : undefined,
});

const bodyFirst = rewriting(
  ({ status }, { method, body }) => status === 401 && method === 'PATCH' && readQuantity(body) === undefined,
  () => ({ status: 400 }),
);

test.each<readonly [id: RequirementId, check: Check, change: TargetChange]>([
  ['bearer-any-case', credentialSpellings, onlyCapitalBearer],
  ['authentication-first', keylessUpdates, bodyFirst],
  ['day-limit-free', wholeDay, granting(1_001, 'day')],
])('%s is found to be broken', async (id, check, change) => {
  expect((await judgeScripted([check])).judgementOf(id).outcome).toBe('pass');
  expect((await judgeScripted([check], change)).judgementOf(id).outcome).toBe('fail');
});

test('a client that is not banned comes back when the last of many refusals said so', async () => {
  let refusals = 0;
  const judged = await judgeScripted([banCheck], () => ({
    ban: null,
    retryAfter: (seconds) => {
      refusals += 1;
      return refusals > 10 ? 5 : seconds;
    },
  }));
  expect(judged.judgementOf('retry-after-honoured').outcome).toBe('fail');
});

test.each([
  [60, 'pass'],
  [90, 'fail'],
] as const)('in real time, minutes of %i s: %s', async (seconds, outcome) => {
  const lasting: TargetChange = ({ windowSeconds }) => ({
    windowSeconds: (name, client) => (name === 'minute' ? seconds : windowSeconds(name, client)),
  });
  const judgements = await judgeScripted(minuteLimitChecks.slice(1, 2), lasting, new Set(), false);
  const ids = ['limit-renews', 'minute-limit-pro', 'remaining-falls'] as const;
  expect(ids.some((id) => judgements.judgementOf(id).outcome === 'fail')).toBe(outcome === 'fail');
});

const withoutPets: TargetChange = (_rules, world) => {
  world.pets.clear();
  return {};
};

test('in real time, an inventory without a pet leaves limits to be judged', async () => {
  const judgements = await judgeScripted(minuteLimitChecks, withoutPets, new Set(), false);
  for (const id of ['minute-limit-free', 'minute-limit-pro', 'minute-limit-enterprise'] as const) {
    expect(judgements.judgementOf(id)).toMatchObject({ outcome: 'pass', reason: null });
  }
});

test('a wrong Remaining is not blamed on Retry-After', async () => {
  const endsAtOne = rewriting(
    ({ status, headers }) => status === 200 && headers.some(isLastRemaining),
    ({ headers }) => ({
      headers: headers.map((field) => (isLastRemaining(field) ? [field[0], '1'] : field)),
    }),
  );
  const judgements = await judgeScripted(minuteLimitChecks.slice(0, 1), endsAtOne);
  expect(judgements.judgementOf('retry-after-honoured').outcome).toBe('pass');
});

test('a refusal that a burst was banned by may ask for more than a minute, though it was sent first', async () => {
  let refusals = 0;
  const firstAsksForTheBan = rewriting(
    ({ status }) => {
      refusals += status === 429 ? 1 : 0;
      return status === 429 && refusals === 1;
    },
    ({ headers }) => ({
      headers: headers.map(([name, value]) => [name, name === 'Retry-After' ? '700' : value]),
    }),
  );
  const judgements = await judgeScripted(minuteLimitChecks.slice(2, 3), firstAsksForTheBan);
  expect(refusals).toBeGreaterThan(1);
  expect(judgements.judgementOf('retry-after-plausible').outcome).not.toBe('fail');
});

// As where a window ends in the midst of each burst.
const refusingUpdates: TargetChange = (rules, world) => ({
  ...granting(1_000, 'minute')(rules, world),
  quantityOf: () => null,
});

test('an update that is refused for what it asks, below a limit that was not reached, is no wrong refusal', async () => {
  const judgements = await judgeScripted(minuteLimitChecks.slice(0, 1), refusingUpdates);
  expect(judgements.judgementOf('refusal-is-429').outcome).not.toBe('fail');
});

function isLastRemaining([name, value]: readonly [string, string]): boolean {
  return name === 'X-RateLimit-Remaining' && value === '0';
}

test('a closed connection is an answer to what is not documented', async () => {
  const judgements = await judgeScripted(
    [acceptedForms, oddRequests],
    closing(({ status }, { path }) => status === 404 && !path.startsWith('/pets/')),
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
    closing((_reply, { path }) => path === '/store/orders'),
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

test('an update that is not answered within a short timeout proves nothing', async () => {
  const silent = rewriting(
    (_reply, { method }) => method === 'PATCH',
    () => {
      throw new TransportError('nothing came', 'HEAD_TIMEOUT', 1_000);
    },
  );
  const judgements = await judgeScripted([updateCheck], silent);
  expect(judgements.judgementOf('update-succeeds').outcome).toBe('inconclusive');
});

test('an update that adds has hit the right pet', async () => {
  const judgements = await judgeScripted([confusablePets], ({ update }) => ({
    update: (item, quantity) => update(item, Number(item.quantity) + Number(quantity)),
  }));
  expect(judgements.judgementOf('update-sets').outcome).toBe('fail');
  expect(judgements.judgementOf('update-exact-pet').outcome).toBe('pass');
});
