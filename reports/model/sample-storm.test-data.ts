import type { SimulationResult, StormOutcome, StormStep } from '../../contract/simulation-result.ts';

const STEPS: readonly StormStep[] = Array.from({ length: 80 }, (_, second) => {
  const isFirst = second < 5;
  const isBack = second >= 60 && second < 64;
  return {
    second,
    sent: isFirst || isBack ? 2_000 : 0,
    returning: isBack ? 2_000 : 0,
    granted: isFirst || isBack ? 1_500 : 0,
    failed: isFirst || isBack ? 500 : 0,
    peak: isFirst || isBack ? 420 : 0,
    waiting: second < 60 ? 1_000 : 750,
    longestWait: isBack ? 1.25 : 0.2,
  };
});

const OUTCOME: StormOutcome = {
  drainSeconds: null,
  servedShare: 0.75,
  servedBy: { p50: 63.2, p90: null, p99: null },
  requests: { sent: 18_000, granted: 13_500, refused: 4_300, dropped: 120, late: 50, inFlight: 30 },
  requestsPerClient: { mean: 18, p50: 17, p99: 40, max: 52 },
  firstPeak: { requests: 410, atSeconds: 0.5 },
  returningPeak: { requests: 420, atSeconds: 61.2 },
  longestWait: { first: 0.2, returning: 1.25 },
  returningFailed: 170,
  bannedShare: 0.1,
  gaveUpShare: 0.05,
  clients: [
    {
      policy: 'exact: waits exactly as long as Retry-After says',
      clients: 900,
      served: 700,
      gaveUp: 50,
      banned: 0,
      requestsPerClient: { mean: 15, p50: 15, p99: 17, max: 17 },
      medianServedSeconds: 63,
    },
    {
      policy: 'ignores: tries again 0.1 s after each refusal, whatever it says',
      clients: 100,
      served: 50,
      gaveUp: 0,
      banned: 100,
      requestsPerClient: { mean: 45, p50: 45, p99: 52, max: 52 },
      medianServedSeconds: null,
    },
  ],
  stepSeconds: 1,
  steps: STEPS,
};

/** A storm that the service could not keep up with. */
export const SAMPLE_STORM: SimulationResult = {
  schemaVersion: 1,
  kind: 'simulate',
  suite: { version: '0.1.0' },
  setting: {
    seed: 7,
    clients: 1_000,
    requestsEach: 15,
    policies: OUTCOME.clients.map(({ policy, clients }) => ({ policy, share: clients / 1_000 })),
    arrivalSeconds: 1,
    pauseSeconds: 0,
    timeoutSeconds: 30,
    durationSeconds: 80,
    phaseSeconds: 0,
    limits: { perMinute: 10, perDay: 1_000 },
    server: ['The windows begin at whole minutes and at midnight UTC'],
    service: { capacity: 1_500, workers: 15, serviceSeconds: 0.01, refusalShare: 0.5, queue: 500 },
    longestWait: 1,
    sources: ['The capacity was searched for by capacity.'],
  },
  holds: false,
  outcome: OUTCOME,
};
