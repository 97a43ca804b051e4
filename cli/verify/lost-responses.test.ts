import { connect, createServer, type AddressInfo } from 'node:net';

import { afterEach, expect, test } from 'vitest';

import { FAULTS, startReferenceServer } from '../../reference-server/index.ts';
import { runSuite } from '../../suites/verify/index.ts';
import { resolveTargetConfig } from '../../suites/target/index.ts';
import { describeReferenceServer } from '../shared/embedded/embedded-target.ts';
import { buildReport } from './report.ts';
import { packageVersion } from '../shared/version.ts';

const cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).toReversed()) {
    await step();
  }
});

/** Told of each response, it says whether that is lost. */
type Loss = () => boolean;

function everyNth(every: number): Loss {
  let responses = 0;
  return () => {
    responses += 1;
    return responses % every === 0;
  };
}

function nth(number: number): Loss {
  let responses = 0;
  return () => {
    responses += 1;
    return responses === number;
  };
}

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
      if (isLost()) {
        end();
      } else {
        client.write(data);
      }
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  proxy.listen(0, '127.0.0.1', resolve);
  await promise;
  cleanUp.push(async () => void proxy.close());
  const address: AddressInfo | string | null = proxy.address();
  if (address === null || typeof address === 'string') {
    throw new Error('The proxy has no port');
  }
  return `http://127.0.0.1:${address.port}${pathname}`;
}

interface Circumstances {
  readonly fault?: string;
  /** The only check to run. */
  readonly check?: string;
}

async function judgeOver(isLost: Loss, { fault, check }: Circumstances = {}) {
  const server = await startReferenceServer({
    alterations: FAULTS.filter(({ id }) => id === fault).map(({ alter }) => alter),
    graceMilliseconds: 0,
  });
  cleanUp.push(server.close);
  const target = await losing(server.url, isLost);
  const config = resolveTargetConfig({ ...describeReferenceServer(server), target, profile: 'full' });
  const result = await runSuite({
    config,
    ...(check === undefined ? {} : { selects: ({ id }) => id === check }),
    long: false,
    banWaitSeconds: 120,
    transport: { timeoutMilliseconds: 30_000, insecure: false, certificateAuthority: null },
    headers: [],
    dryRun: false,
    signal: new AbortController().signal,
    listener: {},
  });
  const report = buildReport(result, {
    config,
    level: 'must',
    selection: null,
    baseline: new Map(),
    version: packageVersion(),
  });
  return {
    verdict: report.verdict,
    failed: report.requirements
      .filter(({ level, outcome }) => level === 'must' && outcome === 'fail')
      .map(({ id, findings }) => `${id}: ${findings[0]?.message}`),
  };
}

test.for([23, 47, 101, 307, 1_009])('a lost response in %d accuses nobody', async (every) => {
  const { verdict, failed } = await judgeOver(everyNth(every));
  expect(failed).toEqual([]);
  expect(['conformant', 'inconclusive']).toContain(verdict);
});

test.for(['minute-free-unlimited', 'reset-in-milliseconds', 'update-lost-once-in-twelve'])(
  '%s is caught all the same',
  async (fault) => {
    expect(await judgeOver(everyNth(211), { fault })).toMatchObject({ verdict: 'nonconformant' });
  },
);

test('a ban that never ends is a violation, whatever was lost while it was provoked', async () => {
  // One of the requests that use up the minute; the refusal comes one too early then.
  const { failed } = await judgeOver(nth(40), { check: 'ban', fault: 'ban-never-ends-untold' });
  expect(failed).toEqual([expect.stringMatching(/^ban-ends: /)]);
});
