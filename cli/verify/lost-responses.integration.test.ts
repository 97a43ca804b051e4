import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { requirement } from '../../contract/requirements/index.ts';
import { listenForTest } from '../../fixtures/loopback.test-data.ts';
import type { Alteration } from '../../reference-server/index.ts';
import { CHECKS } from '../../suites/verify/index.ts';
import { runForTest } from '../../suites/verify/run-suite.test-data.ts';
import { resolveTargetConfig } from '../../suites/target/index.ts';
import { buildReport } from '../library/verify/report.ts';
import { alterationOf, answering, startTarget } from './run.test-data.ts';

/** Told of each response, it says whether that is lost. */
type Loss = (data: string) => boolean;

function losingAt(isLost: (number: number) => boolean): Loss {
  let responses = 0;
  return () => {
    responses += 1;
    return isLost(responses);
  };
}

const everyNth = (every: number): Loss => losingAt((number) => number % every === 0);

/** A way to a server on which the connection breaks instead of some responses. */
async function losing(url: string, isLost: Loss): Promise<string> {
  const { hostname, port, pathname } = new URL(url);
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    client.on('error', end).on('close', end);
    server.on('error', end).on('close', end);
    client.on('data', (data) => server.write(data));
    server.on('data', (data) => {
      if (isLost(data.toString('latin1'))) {
        end();
      } else {
        client.write(data);
      }
    });
  });
  return `http://127.0.0.1:${await listenForTest(proxy)}${pathname}`;
}

const ALL: readonly string[] = CHECKS.map(({ id }) => id);
/** Checks that send hundreds of requests with one key. */
const LONG = ['whole-day', 'window-length', 'window-renews', 'ban'].concat(
  ['pro', 'business', 'enterprise'].map((plan) => `minute-limit-${plan}`),
);

interface Circumstances {
  readonly fault?: string;
  readonly alterations?: readonly Alteration[];
  /** The only checks to run. */
  readonly checks?: readonly string[];
  /** Whether the run ends at the first must that fails. */
  readonly bail?: boolean;
}

/** It starts at the fortieth second of a minute, and stands still for a second after a few refusals. */
function haltingLateInTheMinute(): Alteration {
  let ahead = 0;
  let refusals = 0;
  return {
    parts: ({ clock }) => {
      ahead = 100 - (clock.now() % 60);
      return { clock: { now: () => clock.now() + ahead } };
    },
    ...answering(async (request, service) => {
      const response = await service.respond(request);
      refusals += response.status === 429 ? 1 : 0;
      ahead += refusals === 4 && response.status === 429 ? 1 : 0;
      return response;
    }),
  };
}

async function judgeOver(
  isLost: Loss,
  { fault, alterations = [], checks = ALL, bail = false }: Circumstances = {},
) {
  const { server, description: direct } = await startTarget({
    alterations: [...(fault === undefined ? [] : [alterationOf(fault)]), ...alterations],
    graceMilliseconds: 0,
  });
  const description = { ...direct, target: await losing(server.url, isLost), profile: 'full' as const };
  const result = await runForTest(description, {
    selects: ({ id }) => checks.includes(id),
    banWaitSeconds: 120,
    ...(bail ? { bail: (id) => requirement(id).level === 'must' } : {}),
  });
  const config = resolveTargetConfig(description);
  const report = buildReport(result, { config, level: 'must', selection: null });
  return {
    verdict: report.verdict,
    observations: result.observations,
    failed: report.requirements
      .filter(({ level, outcome }) => level === 'must' && outcome === 'fail')
      .map(({ id, findings }) => `${id}: ${findings[0]?.message}`),
  };
}

// So often that each check loses some.
test.for([
  { every: 23, length: 'short', checks: ALL.filter((id) => !LONG.includes(id)) },
  { every: 307, length: 'long', checks: LONG },
])('a lost response in $every of $length checks accuses nobody', async ({ every, checks }) => {
  const { verdict, failed } = await judgeOver(everyNth(every), { checks });
  expect(failed).toEqual([]);
  expect(['conformant', 'inconclusive']).toContain(verdict);
});

test.for(['minute-free-unlimited', 'reset-in-milliseconds', 'update-lost-once-in-twelve'])(
  '%s is caught all the same',
  async (fault) => {
    expect(await judgeOver(everyNth(211), { fault, bail: true })).toMatchObject({ verdict: 'nonconformant' });
  },
);

