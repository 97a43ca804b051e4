import { describe, expect, test } from 'vitest';

import type { RequirementId } from '../../contract/requirements/index.ts';
import {
  ban,
  changeDecisions,
  headerOf,
  withHeader,
  type Alteration,
  type DecisionChange,
  type ReferenceServerOptions,
  type ServiceResponse,
} from '../../reference-server/index.ts';
import { returnEarly } from '../../suites/stimuli/provoking/early-return.ts';
import { smallKeys, useUp } from '../../suites/stimuli/provoking/use-up.ts';
import { credentialSpellings } from '../../suites/stimuli/checks/altered-keys.ts';
import { banCheck } from '../../suites/stimuli/checks/bans.ts';
import { dayAcrossMinutes, dayLimitChecks } from '../../suites/stimuli/checks/day-limits.ts';
import { earlyReturn } from '../../suites/stimuli/checks/early-return.ts';
import { minuteLimitChecks } from '../../suites/stimuli/checks/minute-limits.ts';
import { keylessUpdates } from '../../suites/stimuli/checks/missing-keys.ts';
import { acceptedForms, observedUpdates, oddRequests } from '../../suites/stimuli/checks/observations.ts';
import { confusablePets, updateCheck } from '../../suites/stimuli/checks/updates.ts';
import { listInventory } from '../../suites/target/index.ts';
import type { Check, CheckContext } from '../../suites/verify/index.ts';
import { alterationOf, answering, judgeAltered } from './run.test-data.ts';

// What checks make of targets that are none of the seeded faults and permitted variants: the kill matrix shows all others.

const withoutBans: Alteration = { options: (options) => ({ ...options, ban: false }) };

/** Changes the responses that come one after the other. */
function changing(change: (response: ServiceResponse) => ServiceResponse): Alteration {
  return answering(async (request, service) => change(await service.respond(request)));
}

const onlyCapitalBearer: Alteration = {
  parts: ({ authenticate }) => ({
    authenticate: (request, keys) =>
      headerOf(request, 'Authorization')?.startsWith('Bearer ') === false
        ? 'invalid'
        : authenticate(request, keys),
  }),
};

const bodyFirst = answering(async (request, service) => {
  const response = await service.respond(request);
  if (response.status !== 401 || request.method !== 'PATCH') {
    return response;
  }
  const body = await request.readBody();
  const isValid =
    body.state === 'complete' && /^\{"quantity":\d+\}$/.test(Buffer.from(body.bytes).toString());
  return isValid ? response : { ...response, status: 400 };
});

function soonAfterTenRefusals(): Alteration {
  let refusals = 0;
  return {
    parts: ({ retryAfter }) => ({
      retryAfter: (...told) => {
        refusals += 1;
        return refusals > 10 ? '5' : retryAfter(...told);
      },
    }),
  };
}

test.for<readonly [id: RequirementId, check: Check, ...alterations: readonly Alteration[]]>([
  ['bearer-any-case', credentialSpellings, onlyCapitalBearer],
  ['authentication-first', keylessUpdates, bodyFirst],
  ['retry-after-honoured', banCheck, withoutBans, soonAfterTenRefusals()],
])('%s is found to be broken', async ([id, check, ...alterations]) => {
  expect((await judgeAltered([check], alterations)).judgementOf(id)?.outcome).toBe('fail');
});

/** A burst whose first refusal is for a ban. */
function askingForTheBanAtFirst(): Alteration {
  let refusals = 0;
  return changing((response) => {
    refusals += response.status === 429 ? 1 : 0;
    return response.status === 429 && refusals === 1 ? withHeader(response, 'Retry-After', '700') : response;
  });
}

const endingAtOne = changing((response) =>
  response.status === 200 && headerOf(response, 'X-RateLimit-Remaining') === '0'
    ? withHeader(response, 'X-RateLimit-Remaining', '1')
    : response,
);

const refusingUpdates = answering((request, service) =>
  service.respond(request.method === 'PATCH' ? { ...request, target: '/v1/inventory/none' } : request),
);

test.for<
  readonly [what: string, id: RequirementId, check: Check | undefined, ...alterations: readonly Alteration[]]
>([
  ['of a wrong Remaining', 'retry-after-honoured', minuteLimitChecks[0], endingAtOne],
  ['if a burst leads to a ban', 'retry-after-plausible', minuteLimitChecks[2], askingForTheBanAtFirst()],
  [
    'if updates are refused below a limit',
    'refusal-is-429',
    minuteLimitChecks[0],
    alterationOf('minute-free-unlimited'),
    refusingUpdates,
  ],
  ['if an update adds', 'update-exact-pet', confusablePets, alterationOf('update-adds')],
])('%s, %s is not accused', async ([, id, check, ...alterations]) => {
  const { judgementOf } = await judgeAltered(check === undefined ? [] : [check], alterations);
  expect(judgementOf(id)?.outcome).not.toBe('fail');
});

test('a closed connection is an answer to what is not documented', async () => {
  const closing = answering((request, service) => {
    if (request.target === '/v1/inventories') {
      request.connection.drop();
    }
    return service.respond(request);
  });
  const { judgementOf, observations } = await judgeAltered([oddRequests], [closing]);
  expect(judgementOf('method-not-allowed')?.outcome).toBe('pass');
  expect(observations).toMatchObject({ 'unknown-routes.GET /inventories': 'connection closed' });
});

test('what the specification leaves open is observed', async () => {
  const { observations } = await judgeAltered([acceptedForms, observedUpdates, oddRequests], []);
  expect(observations).toMatchObject({
    'integral-number-forms.1e2': 'accepted as 100',
    'body-encoding.UTF-16': '400',
    'query-parameters.list with a query string': 200,
    'other-operation-shapes.listOrders': '200 JSON array',
    'unknown-routes.GET /inventories': '404 Error object',
  });
});

