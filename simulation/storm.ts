import { setImmediate as nextTurn } from 'node:timers/promises';

import { parseRetryAfter } from '../contract/retry-after.ts';
import { seededRandom } from '../contract/seeded-random.ts';
import type { PlanLimits } from '../contract/plans.ts';
import { openVirtualLimits, type ReferenceServerOptions } from '../reference-server/index.ts';
import { createEventQueue } from './event-queue.ts';
import {
  beginsOf,
  createPopulation,
  increment,
  type Population,
  type PopulationShare,
} from './population.ts';
import { createServiceQueue, type ServiceModel } from './service-queue.ts';
import { createTally, type StormTally } from './tally.ts';

/** What is played: clients with a key each against limits and a capacity. Times are in seconds. */
export interface Storm {
  readonly clients: number;
  readonly shares: readonly PopulationShare[];
  /** Accepted requests that each client wants, one after the other. */
  readonly requestsEach: number;
  /** Over which the clients begin, evenly at random. */
  readonly arrivalSeconds: number;
  /** Between an accepted request and the next. */
  readonly pauseSeconds: number;
  /** After which a client takes a request for lost. */
  readonly timeoutSeconds: number;
  /** What comes later is not looked at. */
  readonly durationSeconds: number;
  /** Unix time at which it begins. */
  readonly startUnixSeconds: number;
  readonly limits: PlanLimits;
  /** How the limits differ from those of the reference server. */
  readonly server: Pick<ReferenceServerOptions, 'alterations' | 'ban'>;
  readonly service: ServiceModel;
  readonly seed: number;
}

/** A storm that is played. */
export interface RunningStorm {
  /** Plays so many requests at most. @returns whether there are more */
  readonly advance: (requests: number) => boolean;
  /** Virtual time until which it was played. */
  readonly seconds: () => number;
  /** Clients that have all they want. */
  readonly served: () => number;
  readonly population: Population;
  readonly tally: StormTally;
}

interface StormKey {
  readonly key: string;
  readonly plan: 'enterprise';
  readonly limits: PlanLimits;
}

/** What a client hears of its request. */
interface StormReply {
  /** When, in seconds since the start. */
  readonly at: number;
  readonly kind: 'granted' | 'refused' | 'banned' | 'dropped' | 'late';
  readonly retryAfter: string | null;
  /** How long the request waited for a worker. */
  readonly wait: number;
}

// Far from the numbers that say when clients begin.
const FURTHER = 0x5bd1e995;

/** Plays a storm; the same for the same seed, bit by bit. */
export function startStorm(storm: Storm): RunningStorm {
  const { clients, shares, requestsEach, durationSeconds } = storm;
  const random = seededRandom(storm.seed + FURTHER);
  const population = createPopulation(clients, shares, random);
  const tally = createTally(clients, durationSeconds);
  const { ask, leave } = openService(storm);
  const queue = createEventQueue(clients);
  beginsOf(storm).forEach((seconds, client) => queue.add(seconds, client));
  let now = 0;
  let served = 0;

  /** @returns when the client sends its next request; `null` if it sends none */
  function hear(client: number, reply: StormReply): number | null {
    const { kind, at, retryAfter } = reply;
    if (kind === 'granted') {
      population.refusals[client] = 0;
      tally.granted(at);
      if (increment(population.granted, client) < requestsEach) {
        return at + storm.pauseSeconds;
      }
      population.servedAt[client] = at;
      tally.served(at);
      served += 1;
      return null;
    }
    tally.failed(kind === 'banned' ? 'refused' : kind, at, population.isReturning[client] === 1);
    population.isReturning[client] = 1;
    population.wasBanned[client] = kind === 'banned' ? 1 : (population.wasBanned[client] ?? 0);
    const inARow = increment(population.refusals, client);
    const retryAfterSeconds = retryAfter === null ? null : secondsOf(retryAfter, storm.startUnixSeconds + at);
    const policy = shares[population.policy[client] ?? 0]?.policy;
    const wait = policy?.wait({ retryAfterSeconds, inARow }, random) ?? null;
    if (wait === null) {
      population.gaveUp[client] = 1;
      return null;
    }
    return at + Math.max(0, wait);
  }

  function play(client: number): void {
    const isReturning = population.isReturning[client] === 1;
    increment(population.sent, client);
    const reply = ask(client, now);
    tally.sent(now, isReturning, reply.wait);
    const next = reply.at > durationSeconds ? null : hear(client, reply);
    if (next === null || next > durationSeconds) {
      queue.removeEarliest();
      leave(client);
    } else {
      queue.postpone(next);
    }
  }

  return {
    advance: (requests) => {
      for (let played = 0; played < requests && queue.size() > 0; played += 1) {
        now = queue.seconds();
        play(queue.id());
      }
      return queue.size() > 0;
    },
    seconds: () => now,
    served: () => served,
    population,
    tally,
  };
}