test('a ban that never ends is a violation, whatever was lost while it was provoked', async () => {
  // One of the requests that use up the minute; the refusal comes one too early then.
  const { failed } = await judgeOver(
    losingAt((number) => number === 40),
    { checks: ['ban'], fault: 'ban-never-ends-untold' },
  );
  expect(failed).toEqual([expect.stringMatching(/^ban-ends: /)]);
});

test('the threshold of a ban is what it is, whichever of the refusals before it was lost', async () => {
  let refusals = 0;
  const shown = await judgeOver(
    (data) => {
      refusals += data.startsWith('HTTP/1.1 429') ? 1 : 0;
      return refusals === 5;
    },
    { checks: ['ban'] },
  );
  expect(shown.observations).toMatchObject({ 'ban-threshold': 'within 10 continued requests' });
});

test('the threshold of a ban is exact if the window slides and the target stands still for a second', async () => {
  const { observations } = await judgeOver(() => false, {
    checks: ['ban'],
    alterations: [alterationOf('sliding-counter'), haltingLateInTheMinute()],
  });
  expect(observations).toMatchObject({ 'ban-threshold': 'within 10 continued requests' });
});

const WHERE_BANS_ARE_TOLD_SLOWLY = answering(async (request, service) => {
  const response = await service.respond(request);
  await delay(response.status === 401 ? 350 : 0);
  return response;
});

const BAN_OF_62_SECONDS: Alteration = {
  options: (options) => ({ ...options, ban: { seconds: 62, status: 401 } }),
};

test.for([
  { how: 'told', bans: [BAN_OF_62_SECONDS], length: 'up to 5 minutes' },
  {
    how: 'not told',
    bans: [alterationOf('ban-by-401-without-retry-after')],
    length: 'over after a wait of 61 s',
  },
])('the length of a ban, $how, is exact if answers take long', async ({ bans, length }) => {
  const alterations = [...bans, WHERE_BANS_ARE_TOLD_SLOWLY];
  const { observations } = await judgeOver(() => false, { checks: ['ban'], alterations });
  expect(observations).toMatchObject({ 'ban-length': length });
});

/** The list that a check begins with is forgotten by a sliding minute at the third 404. */
function forgettingTheListAmongRefusals(): Alteration {
  let ahead = 0;
  let notFound = 0;
  return {
    parts: ({ clock }) => ({ clock: { now: () => clock.now() + ahead } }),
    ...answering(async (request, service) => {
      const response = await service.respond(request);
      notFound += response.status === 404 ? 1 : 0;
      ahead += response.status === 200 || (response.status === 404 && notFound === 2) ? 30 : 0;
      return response;
    }),
  };
}

test('requests that are refused count, whatever a window that slides forgets meanwhile', async () => {
  const { observations } = await judgeOver(() => false, {
    checks: ['unknown-pets'],
    alterations: [alterationOf('sliding-log'), forgettingTheListAmongRefusals()],
  });
  expect(observations).toMatchObject({ 'refused-requests-count.404': true });
});

/** Every other request of a key is refused, as if one before had not left a sliding window. */
const REFUSES_EVERY_OTHER: Alteration = {
  parts: ({ limiter }) => {
    const requests = new WeakMap<object, number>();
    return {
      limiter: {
        ...limiter,
        decide: (key, now, request) => {
          const count = (requests.get(key) ?? 0) + 1;
          requests.set(key, count);
          const decision = limiter.decide(key, now, request);
          return count % 2 === 1 ? { ...decision, accepted: false, retryAfterSeconds: 3 } : decision;
        },
      },
    };
  },
};

test('a key in another spelling that was refused for its rate is tried again', async () => {
  const { failed, observations } = await judgeOver(() => false, {
    checks: ['credential-spellings'],
    alterations: [REFUSES_EVERY_OTHER],
  });
  // Nobody else uses the key, so that the oracle knows of no window that could have refused it.
  expect(failed.map((one) => one.replace(/:.*/s, ''))).toEqual(['minute-limit-free']);
  const statuses = Object.entries(observations).filter(([name]) => name.startsWith('credential-spellings.'));
  expect(statuses).not.toEqual([]);
  expect(statuses.filter(([, status]) => status === 429)).toEqual([]);
});
