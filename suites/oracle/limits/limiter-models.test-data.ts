import * as fc from 'fast-check';

import { seededRandom } from '../../../contract/seeded-random.ts';
import type { Exchange } from '../exchange.ts';
import { rateLimitFields, sampleExchange } from '../exchange.test-data.ts';

/** What a limiter remembers of the requests that it counted; seconds of its own clock. */
interface Memory {
  /** Requests that still count, with fractions if a window slides. */
  readonly used: (now: number) => number;
  readonly count: (now: number) => void;
  /** When the window ends, or the next request is forgotten. */
  readonly end: (now: number) => number;
}

/** A fixed window; `beginningOf` tells when the one began in which `now` lies. */
function fixedWindow(length: number, beginningOf: (now: number, current: number) => number): Memory {
  let beginning = Number.NEGATIVE_INFINITY;
  let counted = 0;
  const move = (now: number): void => {
    const next = beginningOf(now, beginning);
    counted = next === beginning ? counted : 0;
    beginning = next;
  };
  return {
    used: (now) => {
      move(now);
      return counted;
    },
    count: () => {
      counted += 1;
    },
    end: () => beginning + length,
  };
}

function slidingLog(length: number): Memory {
  let log: number[] = [];
  return {
    used: (now) => {
      const first = log.findIndex((moment) => moment > now - length);
      log = first === 0 ? log : first < 0 ? [] : log.slice(first);
      return log.length;
    },
    count: (now) => {
      log.push(now);
    },
    end: (now) => (log[0] ?? now) + length,
  };
}

/** Counts by windows of the clock; the one before weighs as much as a sliding window still covers of it. */
function slidingCounter(length: number): Memory {
  let beginning = 0;
  let before = 0;
  let counted = 0;
  return {
    used: (now) => {
      const current = Math.floor(now / length) * length;
      if (current !== beginning) {
        before = current === beginning + length ? counted : 0;
        counted = 0;
        beginning = current;
      }
      return before * (1 - (now - beginning) / length) + counted;
    },
    count: () => {
      counted += 1;
    },
    end: () => beginning + length,
  };
}

const MEMORIES = {
  'clock-aligned window': (length) => fixedWindow(length, (now) => Math.floor(now / length) * length),
  'window from the first request': (length) =>
    fixedWindow(length, (now, current) => (now < current + length ? current : now)),
  'sliding log': slidingLog,
  'sliding counter': slidingCounter,
} satisfies Readonly<Record<string, (length: number) => Memory>>;

type Algorithm = keyof typeof MEMORIES;

/** The window algorithms that a conforming limiter may have. */
export const ALGORITHMS = [
  'clock-aligned window',
  'window from the first request',
  'sliding log',
  'sliding counter',
] as const satisfies readonly Algorithm[];

export interface LimiterModel {
  readonly algorithm: Algorithm;
  /** Requests that a window should grant. */
  readonly limit: number;
  readonly windowSeconds: number;
  /** Requests granted beyond the limit, or fewer if it is negative. */
  readonly extra: number;
  /** Whether requests count that are refused, for the limit or for their content. */
  readonly countsRefused: boolean;
  /** Whether the headers speak of this window or of another, longer one. */
  readonly shows: 'this window' | 'another';
  /** Whether Reset moves along with the time, a window ahead of it. */
  readonly resetMoves: boolean;
  /** Whether Remaining counts down from what is really granted, rather than from the limit. */
  readonly remainingCountsExtra: boolean;
  /** Whether the limiter's clock knows whole seconds only. */
  readonly wholeSeconds: boolean;
  /** Seconds that the server's clock is ahead of the client's; gives the windows their phase, too. */
  readonly skewSeconds: number;
}

/** One request on the network: sent, decided and answered; milliseconds of the client. */
export interface ModelFlight {
  readonly sentAt: number;
  readonly decidedAt: number;
  readonly receivedAt: number;
  /** What becomes of it if the limit grants it. */
  readonly fate: 'accepted' | 'not found' | 'lost';
}

/** What the client sees of its flights, in their order; `undefined` for a response that was lost. */
export function answer(
  model: LimiterModel,
  flights: readonly ModelFlight[],
): readonly (Exchange | undefined)[] {
  const memory = MEMORIES[model.algorithm](model.windowSeconds);
  const answers = new Map<ModelFlight, Exchange>();
  let total = 0;
  for (const flight of flights.toSorted((a, b) => a.decidedAt - b.decidedAt)) {
    const exact = flight.decidedAt / 1000 + model.skewSeconds;
    const now = model.wholeSeconds ? Math.floor(exact) : exact;
    const isGranted = memory.used(now) + 1 <= model.limit + model.extra;
    if ((isGranted && flight.fate !== 'not found') || model.countsRefused) {
      memory.count(now);
      total += 1;
    }
    const status = !isGranted ? 429 : flight.fate === 'not found' ? 404 : 200;
    const headers = rateLimitFields(...shown(model, memory, now, total));
    if (flight.fate !== 'lost') {
      answers.set(flight, sampleExchange({ ...flight, status, headers }));
    }
  }
  return flights.map((flight) => answers.get(flight));
}

