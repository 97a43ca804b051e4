import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VARIANTS } from '../reference-server/index.ts';
import {
  exactPolicy,
  exponential,
  givesUpPolicy,
  ignores,
  jitterBySeconds,
  jitterByShare,
} from './client-policy.ts';
import { outcomeOf } from './outcome.ts';
import { startStorm, type Storm } from './storm.ts';

/** One exact client that meets a service which is never busy. */
const CALM: Storm = {
  clients: 1,
  shares: [{ policy: exactPolicy, share: 1 }],
  requestsEach: 25,
  arrivalSeconds: 0,
  pauseSeconds: 0,
  timeoutSeconds: 30,
  durationSeconds: 3_600,
  startUnixSeconds: 1_795_000_020,
  limits: { perMinute: 10, perDay: 1_000 },
  server: {},
  service: { workers: 1_000, serviceSeconds: 0.001, refusalShare: 0.5, queue: null },
  seed: 1,
};

function alteredBy(...ids: readonly string[]): Storm['server'] {
  return { alterations: VARIANTS.filter(({ id }) => ids.includes(id)).map(({ alter }) => alter) };
}

function play(storm: Storm) {
  const running = startStorm(storm);
  while (running.advance(1_000));
  return { running, outcome: outcomeOf(storm, running) };
}

const peakOf = (storm: Storm): number => play(storm).outcome.returningPeak.requests;

const policy = fc.constantFrom(
  exactPolicy,
  jitterByShare(0.5),
  jitterBySeconds(3),
  exponential(),
  ignores(0.5),
  givesUpPolicy,
);

const someStorm: fc.Arbitrary<Storm> = fc.record({
  clients: fc.integer({ min: 1, max: 40 }),
  shares: fc.tuple(policy, policy, fc.double({ min: 0, max: 1, noNaN: true })).map(([one, other, share]) => [
    { policy: one, share },
    { policy: other, share: 1 - share },
  ]),
  requestsEach: fc.integer({ min: 1, max: 30 }),
  arrivalSeconds: fc.double({ min: 0, max: 20, noNaN: true }),
  pauseSeconds: fc.double({ min: 0, max: 2, noNaN: true }),
  timeoutSeconds: fc.double({ min: 0.05, max: 5, noNaN: true }),
  durationSeconds: fc.integer({ min: 1, max: 400 }),
  startUnixSeconds: fc.constant(CALM.startUnixSeconds),
  limits: fc.constant(CALM.limits),
  server: fc
    .constantFrom('', 'aligned-minute', 'sliding-log', 'sliding-counter', 'retry-after-as-date')
    .map((variant) => alteredBy(variant)),
  service: fc.record({
    workers: fc.integer({ min: 1, max: 4 }),
    serviceSeconds: fc.double({ min: 0.001, max: 0.5, noNaN: true }),
    refusalShare: fc.constant(0.5),
    queue: fc.option(fc.integer({ min: 0, max: 20 })),
  }),
  seed: fc.nat(),
});

describe('any storm', () => {
  test('that is looked at for longer serves the same clients at the same moments until then', () => {
    const shares = fc.constantFrom(exactPolicy, ignores(0.5)).map((policy) => [{ policy, share: 1 }]);
    fc.assert(
      fc.property(someStorm, shares, fc.double({ min: 1, max: 3 }), (storm, shares, longer) => {
        const until = storm.durationSeconds;
        const short = play({ ...storm, shares }).running;
        const long = play({ ...storm, shares, durationSeconds: until * longer }).running;
        const early = Array.from(long.population.servedAt, (moment) => (moment <= until ? moment : NaN));
        expect(Array.from(short.population.servedAt)).toEqual(early);
      }),
      { numRuns: 30 },
    );
  });

  test('loses no request and no client', () => {
    fc.assert(
      fc.property(someStorm, (storm) => {
        const { running, outcome } = play(storm);
        const { sent, granted, refused, dropped, late, inFlight } = outcome.requests;
        expect(sent).toBe(granted + refused + dropped + late + inFlight);
        expect(inFlight).toBeGreaterThanOrEqual(0);
        expect(inFlight).toBeLessThanOrEqual(storm.clients);
        expect(running.population.sent.reduce((sum, count) => sum + count, 0)).toBe(sent);
        expect(running.population.granted.reduce((sum, count) => sum + count, 0)).toBe(granted);
        expect(Math.max(...running.population.granted)).toBeLessThanOrEqual(storm.requestsEach);
        const { steps } = outcome;
        expect(steps.reduce((sum, step) => sum + step.sent, 0)).toBe(sent);
        expect(steps.at(-1)?.waiting).toBe(storm.clients - running.served());
        expect(outcome.clients.reduce((sum, { served }) => sum + served, 0)).toBe(running.served());
        expect(outcome.drainSeconds === null).toBe(running.served() < storm.clients);
      }),
    );
  });

  test('is the same for the same seed, bit by bit', () => {
    fc.assert(
      fc.property(someStorm, (storm) => {
        expect(play(storm).outcome).toEqual(play(storm).outcome);
      }),
      { numRuns: 30 },
    );
  });

  test('accepts from no key more than its limit in a minute', () => {
    fc.assert(
      fc.property(someStorm, ({ durationSeconds, ...storm }) => {
        const { running } = play({ ...storm, server: alteredBy('sliding-log'), durationSeconds: 59 });
        expect(durationSeconds).toBeGreaterThan(0);
        expect(Math.max(...running.population.granted)).toBeLessThanOrEqual(storm.limits.perMinute);
      }),
      { numRuns: 30 },
    );
  });
});

