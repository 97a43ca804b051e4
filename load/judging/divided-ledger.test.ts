import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  ALGORITHMS,
  anyExcess,
  anyModel,
  anyPace,
  fly,
  type Flight,
  type LimiterModel,
} from '../../suites/oracle/limiter-models.test-data.ts';
import { replay } from './ledger-replay.test-data.ts';
import { sampleKey, sampleRequest } from '../engine/load-request.test-data.ts';
import { pick } from '../engine/load-model.ts';
import { keepRemainingLedger, problemOfAccounts, type LedgerAccount } from './remaining-ledger.ts';

const REQUEST = sampleRequest(sampleKey());

/** What several ledgers say of a limiter, each of its own requests of a key, and then all together. */
function judge(model: LimiterModel, flights: readonly Flight[], of: number): readonly string[] {
  const beganBy = Math.min(...flights.map(({ sentAt }) => sentAt));
  const ledgers = Array.from({ length: of }, () => keepRemainingLedger(beganBy));
  replay(model, flights, REQUEST, (index) => pick(ledgers, index));
  const own = ledgers.flatMap((ledger) => ledger.close(false).map(({ message }) => message));
  const together = problemOfAccounts(
    ledgers.flatMap((ledger) => ledger.accounts()),
    true,
  );
  return together === null ? own : [...own, together];
}

describe.each(ALGORITHMS)('a limiter that keeps its limit is not accused by several: %s', (algorithm) => {
  test('however its requests were divided and under way', () => {
    fc.assert(
      fc.property(
        anyModel([algorithm]),
        anyPace(3, true),
        anyPace(1.05, false),
        anyExcess,
        fc.boolean(),
        fc.integer({ min: 2, max: 4 }),
        (model, rough, smooth, excess, isRough, of) => {
          const pace = (isRough ? rough : smooth)(model.windowSeconds);
          expect(judge(model, fly(pace, model.limit + excess, 0), of)).toEqual([]);
          expect(judge(model, fly(pace, Math.ceil(model.limit / 2), 0), of)).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });
});

function account(changes: Partial<LedgerAccount>): LedgerAccount {
  return {
    key: sampleKey(),
    limit: 100,
    reset: 60,
    accepted: 10,
    highest: 99,
    lowest: 80,
    preceding: 0,
    isWhole: true,
    ...changes,
  };
}

describe('accounts of several generators', () => {
  const left = account({ highest: 99, lowest: 81 });
  const right = account({ highest: 98, lowest: 80 });

  test('that make up one fall of Remaining are right', () => {
    expect(problemOfAccounts([left, right], true)).toBeNull();
  });

  test('show requests that were granted and not counted, which none of them shows', () => {
    const more = account({ highest: 98, lowest: 80, accepted: 11 });
    expect([problemOfAccounts([left], false), problemOfAccounts([more], false)]).toEqual([null, null]);
    expect(problemOfAccounts([left, more], false)).toContain(
      'was granted 21 requests of one window, while X-RateLimit-Remaining fell from 99 to 80.',
    );
  });

  test('show requests that were counted and not granted, if all are known', () => {
    const fewer = account({ highest: 98, lowest: 79 });
    expect(problemOfAccounts([left, fewer], true)).toContain('was granted 20 requests');
    expect(problemOfAccounts([left, fewer], false)).toBeNull();
    expect(problemOfAccounts([left, { ...fewer, isWhole: false }], true)).toBeNull();
  });

  test('of different windows say nothing', () => {
    const more = account({ highest: 98, lowest: 80, accepted: 30 });
    expect(problemOfAccounts([left, { ...more, reset: 61 }], true)).toBeNull();
    expect(problemOfAccounts([left, { ...more, limit: 101 }], true)).toBeNull();
    expect(problemOfAccounts([], true)).toBeNull();
  });
});
