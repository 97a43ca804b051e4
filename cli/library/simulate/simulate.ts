import { randomInt } from 'node:crypto';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { PLAN_LIMITS, type PlanLimits } from '../../../contract/plans.ts';
import type { SimulationResult } from '../../../contract/simulation-result.ts';
import type { LoadReport, VerifyReport } from '../../../reports/index.ts';
import { readVariants } from '../catalogue.ts';
import { guardedListener, type OnEvent } from '../guarded-listener.ts';
import { likenessOf } from '../twin/twin.ts';
import { type ClientDescription, policyOf, sharesOf } from './client-policies.ts';
import { measuredServiceOf } from './measured-service.ts';
import { planStorm, playSimulation, STORM_RANGES, USUAL_STORM, type StormParts } from './storm.ts';

/** What happens while storms are played. */
export interface SimulateEvent {
  readonly type: 'progress';
  /** Which storm: `playing`, or one of a search. */
  readonly storm: string;
  /** Virtual time until which it was played. */
  readonly seconds: number;
  /** Clients that have all they wanted. */
  readonly served: number;
}

/** The storm that `simulate` plays; times in seconds, defaults as on the command line. */
export interface SimulateCallOptions {
  /** How many clients there are, each with a key of its own. */
  readonly clients?: number;
  /** How they wait when they are refused; by default, as long as Retry-After says. */
  readonly client?: readonly ClientDescription[];
  /** Accepted requests that each client wants, one after the other. */
  readonly requests?: number;
  /** Time over which the clients begin. */
  readonly arrivals?: number;
  /** From an accepted request to the next of the same client. */
  readonly pause?: number;
  /** Longest wait of a client for an answer. */
  readonly timeout?: number;
  readonly plan?: 'free' | 'pro' | 'business';
  /** Limits of the keys, in place of those of a plan. */
  readonly limit?: PlanLimits;
  /** Names of permitted variants, as `stockcheck prove --list` prints them. */
  readonly variants?: readonly string[];
  /** A report of the service that the limits behave like, in place of variants. */
  readonly like?: VerifyReport;
  /** How far into a minute the storm begins. */
  readonly phase?: number;
  /** A report that capacity and service time are taken from. */
  readonly load?: LoadReport;
  /** Accepted requests that the service answers in a second. */
  readonly capacity?: number;
  /** What one takes without a queue. */
  readonly serviceTime?: number;
  /** What a refusal costs, as a share of an accepted request. */
  readonly refusalCost?: number;
  /** Requests that may wait; any number by default. */
  readonly queue?: number;
  /** Virtual time that is looked at. */
  readonly duration?: number;
  /** Wait in the queue up to which the service keeps within its capacity. */
  readonly longestWait?: number;
  /** Look for a better policy of the server, of the client, or of both. */
  readonly search?: 'server' | 'client' | 'both';
  /** Of all that is random; the same seed gives the same storm. */
  readonly seed?: number;
  /** Ends it: the promise is rejected with the reason of the signal. */
  readonly signal?: AbortSignal;
  readonly onEvent?: OnEvent<SimulateEvent>;
}

const SOURCE = 'simulate()';
const WHOLE: ReadonlySet<string> = new Set(['clients', 'requests', 'queue', 'seed']);

/**
 * Plays a population of clients against limits and a capacity in virtual time, as `stockcheck simulate` does. Nothing is
 * sent, and it writes nothing to stdout or stderr.
 * @returns what became of the storm, and of those of a search
 * @throws {ConfigurationError} that names the option at fault
 */
export async function simulate(options: SimulateCallOptions = {}): Promise<SimulationResult> {
  const { search = null, signal = new AbortController().signal, onEvent } = options;
  const tell = guardedListener(onEvent);
  return playSimulation(planStorm(partsOf(options)), search, (storm) => ({
    signal,
    onProgress: (seconds, served) => tell({ type: 'progress', storm, seconds, served }),
  }));
}

function partsOf(options: SimulateCallOptions): StormParts {
  for (const [name, [least, most]] of Object.entries(STORM_RANGES)) {
    requireWithin(name, new Map<string, unknown>(Object.entries(options)).get(name), least, most);
  }
  const { client = [], limit, plan, variants = [], like, load } = options;
  if (limit !== undefined && plan !== undefined) {
    throw new ConfigurationError(`${SOURCE}: limit and plan exclude each other: both say what a key may do`);
  }
  if (like !== undefined && variants.length > 0) {
    throw new ConfigurationError(
      `${SOURCE}: like and variants exclude each other: the report says how the service behaves`,
    );
  }
  const named = `${SOURCE}: client`;
  const given = client.map((one) => ({ policy: policyOf(one, named), share: one.share ?? null }));
  return {
    clients: options.clients ?? USUAL_STORM.clients,
    shares: sharesOf(given, named),
    requests: options.requests ?? USUAL_STORM.requests,
    arrivals: options.arrivals ?? USUAL_STORM.arrivals,
    pause: options.pause ?? USUAL_STORM.pause,
    timeout: options.timeout ?? USUAL_STORM.timeout,
    duration: options.duration ?? USUAL_STORM.duration,
    phase: options.phase ?? USUAL_STORM.phase,
    longestWait: options.longestWait ?? USUAL_STORM.longestWait,
    limits: limit ?? PLAN_LIMITS[plan ?? 'free'],
    variants: readVariants(`${SOURCE}: variants`, variants),
    like: like === undefined ? null : likenessOf(like, 'the report', `${SOURCE}: like`),
    load: load === undefined ? null : measuredServiceOf(load, `${SOURCE}: load`),
    capacity: options.capacity ?? null,
    serviceTime: options.serviceTime ?? null,
    refusalCost: options.refusalCost ?? null,
    queue: options.queue ?? null,
    seed: options.seed ?? randomInt(STORM_RANGES.seed[1]),
  };
}

function requireWithin(name: string, value: unknown, least: number, most: number): void {
  if (value === undefined) {
    return;
  }
  const isWhole = WHOLE.has(name);
  if (
    typeof value !== 'number' ||
    !(value >= least && value <= most) ||
    (isWhole && !Number.isInteger(value))
  ) {
    throw new ConfigurationError(
      `${SOURCE}: ${name} must be a ${isWhole ? 'whole number' : 'number'} from ${least} to ${most}, not ${JSON.stringify(value)}`,
    );
  }
}