describe('one exact client', () => {
  test('has all it wants when the windows that it needs have passed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 100 }),
        (perMinute, requestsEach) => {
          const { outcome } = play({
            ...CALM,
            requestsEach,
            limits: { perMinute, perDay: 1_000 },
            durationSeconds: 7_200,
          });
          const waits = Math.ceil(requestsEach / perMinute) - 1;
          // Each wait begins with the refusal, and Retry-After is in whole seconds, rounded up.
          const work = (outcome.requests.sent - waits) * 0.001 + waits * 0.000_5;
          expect(outcome.requests.sent).toBe(requestsEach + waits);
          expect(outcome.drainSeconds).toBeGreaterThanOrEqual(60 * waits);
          expect(outcome.drainSeconds).toBeLessThanOrEqual(60 * waits + work + 1e-3);
        },
      ),
    );
  });

  test('that is told a date comes back on a whole second', () => {
    const { running } = play({
      ...CALM,
      requestsEach: 11,
      startUnixSeconds: 1_795_000_020.4,
      server: alteredBy('retry-after-as-date'),
    });
    const servedAt = 1_795_000_020.4 + (running.population.servedAt[0] ?? 0) - 0.001;
    expect(servedAt).toBeCloseTo(Math.round(servedAt), 5);
    expect(running.population.sent[0]).toBe(12);
  });

  test('waits for the day if that is used up', () => {
    const { outcome } = play({
      ...CALM,
      requestsEach: 11,
      limits: { perMinute: 60, perDay: 10 },
      durationSeconds: 90_000,
    });
    expect(outcome.drainSeconds).toBeGreaterThanOrEqual(86_400);
    expect(outcome.requests.refused).toBe(1);
  });
});

test('exact clients that were told whole minutes come back at once, and those with jitter do not', () => {
  const crowd: Storm = { ...CALM, clients: 500, requestsEach: 11, arrivalSeconds: 1 };
  const dated = peakOf({ ...crowd, server: alteredBy('aligned-minute', 'retry-after-as-date') });
  expect(dated).toBe(500);
  const spread = peakOf({ ...crowd, shares: [{ policy: jitterBySeconds(30), share: 1 }] });
  expect(spread).toBeLessThan(20);
});

test('who ignores refusals is banned, and who waits is not', () => {
  const { outcome } = play({
    ...CALM,
    clients: 100,
    shares: [
      { policy: exactPolicy, share: 0.75 },
      { policy: ignores(), share: 0.25 },
    ],
  });
  expect(outcome.clients.map(({ clients, banned }) => [clients, banned])).toEqual([
    [75, 0],
    [25, 25],
  ]);
  expect(outcome.bannedShare).toBe(0.25);
});

test('who gives up is not served, and sends nothing more', () => {
  const { outcome } = play({ ...CALM, clients: 10, shares: [{ policy: givesUpPolicy, share: 1 }] });
  expect(outcome).toMatchObject({ drainSeconds: null, gaveUpShare: 1, requestsPerClient: { max: 11 } });
});

test('a service that cannot keep up answers too late, and the work is done in vain', () => {
  const { outcome } = play({
    ...CALM,
    clients: 50,
    requestsEach: 1,
    timeoutSeconds: 1,
    service: { workers: 1, serviceSeconds: 0.1, refusalShare: 1, queue: null },
  });
  expect(outcome.requests.late).toBeGreaterThanOrEqual(40);
  expect(outcome.servedShare).toBe(1);
});
