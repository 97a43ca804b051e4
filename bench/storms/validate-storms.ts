import { join } from 'node:path';

import type { SimulationResult, StormOutcome } from '../../contract/simulation-result.ts';
import { renderPage, stormDocument, writeReportText } from '../../reports/index.ts';
import {
  type ClientPolicy,
  exactPolicy,
  exponential,
  ignores,
  jitterByShare,
  keepsWithinCapacity,
  outcomeOf,
  playStorm,
  recordedOutcome,
  type Storm,
} from '../../simulation/index.ts';
import { startServerProcess } from '../server-process.ts';
import { type LimiterName, LIMITERS, isLimiterName, limiterAlterations } from './limiters.ts';
import { playForReal } from './real-clients.ts';

const FOLDER = 'report/storms';
const CAPACITY = { workers: 10, serviceSeconds: 0.01, refusalShare: 0.5, queue: null };
const POLICIES: readonly ClientPolicy[] = [exactPolicy, jitterByShare(1), exponential(0.5), ignores(0.2)];
const LONGEST_WAIT_SECONDS = 1;

/** One storm, as it was predicted and as it was. */
interface Compared {
  readonly policy: ClientPolicy;
  readonly limiter: LimiterName;
  readonly predicted: StormOutcome;
  readonly measured: StormOutcome;
}

/** Prints what was predicted of storms of 500 clients beside what 500 real clients did, and writes pages with both. */
export async function validateStorms(): Promise<void> {
  process.stdout.write(
    [
      '500 clients with a key each against the reference server in another process, whose capacity is 1000/s; ',
      'predicted → measured (error).\n\n',
      '| Limits | Policy | All served after, s | Half after, s | Requests per client | Peak in 100 ms of what came back |\n',
      '| --- | --- | ---: | ---: | ---: | ---: |\n',
    ].join(''),
  );
  let worst = 0;
  for (const limiter of Object.keys(LIMITERS).filter(isLimiterName)) {
    for (const policy of POLICIES) {
      const compared = await compareStorm(limiter, policy);
      worst = Math.max(worst, ...errorsOf(compared));
      process.stdout.write(describeCompared(compared));
    }
  }
  process.stdout.write(
    `\nThe largest error of the time until all are served and of requests per client: ${percent(worst)}. Pages: ${FOLDER}\n`,
  );
}

async function compareStorm(limiter: LimiterName, policy: ClientPolicy): Promise<Compared> {
  const planned: Storm = {
    clients: 500,
    shares: [{ policy, share: 1 }],
    requestsEach: 25,
    arrivalSeconds: 2,
    pauseSeconds: 0,
    timeoutSeconds: 30,
    durationSeconds: 120,
    startUnixSeconds: 0,
    limits: { perMinute: 10, perDay: 1_000_000 },
    server: { alterations: limiterAlterations(limiter) },
    service: CAPACITY,
    seed: 1,
  };
  const { workers, serviceSeconds, refusalShare } = CAPACITY;
  const figures = [planned.clients, planned.limits.perMinute, workers, serviceSeconds, refusalShare];
  const server = await startServerProcess(
    new URL('limited-server.ts', import.meta.url),
    limiter,
    ...figures.map(String),
  );
  const { requests, startUnixSeconds } = await playForReal(server.url, planned);
  server.stop();
  // The windows of the real server lie on the real clock.
  const storm = { ...planned, startUnixSeconds };
  const follower = { onProgress: () => undefined, signal: new AbortController().signal };
  const predicted = outcomeOf(storm, await playStorm(storm, follower));
  const measured = recordedOutcome(storm, requests);
  const name = `${limiter}-${policy.name}`.replaceAll(/[^\w]+/g, '-');
  await writeReportText(
    join(FOLDER, `${name}.html`),
    await renderPage(stormDocument(resultOf(storm, limiter, predicted), measured)),
  );
  return { policy, limiter, predicted, measured };
}

function resultOf(storm: Storm, limiter: LimiterName, outcome: StormOutcome): SimulationResult {
  const { service, shares } = storm;
  return {
    schemaVersion: 1,
    kind: 'simulate',
    suite: { version: 'bench' },
    setting: {
      ...storm,
      policies: shares.map(({ policy, share }) => ({ policy: `${policy.name}: ${policy.title}`, share })),
      phaseSeconds: storm.startUnixSeconds % 60,
      server: [limiter],
      service: { ...service, capacity: service.workers / service.serviceSeconds },
      longestWait: LONGEST_WAIT_SECONDS,
      sources: ['Dashed lines were measured with real clients.'],
    },
    holds: keepsWithinCapacity(outcome, LONGEST_WAIT_SECONDS),
    outcome,
    serverPolicies: [],
    clientPolicies: [],
  };
}

function errorsOf({ predicted, measured }: Compared): readonly number[] {
  return [
    errorOf(predicted.drainSeconds, measured.drainSeconds),
    errorOf(predicted.requestsPerClient.mean, measured.requestsPerClient.mean),
  ];
}

function describeCompared({ policy, limiter, predicted, measured }: Compared): string {
  const pair = (of: (outcome: StormOutcome) => number | null): string => {
    const [before, after] = [of(predicted), of(measured)];
    return `${before?.toFixed(1) ?? 'never'} → ${after?.toFixed(1) ?? 'never'} (${percent(errorOf(before, after))})`;
  };
  const cells = [
    limiter,
    policy.name,
    pair(({ drainSeconds }) => drainSeconds),
    pair(({ servedBy }) => servedBy.p50),
    pair(({ requestsPerClient }) => requestsPerClient.mean),
    pair(({ returningPeak }) => returningPeak.requests),
  ];
  return `| ${cells.join(' | ')} |\n`;
}

function errorOf(predicted: number | null, measured: number | null): number {
  return predicted === null || measured === null
    ? Number.POSITIVE_INFINITY
    : Math.abs(predicted / measured - 1);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
