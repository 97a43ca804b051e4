import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { SimulationResult } from '../../contract/simulation-result.ts';
import type { Freedom, Variant } from '../../reference-server/index.ts';
import {
  type PopulationShare,
  type ServiceModel,
  type Storm,
  outcomeOf,
  playStorm,
  type StormFollower,
} from '../../simulation/index.ts';
import type { Likeness } from '../library/twin/twin.ts';
import { packageVersion } from '../library/version.ts';

const WEEK_SECONDS = 7 * 86_400;
const MOST = 1_000_000;

/** What each number has that is not given; times in seconds. */
export const USUAL_STORM = {
  clients: 1_000,
  requests: 70,
  arrivals: 1,
  pause: 0,
  timeout: 30,
  phase: 0,
  duration: 3_600,
  longestWait: 1,
} as const;

/** Least and most of each number of a storm; times in seconds. */
export const STORM_RANGES = {
  clients: [1, MOST],
  requests: [1, MOST],
  arrivals: [0, WEEK_SECONDS],
  pause: [0, WEEK_SECONDS],
  timeout: [0.001, WEEK_SECONDS],
  phase: [0, 60],
  capacity: [0.1, MOST],
  serviceTime: [0.000_01, 60],
  refusalCost: [0, 1],
  queue: [0, MOST],
  duration: [1, WEEK_SECONDS],
  longestWait: [0, WEEK_SECONDS],
  seed: [0, 2 ** 32 - 1],
} as const;

/** What a storm is made of, validated; times in seconds. */
export interface StormParts {
  readonly clients: number;
  readonly shares: readonly PopulationShare[];
  readonly requests: number;
  readonly arrivals: number;
  readonly pause: number;
  readonly timeout: number;
  readonly duration: number;
  /** How far into a minute it begins. */
  readonly phase: number;
  readonly longestWait: number;
  readonly limits: Storm['limits'];
  readonly variants: readonly Variant[];
  /** The service whose limits are imitated, in place of variants. */
  readonly like: Likeness | null;
  readonly capacity: number | null;
  readonly serviceTime: number | null;
  readonly refusalCost: number | null;
  readonly queue: number | null;
  readonly seed: number;
}

type PlannedStorm = ReturnType<typeof planStorm>;

/** What decides when a client is accepted again. */
const OF_LIMITS: ReadonlySet<Freedom> = new Set([
  'minute window',
  'day window',
  'refused requests',
  'retry-after form',
  'ban threshold',
  'ban length',
  'ban extension',
]);

const USUAL_CAPACITY = 2_000;
const USUAL_SERVICE_SECONDS = 0.01;
const USUAL_REFUSAL_SHARE = 0.5;
const MOST_WORKERS = 100_000;

// A whole minute, in November 2026.
const FIRST_MINUTE = 1_795_000_020;

/** @throws {ConfigurationError} if the service would work on more at once than can be simulated */
export function planStorm(parts: StormParts) {
  const { clients, shares, requests, arrivals, pause, timeout, duration, phase, limits, seed } = parts;
  const variants = parts.like?.twin.variants ?? parts.variants;
  const service = serviceOf(parts);
  return {
    storm: {
      clients,
      shares,
      requestsEach: requests,
      arrivalSeconds: arrivals,
      pauseSeconds: pause,
      timeoutSeconds: timeout,
      durationSeconds: duration,
      startUnixSeconds: FIRST_MINUTE + phase,
      limits,
      server: { alterations: variants.map(({ alter }) => alter) },
      service,
      seed,
    },
    setting: {
      seed,
      clients,
      requestsEach: requests,
      policies: shares.map(({ policy, share }) => ({ policy: `${policy.name}: ${policy.title}`, share })),
      arrivalSeconds: arrivals,
      pauseSeconds: pause,
      timeoutSeconds: timeout,
      durationSeconds: duration,
      phaseSeconds: phase,
      limits,
      server: [
        ...(parts.like === null ? [] : [`like the service of ${parts.like.path}`]),
        ...variants.map(({ title }) => title),
      ],
      service: { ...service, capacity: service.workers / service.serviceSeconds },
      longestWait: parts.longestWait,
      sources: untoldIn(parts),
    },
  };
}

/** What of the limits a report of verify leaves open, in a sentence. */
function untoldIn({ like }: StormParts): readonly string[] {
  const untold = like?.twin.untold.filter((freedom) => OF_LIMITS.has(freedom)) ?? [];
  return untold.length === 0
    ? []
    : [`The report of verify does not tell these from the reference server: ${untold.join(', ')}.`];
}

/** Workers whose number is whole, at a service time that gives exactly the capacity. */
function serviceOf({ capacity, serviceTime, refusalCost, queue }: StormParts): ServiceModel {
  const rate = capacity ?? USUAL_CAPACITY;
  const seconds = serviceTime ?? USUAL_SERVICE_SECONDS;
  const workers = Math.max(1, Math.round(rate * seconds));
  if (workers > MOST_WORKERS) {
    throw new ConfigurationError(
      `a capacity of ${rate} and a service time of ${seconds} s mean ${workers} requests at once; at most ${MOST_WORKERS} can be simulated`,
    );
  }
  return {
    workers,
    serviceSeconds: workers / rate,
    refusalShare: refusalCost ?? USUAL_REFUSAL_SHARE,
    queue,
  };
}

export async function playSimulation(
  { storm, setting }: PlannedStorm,
  follower: StormFollower,
): Promise<SimulationResult> {
  const outcome = outcomeOf(storm, await playStorm(storm, follower));
  return {
    schemaVersion: 1,
    kind: 'simulate',
    suite: { version: packageVersion() },
    setting,
    holds: outcome.returningFailed === 0 && outcome.longestWait.returning <= setting.longestWait,
    outcome,
  };
}
