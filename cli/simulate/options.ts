import { randomInt } from 'node:crypto';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import { PLAN_LIMITS } from '../../contract/plans.ts';
import type { StormSetting } from '../../contract/simulation-result.ts';
import type { Freedom, Variant } from '../../reference-server/index.ts';
import type { ServiceModel, Storm } from '../../simulation/index.ts';
import { readVariants } from '../library/catalogue.ts';
import { type Twin, twinAlterations } from '../library/twin/twin.ts';
import type { Surroundings } from '../shared/options/command.ts';
import { readOptions, textsOf, type Flags, type OptionValues } from '../shared/options/option-rows.ts';
import { wantsColor } from '../shared/output/color.ts';
import { sharesOf } from './client-policies.ts';
import { SIMULATE_OPTIONS } from './option-rows.ts';

/** What `stockcheck simulate` was asked for, validated. */
export interface SimulateOptions {
  readonly storm: Storm;
  /** The limits without a choice of windows and of Retry-After. */
  readonly open: Storm['server'];
  readonly setting: StormSetting;
  readonly search: 'server' | 'client' | 'both' | null;
  readonly json: string | null;
  readonly report: string | null;
  readonly quiet: boolean;
  readonly color: boolean;
}

/** The options of `simulate` as the parser of the command line returns them. */
export type SimulateFlags = Flags<keyof typeof SIMULATE_OPTIONS>;

/** What decides when a client is accepted again. */
const OF_LIMITS: ReadonlySet<Freedom> = new Set([
  'window algorithm',
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
const LARGEST_SEED = 2 ** 32 - 1;

// A whole minute, in November 2026.
const FIRST_MINUTE = 1_795_000_020;

/** @throws {ConfigurationError} that names the option */
export function readSimulateOptions(flags: SimulateFlags, surroundings: Surroundings): SimulateOptions {
  const given = readOptions(SIMULATE_OPTIONS, flags, surroundings);
  const { clients, requests, arrivals, pause, timeout, duration, phase, longestWait } = given;
  const { json, report, quiet, search } = given;
  const seed = given.seed ?? randomInt(LARGEST_SEED);
  const limits = limitsOf(given, flags);
  const server = serverOf(given, flags);
  const service = serviceOf(given);
  const shares = sharesOf(given.client, '--client');
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
      server: { alterations: twinAlterations(server) },
      service,
      seed,
    },
    open: { alterations: twinAlterations({ ...server, variants: server.variants.filter(isKept) }) },
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
      server: serverPhrases(server, given),
      service: { ...service, capacity: service.workers / service.serviceSeconds },
      longestWait,
      sources: [...(given.load?.sources ?? []), ...untoldIn(given)],
    },
    search,
    json,
    report,
    quiet,
    color: wantsColor(surroundings.stdout, surroundings.environment),
  };
}

type Given = OptionValues<typeof SIMULATE_OPTIONS>;
type Limiter = Pick<Twin, 'variants' | 'ban'>;

function limitsOf({ plan, limit }: Given, flags: SimulateFlags): Storm['limits'] {
  if (limit !== null && flags.plan !== undefined) {
    throw new ConfigurationError('--limit and --plan exclude each other: both say what a key may do');
  }
  return limit ?? PLAN_LIMITS[plan];
}

function serverOf({ like }: Given, { variant }: SimulateFlags): Limiter {
  if (like === null) {
    return {
      variants: readVariants('--variant', variant === undefined ? undefined : textsOf(variant)),
      ban: null,
    };
  }
  if (variant !== undefined) {
    throw new ConfigurationError(
      '--like and --variant exclude each other: the report says how the service behaves',
    );
  }
  return like.twin;
}

function serverPhrases({ variants, ban }: Limiter, { like }: Given): readonly string[] {
  return [
    ...(like === null ? [] : [`like the service of ${like.path}`]),
    ...variants.map(({ title }) => title),
    ...(ban === null ? [] : [ban === false ? 'Nobody is ever banned' : 'The ban is as it was observed']),
  ];
}

/** What of the limits a report of verify leaves open, in a sentence. */
function untoldIn({ like }: Given): readonly string[] {
  const untold = like?.twin.untold.filter((freedom) => OF_LIMITS.has(freedom)) ?? [];
  return untold.length === 0
    ? []
    : [`The report of verify does not tell these from the reference server: ${untold.join(', ')}.`];
}

function isKept({ freedom }: Variant): boolean {
  return freedom !== 'window algorithm' && freedom !== 'retry-after form';
}

/** Workers whose number is whole, at a service time that gives exactly the capacity. */
function serviceOf({ load, capacity, serviceTime, refusalCost, queue }: Given): ServiceModel {
  const rate = capacity ?? load?.capacity ?? USUAL_CAPACITY;
  const seconds = serviceTime ?? load?.serviceSeconds ?? USUAL_SERVICE_SECONDS;
  const workers = Math.max(1, Math.round(rate * seconds));
  if (workers > MOST_WORKERS) {
    throw new ConfigurationError(
      `--capacity ${rate} and --service-time ${seconds} mean ${workers} requests at once; at most ${MOST_WORKERS} can be simulated`,
    );
  }
  return {
    workers,
    serviceSeconds: workers / rate,
    refusalShare: refusalCost ?? load?.refusalShare ?? USUAL_REFUSAL_SHARE,
    queue,
  };
}