test('an update that is not answered within a short timeout proves nothing', async () => {
  const silent = answering((request, service) =>
    request.method === 'PATCH' ? new Promise(() => {}) : service.respond(request),
  );
  const transport = { timeoutMilliseconds: 300, insecure: false, certificateAuthority: null };
  const { judgementOf } = await judgeAltered([updateCheck], [silent], { transport });
  expect(judgementOf('update-succeeds')?.outcome).toBe('inconclusive');
});

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
    let seen: unknown;
    const sender: Check = {
      ...earlyReturn,
      needs: { profile: 'standard', keys: [{ plan: 'pro', use: 'share', requests: 3 }] },
      run: async (context) => {
        seen = await send(context);
      },
    };
    const refusing: Alteration = {
      parts: ({ limiter }) => ({
        limiter: {
          ...limiter,
          decide: (key, ...asking) => ({
            ...limiter.decide(key, ...asking),
            ...(key.plan === 'pro' ? { accepted: false, retryAfterSeconds: 3 } : {}),
          }),
        },
      }),
    };
    const { requests } = await judgeAltered([sender], [refusing]);
    expect(seen).toEqual(expected);
    expect(requests).toHaveLength(3 + 1);
  },
);

/** Refusals say these fields anew each time, as if the window had just begun. */
const anew = (...names: readonly ('Retry-After' | 'X-RateLimit-Reset')[]): Alteration => ({
  service: (service, { clock }) => ({
    ...service,
    respond: async (request) => {
      const response = await service.respond(request);
      const values = { 'Retry-After': '60', 'X-RateLimit-Reset': `${Math.ceil(clock.now() + 60)}` };
      return response.status === 429
        ? names.reduce((changed, name) => withHeader(changed, name, values[name]), response)
        : response;
    },
  }),
});

/** What the ban check does before it goes on, without the ban. */
function comingBack(tell: (ban: number | null, continued: number) => void): Check {
  return {
    ...earlyReturn,
    needs: { ...earlyReturn.needs, keys: smallKeys(1, 2) },
    run: async (context) => {
      const key = context.key();
      await useUp(context, key);
      const refusal = await context.send(listInventory(), { key });
      const { ban, continued } = await returnEarly(context, key, refusal);
      tell(ban?.after ?? null, continued);
    },
  };
}

describe.for<readonly [what: string, shown: string, ...alterations: readonly Alteration[]]>([
  ['keeps the end of its window', 'nothing'],
  ['tells the same wait at any moment', 'Retry-After begins anew', anew('Retry-After')],
  ['moves its reset', 'X-RateLimit-Reset begins anew', anew('X-RateLimit-Reset')],
  [
    'begins its window anew',
    'Retry-After and X-RateLimit-Reset begin anew',
    anew('Retry-After', 'X-RateLimit-Reset'),
  ],
])('of a service that %s', ([, shown, ...alterations]) => {
  test.each([false, true])('the check sees it; before a ban is provoked: %s', async (isBeforeBan) => {
    const told: (number | null)[] = [];
    const check = isBeforeBan ? comingBack((...result) => told.push(...result)) : earlyReturn;
    const { observations } = await judgeAltered([check], [withoutBans, ...alterations]);
    expect(observations['early-return']).toBe(shown);
    expect(told).toEqual(isBeforeBan ? [null, shown.startsWith('Retry-After') ? 2 : 1] : []);
  });
});

test.for<readonly [string, ReferenceServerOptions['ban']]>([
  ['another status', { afterRefused: 1, seconds: 60, status: 403 }],
  ['a longer wait', { afterRefused: 1, seconds: 600 }],
  ['a wait of a minute', { afterRefused: 1, seconds: 60 }],
])('what is told of the first continued request that leads to a ban with %s', async ([, ban = false]) => {
  const told: (number | null)[] = [];
  const check = comingBack((...result) => told.push(...result));
  const { judgementOf } = await judgeAltered([check], [{ options: (options) => ({ ...options, ban }) }]);
  expect(told).toEqual([1, 0]);
  expect(judgementOf('early-return')?.outcome).toBe('skipped');
});

/** What a check of the day finds out about a server that answers bans 401, and decides as told. */
async function judgeDay(check: Check | undefined, start: () => DecisionChange) {
  const answeredAlike: Alteration = { parts: () => ({ banStatus: 401 }) };
  return judgeAltered(check === undefined ? [] : [check], [answeredAlike, changeDecisions(start)]);
}

test('a refusal with requests left today is not taken for one beyond the day', async () => {
  const { judgementOf } = await judgeDay(dayLimitChecks[0], () => {
    const accepted = new WeakMap<object, number>();
    return (decision, { key }) => {
      const count = (accepted.get(key) ?? 0) + 1;
      accepted.set(key, count);
      return count > 5 && key.plan === 'free' ? ban(decision, 60) : decision;
    };
  });
  expect(judgementOf('valid-key-accepted')?.outcome).toBe('fail');
  expect(judgementOf('day-limit-free')?.outcome).not.toBe('fail');
  expect(judgementOf('refusal-is-429')?.outcome).not.toBe('fail');
});

test('a ban at the start of the second minute says nothing of the day', async () => {
  const { judgementOf } = await judgeDay(dayAcrossMinutes, () => {
    const refused = new WeakSet<object>();
    return (decision, { key }) => {
      if (!decision.accepted) {
        refused.add(key);
        return decision;
      }
      return refused.has(key) ? ban(decision, 3_600) : decision;
    };
  });
  expect(judgementOf('day-limit-free')?.outcome).toBe('skipped');
});
