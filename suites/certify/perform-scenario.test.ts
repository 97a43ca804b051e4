import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import { expect, test } from 'vitest';

import type { ClientDriver, ClientOutcome } from './drivers/driver.ts';
import { beginActivity, performScenario } from './perform-scenario.ts';
import { ENDED, limited, sampleRecord, type RecordedSample } from './records/record.test-data.ts';
import type { ClientExchange, ScenarioRecord } from './records/record.ts';

const LEFT_SECONDS = 0.5;
const NOTHING_REMAINS = [
  ['X-RateLimit-Limit', '60'],
  ['X-RateLimit-Remaining', '0'],
  ['X-RateLimit-Reset', '1790000060'],
] as const;

/** An exchange that was answered so long ago that little is left of the minute behind it. */
function longAgo(sample: RecordedSample): ClientExchange {
  const [exchange] = sampleRecord({ exchanges: [sample] }).traffic.exchanges;
  if (exchange === undefined) {
    throw new Error('The sample holds no exchange');
  }
  const at = Date.now() / 1_000 - 60 + LEFT_SECONDS;
  return {
    ...exchange,
    receivedAt: at,
    answeredAt: at,
    allowedAt: exchange.allowedAt === null ? null : at + 1,
  };
}

interface LeaveAlone {
  readonly starts?: 'each' | 'nobody';
  /** What the driver says each time that it is asked, the last again and again. */
  readonly processorDelay?: readonly number[];
  /** What the driver says each time that it is asked; then the client has never written. */
  readonly quiet?: readonly number[];
}

/** What is recorded of a client that does as the driver says, while those exchanges are all that there is. */
async function performedBy(
  part: Partial<ClientDriver> & Pick<ClientDriver, 'perform'>,
  exchanges: readonly ClientExchange[],
): Promise<ScenarioRecord> {
  const { scenario, baseUrl, apiKey } = sampleRecord({});
  const driver: ClientDriver = {
    starts: 'each',
    processorDelay: () => 0,
    quietSeconds: () => Infinity,
    garbles: () => false,
    close: () => Promise.resolve(),
    ...part,
  };
  const counterparty = {
    baseUrl,
    apiKey,
    traffic: () => ({ exchanges, droveIntoBan: false, malformed: null, elsewhere: [] }),
    activity: () => new Promise<void>(() => undefined),
    close: () => Promise.resolve(),
  };
  const { signal } = new AbortController();
  const start = () => Promise.resolve(counterparty);
  const options = { driver, start, jobs: 1, patienceSeconds: 0.1, finish: signal, signal } as const;
  return performScenario(scenario, options, beginActivity());
}

/** How long a client is left alone that does nothing after that answer; seconds. */
async function leftAloneAfter(
  sample: RecordedSample,
  { starts = 'each', processorDelay = [], quiet = [] }: LeaveAlone = {},
): Promise<number> {
  const delays = [...processorDelay];
  const quietSeconds = [...quiet];
  const driver = {
    starts,
    perform: async (_order: unknown, end: AbortSignal) => {
      await once(end, 'abort');
      return ENDED;
    },
    processorDelay: () => delays.shift() ?? processorDelay.at(-1) ?? 0,
    quietSeconds: () => quietSeconds.shift() ?? Infinity,
  };
  const record = await performedBy(driver, [longAgo(sample)]);
  expect(record.endedFor).toBe('silence');
  return record.durationSeconds;
}

test('lets a client that was refused, or told that nothing remains, sit out a minute before it is said to hang', async () => {
  const [refused, usedUp, answered, byHand] = await Promise.all([
    leftAloneAfter(limited(0, 1)),
    leftAloneAfter({ headers: NOTHING_REMAINS }),
    leftAloneAfter({}),
    leftAloneAfter(limited(0, 1), { starts: 'nobody' }),
  ]);
  expect(refused).toBeGreaterThan(LEFT_SECONDS);
  expect(usedUp).toBeGreaterThan(LEFT_SECONDS);
  expect(answered).toBeLessThan(LEFT_SECONDS);
  expect(byHand).toBeLessThan(LEFT_SECONDS);
});

test('says of no client that it hangs while it is ready to run and gets no processor', async () => {
  expect(await leftAloneAfter({}, { processorDelay: [5, 5.2, 5.7] })).toBeGreaterThanOrEqual(0.7);
});

test('says of no client that it hangs while it writes, but of one that does nothing else', async () => {
  const [some, endless] = await Promise.all(
    [3, 100].map((times) => leftAloneAfter({}, { quiet: Array.from({ length: times }, () => 0) })),
  );
  expect(some).toBeGreaterThan(0.25);
  expect(endless).toBeGreaterThan(0.55);
});

async function keptBusy(): Promise<ClientOutcome> {
  await delay(1);
  for (const until = performance.now() + 500; performance.now() < until;);
  return ENDED;
}

test('knows how long a request or its answer waited for this process, and leaves out what nobody waited for', async () => {
  const answered = longAgo({});
  const [waiting, none, before] = await Promise.all([
    performedBy({ perform: keptBusy }, [{ ...answered, answeredAt: null }]),
    performedBy({ perform: keptBusy }, []),
    performedBy({ perform: keptBusy }, [answered]),
  ]);
  expect(waiting.lateSeconds).toBeGreaterThan(0.3);
  expect(none.lateSeconds).toBeGreaterThan(0.3);
  expect(before.lateSeconds).toBe(0);
});
