import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import type { PermittedLimiter } from '../../suites/oracle/limits/permitted-limiters.test-data.ts';
import { limitsMonitor, newUsage } from '../../suites/oracle/index.ts';
import type { TargetClient } from '../../suites/target/index.ts';
import { sampleKey, sampleRequest, sampleResponse } from '../engine/engine.test-data.ts';
import { pick } from '../engine/load-model.ts';
import type { LoadRequest } from '../engine/load-request.ts';
import { judgeJournals, type JournalJudge } from './judge-journals.ts';
import { followKeys } from './key-history.ts';
import { keepKeyJournal, type KeyJournalPart } from './key-journal.ts';
import {
  anyMinuteLimiter,
  anyTraffic,
  idleClient,
  goodAndBad,
  type GoodAndBad,
  replay,
  type LoadTraffic,
} from './replay.test-data.ts';
import { monitorResponses, type ResponseMonitor } from './response-monitor.ts';

const AT_ONCE = { milliseconds: 0, uncertainty: 0 };
const ignored = (): void => {};

function deliver(judge: JournalJudge, shard: number, part: KeyJournalPart | null): void {
  if (part !== null) {
    judge.accept(shard, part);
  }
}

/** Everything that is known of a client's target; of limits, what was said and in which order. */
function saidOf({ judgements }: TargetClient) {
  return SERVER_REQUIREMENTS.flatMap(({ id }) => {
    const { outcome, findings } = judgements.judgementOf(id);
    const messages = limitsMonitor.judges.includes(id) ? findings.map(({ message }) => message) : [];
    return outcome === 'skipped' ? [] : [[id, outcome, messages] as const];
  });
}

/** What is said against a limiter. */
function accusedOf(said: ReturnType<typeof saidOf>) {
  return said.filter(([id, outcome]) => outcome === 'fail' && limitsMonitor.judges.includes(id));
}

function judgeAlone(limiter: PermittedLimiter, traffic: LoadTraffic, mix: GoodAndBad) {
  const client = idleClient();
  const monitor = monitorResponses(client, false, followKeys(client, false));
  replay(limiter, traffic, mix, () => monitor);
  return saidOf(client);
}

interface Division {
  readonly of: number;
  /** How many responses there are between two parts of a journal. */
  readonly every: number;
  /** By how many milliseconds the clocks of shards are wrong, in turn; each knows only that it is no more than the most. */
  readonly skews?: readonly number[];
}

function judgeTogether(
  limiter: PermittedLimiter,
  traffic: LoadTraffic,
  mix: GoodAndBad,
  { of, every, skews = [0] }: Division,
) {
  const client = idleClient();
  const judge = judgeJournals(client, mix, { of, origin: 1_000, movesClock: false }, ignored);
  let now = 0;
  const journals = Array.from({ length: of }, (_, index) =>
    keepKeyJournal(
      mix,
      { index, of },
      { milliseconds: 1_000 + pick(skews, index), uncertainty: Math.max(...skews.map(Math.abs)) },
      { now: () => now },
    ),
  );
  const monitors = journals.map(({ history, take }, shard): ResponseMonitor => {
    const monitor = monitorResponses(client, false, history);
    let responses = 0;
    return {
      ...monitor,
      response: (response) => {
        monitor.response(response);
        responses += 1;
        now = response.answeredAt;
        if (responses % every === 0) {
          deliver(judge, shard, take(false));
        }
      },
    };
  });
  replay(limiter, traffic, mix, (index) => pick(monitors, index));
  journals.forEach(({ take }, shard) => deliver(judge, shard, take(true)));
  return saidOf(client);
}

function requestFor(perMinute: number): LoadRequest {
  return goodAndBad(perMinute)[0];
}

test('the shards of a load are judged as one generator, whoever sent a request, right and wrong limiters alike', () => {
  let failed = 0;
  fc.assert(
    fc.property(
      anyMinuteLimiter,
      anyTraffic,
      fc.integer({ min: -2, max: 3 }),
      fc.integer({ min: 2, max: 5 }),
      fc.integer({ min: 1, max: 9 }),
      (limiter, traffic, shift, of, every) => {
        const mix = goodAndBad(Math.max(1, limiter.limits.perMinute + shift));
        const alone = judgeAlone(limiter, traffic, mix);
        failed += alone.some(([, outcome]) => outcome === 'fail') ? 1 : 0;
        expect(shift === 0 ? accusedOf(alone) : []).toEqual([]);
        expect(judgeTogether(limiter, traffic, mix, { of, every })).toEqual(alone);
      },
    ),
    { numRuns: 60 },
  );
  expect(failed).toBeGreaterThan(0);
});