const OTHER_LIMIT = 1_000_000;

function shown(
  model: LimiterModel,
  memory: Memory,
  now: number,
  total: number,
): readonly [limit: number, remaining: number, reset: number] {
  const { limit, extra, windowSeconds } = model;
  if (model.shows === 'another') {
    return [OTHER_LIMIT, OTHER_LIMIT - total, Math.ceil(now / 1e6) * 1e6];
  }
  const most = model.remainingCountsExtra ? limit + extra : limit;
  const remaining = Math.max(0, Math.floor(most - memory.used(now)));
  return [limit, remaining, Math.ceil(model.resetMoves ? now + windowSeconds : memory.end(now))];
}

/** How requests follow one another. */
interface ModelPace {
  readonly seed: number;
  /** Requests under way at once. */
  readonly lanes: number;
  /** How long it takes to send and answer them all, roughly. */
  readonly seconds: number;
  /** How much one differs from another, from 0 for not at all to 1. */
  readonly jitter: number;
  /** A pause after that share of the requests. */
  readonly pause: { readonly after: number; readonly seconds: number };
  /** Share of the requests that are answered 404, and of those whose response is lost. */
  readonly notFound: number;
  readonly lost: number;
}

/** Sends that many requests from a moment on, in milliseconds; each takes its own time, and is decided within it. */
export function fly(pace: ModelPace, count: number, from: number): readonly ModelFlight[] {
  const random = seededRandom(pace.seed);
  const lanes = Array.from({ length: pace.lanes }, () => from);
  const usual = (pace.seconds * 1000 * pace.lanes) / Math.max(1, count);
  const pauseAt = Math.floor(count * pace.pause.after);
  return Array.from({ length: count }, (_, index) => {
    if (index === pauseAt) {
      const resumed = Math.max(...lanes) + pace.pause.seconds * 1000;
      lanes.fill(resumed);
    }
    const sentAt = Math.min(...lanes);
    const took = usual * (1 + pace.jitter * (2 * random() - 1));
    const decidedAt = sentAt + took * random();
    const receivedAt = sentAt + took;
    lanes[lanes.indexOf(sentAt)] = receivedAt;
    const draw = random();
    const fate = draw < pace.notFound ? 'not found' : draw < pace.notFound + pace.lost ? 'lost' : 'accepted';
    return { sentAt, decidedAt, receivedAt, fate };
  });
}

const anyLimit = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(1, 2, 3, 7, 20) },
  { weight: 8, arbitrary: fc.constant(60) },
  { weight: 2, arbitrary: fc.constant(300) },
  { weight: 1, arbitrary: fc.constant(1_000) },
);

/** Any limiter of these algorithms that grants so many more than its limit, zero included for none at all. */
export function anyModel(
  algorithms: readonly Algorithm[],
  extras: readonly number[] = [0],
): fc.Arbitrary<LimiterModel> {
  return fc
    .record({
      algorithm: fc.constantFrom(...algorithms),
      limit: anyLimit,
      windowSeconds: fc.constantFrom(60, 60, 60, 86_400),
      extra: fc.constantFrom(...extras),
      countsRefused: fc.boolean(),
      shows: fc.constantFrom('this window', 'this window', 'another'),
      resetMoves: fc.boolean(),
      remainingCountsExtra: fc.boolean(),
      wholeSeconds: fc.boolean(),
      skewSeconds: fc.double({ min: 1e6, max: 1e6 + 200_000, noNaN: true }),
    })
    .filter(({ limit, extra }) => limit + extra >= 0);
}

/** A pace, for windows of a length. */
type AnyPace = (windowSeconds: number) => ModelPace;

/** Any pace whose requests take up to so many windows, half of that in a pause. */
export function anyPace(windows: number, mishaps: boolean): fc.Arbitrary<AnyPace> {
  const most = windows / 2;
  const share = fc.oneof(
    // Short ones as often as long ones, and those that barely outlast a window.
    fc.double({ min: -5, max: 0, noNaN: true }).map((exponent) => most * 10 ** exponent),
    fc.double({ min: Math.min(most, 0.8), max: Math.min(most, 1.2), noNaN: true }),
  );
  return fc
    .record({
      seed: fc.integer(),
      lanes: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 28 })),
      seconds: share,
      jitter: fc.constantFrom(0, 0.2, 1),
      after: fc.oneof(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0.8, max: 1, noNaN: true }),
      ),
      rest: fc.oneof(fc.constant(0), share),
      notFound: mishaps ? fc.constantFrom(0, 0, 0.05, 0.4) : fc.constant(0),
      lost: mishaps ? fc.constantFrom(0, 0, 0.02, 0.2) : fc.constant(0),
    })
    .map(({ seconds, after, rest, ...pace }) => (windowSeconds) => ({
      ...pace,
      seconds: seconds * windowSeconds,
      pause: { after, seconds: rest * windowSeconds },
    }));
}

/** Requests sent beyond the limit; often one alone, which makes the least difference. */
export const anyExcess = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 8 }));