/** Follows a storm while it is played. */
export interface StormFollower {
  /** @param seconds virtual time until which it was played */
  readonly onProgress: (seconds: number, served: number) => void;
  /** Aborting it ends the storm. */
  readonly signal: AbortSignal;
}

const REQUESTS_A_TURN = 50_000;

/**
 * Plays a storm to its end, and leaves room for signals and progress.
 * @throws the reason of the signal if it is aborted
 */
export async function playStorm(storm: Storm, { onProgress, signal }: StormFollower): Promise<RunningStorm> {
  const running = startStorm(storm);
  while (running.advance(REQUESTS_A_TURN)) {
    onProgress(running.seconds(), running.served());
    await nextTurn();
    signal.throwIfAborted();
  }
  return running;
}

const GRANTED = { accepted: true, banned: false, retryAfter: null };

/** The service: first its queue, then its limits, then the work. */
function openService({
  clients,
  service,
  limits,
  server,
  startUnixSeconds,
  timeoutSeconds,
  durationSeconds,
}: Storm) {
  const line = createServiceQueue(service);
  const { decide } = openVirtualLimits(server);
  const refusalSeconds = service.serviceSeconds * service.refusalShare;
  // The limits remember a key for as long as it is in here.
  const keys = Array.from({ length: clients }, (): StormKey | null => null);

  function keyOfClient(client: number): StormKey {
    const key = keys[client] ?? { key: `client-${client}`, plan: 'enterprise', limits };
    keys[client] = key;
    return key;
  }

  return {
    ask: (client: number, now: number): StormReply => {
      const begun = line.begin(now);
      if (begun === null) {
        return { at: now, kind: 'dropped', retryAfter: null, wait: 0 };
      }
      const wait = begun - now;
      // What is begun after the end shows in nothing but the time that others wait behind it.
      const { accepted, banned, retryAfter } =
        begun > durationSeconds ? GRANTED : decide(keyOfClient(client), startUnixSeconds + begun);
      const at = line.finish(begun, accepted ? service.serviceSeconds : refusalSeconds);
      // The service does not see that the client has gone, so that the work is done in vain.
      return at - now > timeoutSeconds
        ? { at: now + timeoutSeconds, kind: 'late', retryAfter: null, wait }
        : { at, kind: accepted ? 'granted' : banned ? 'banned' : 'refused', retryAfter, wait };
    },
    /** Forgets a client that sends nothing more. */
    leave: (client: number): void => {
      keys[client] = null;
    },
  };
}

/** Seconds from a moment until that of a Retry-After; `null` if it cannot be read. */
function secondsOf(retryAfter: string, nowUnixSeconds: number): number | null {
  const parsed = parseRetryAfter(retryAfter);
  if (parsed === undefined) {
    return null;
  }
  return parsed.form === 'delta-seconds' ? parsed.seconds : Math.max(0, parsed.unixSeconds - nowUnixSeconds);
}