test('a limiter that keeps its limit is not accused by shards whose clocks are wrong', () => {
  fc.assert(
    fc.property(
      anyMinuteLimiter,
      anyTraffic,
      fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 2, maxLength: 4 }),
      (limiter, traffic, skews) => {
        const division = { of: skews.length, every: 3, skews };
        const said = judgeTogether(limiter, traffic, goodAndBad(limiter.limits.perMinute), division);
        expect(accusedOf(said)).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});

/** The responses of a server that grants all, at these moments. */
function grant(monitor: ResponseMonitor, request: LoadRequest, moments: readonly number[]): void {
  const limit = request.key?.limits?.perMinute ?? 0;
  const fields = { Limit: limit, Remaining: limit - 1, Reset: 60 };
  const rawHeaders = Object.entries(fields).flatMap(([name, value]) => [`X-RateLimit-${name}`, `${value}`]);
  for (const sentAt of moments) {
    const departure = monitor.leaving(request, sentAt);
    monitor.response(sampleResponse({ request, departure, rawHeaders, sentAt, answeredAt: sentAt + 5 }));
  }
}

test('a limit is broken by threads of which each keeps it', () => {
  const client = idleClient();
  const request = requestFor(10);
  const judge = judgeJournals(client, [request], { of: 3, origin: 0, movesClock: false }, ignored);
  const journals = [0, 1, 2].map((index) => keepKeyJournal([request], { index, of: 3 }, AT_ONCE));
  const monitors = journals.map(({ history }) => monitorResponses(client, false, history));
  for (let count = 0; count < 21; count += 1) {
    grant(pick(monitors, count), request, [100 * count]);
  }
  journals.forEach(({ take }, shard) => deliver(judge, shard, take(true)));
  const { findings } = client.judgements.judgementOf('minute-limit-enterprise');
  expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining('enterprise#load1')]);
  // What proves it is shown, though the thread kept only numbers.
  expect(JSON.stringify(findings)).toContain('X-RateLimit-Remaining');
});

test('after a thread was lost nothing more is judged, and each key counts as used', () => {
  const client = idleClient();
  const request = requestFor(1);
  const configured = sampleKey({ issued: false });
  const mix = [request, sampleRequest(configured)];
  const judge = judgeJournals(client, mix, { of: 2, origin: 0, movesClock: false }, ignored);
  const journal = keepKeyJournal([request], { index: 0, of: 2 }, AT_ONCE);
  grant(monitorResponses(client, false, journal.history), request, [0, 10, 20]);
  judge.abandon();
  deliver(judge, 0, journal.take(true));
  expect(client.judgements.judgementOf('minute-limit-enterprise').outcome).toBe('skipped');
  judge.end();
  expect(configured.usage.sentAt).toHaveLength(1);
});

test('after a load, whoever uses a configured key waits as it was told', () => {
  const client = idleClient();
  const [configured, issued] = [sampleKey({ issued: false }), sampleKey()];
  const history = followKeys(client, false);
  const monitor = monitorResponses(client, false, history);
  for (const request of [configured, issued].map((key) => sampleRequest(key))) {
    const departure = monitor.leaving(request, 1_000);
    const refusal = { status: 429, rawHeaders: ['Retry-After', '7'], sentAt: 1_000, answeredAt: 1_005 };
    monitor.response(sampleResponse({ request, departure, ...refusal }));
  }
  history.end();
  expect(configured.usage).toMatchObject({ sentAt: [expect.any(Number)], refusals: 1 });
  expect(configured.usage.retryAt - configured.usage.refusedAt).toBe(7_000);
  expect(issued.usage).toEqual(newUsage());
});

describe('of what waits to be judged', () => {
  const request = requestFor(1);

  /** Two threads, of which the second is idle; what the judge has done is told to the first. */
  function open(mostWaiting: number, { tells }: { readonly tells: boolean }) {
    const client = idleClient();
    let now = 0;
    const [busy, idle] = [0, 1].map((index) =>
      keepKeyJournal([request], { index, of: 2 }, AT_ONCE, { mostWaiting, now: () => now }),
    );
    const judge = judgeJournals(
      client,
      [request],
      { of: 2, origin: 0, movesClock: false },
      (shard, bytes) => void (tells && shard === 0 && busy?.judged(bytes)),
    );
    const monitor = busy === undefined ? null : monitorResponses(client, false, busy.history);
    return {
      client,
      judge,
      /** Ten seconds, with the parts that both then have. */
      step: (moments: readonly number[]): readonly (boolean | null)[] => {
        if (monitor !== null) {
          grant(monitor, request, moments);
        }
        now += 10_000;
        return [busy, idle].map((journal, shard) => {
          const part = journal?.take(false) ?? null;
          deliver(judge, shard, part);
          return part?.isCut ?? null;
        });
      },
    };
  }

  test('there is only so much: then the journal is cut, and nothing after it is judged', () => {
    const { client, judge, step } = open(250, { tells: false });
    const cuts = [step([1_000]), step([11_000]), step([21_000, 22_000, 23_000]), step([31_000])];
    // The first two parts have been judged, but nobody said so.
    expect(cuts).toEqual([
      [false, false],
      [false, false],
      [true, false],
      [null, false],
    ]);
    expect(judge.cutAt()).toBe(10_000);
    expect(client.judgements.judgementOf('minute-limit-enterprise').outcome).not.toBe('fail');
  });

  test('nothing is cut as long as it is judged', () => {
    const { client, judge, step } = open(600, { tells: true });
    for (let at = 1_000; at < 200_000; at += 10_000) {
      expect(step([at])).toEqual([false, false]);
    }
    expect(judge.cutAt()).toBeNull();
    expect(client.judgements.judgementOf('minute-limit-enterprise').outcome).toBe('fail');
  });
});
