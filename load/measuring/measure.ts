import type { LoadMeasurement } from '../../contract/load-result.ts';
import { countText } from '../../contract/words/enumeration.ts';
import { expectedRequests, peakRateOf, type RateStage } from '../engine/arrivals.ts';
import { latenessOf } from '../figures/lateness.ts';
import { measurementOf, secondOf } from '../figures/recording.ts';
import { startEngine, type EngineOptions } from '../engine/engine-run.ts';
import { type Load, WHOLE } from '../engine/load-model.ts';
import { isOwnCause } from '../engine/load-request.ts';
import { sum } from '../figures/request-counts.ts';
import { createCircuitBreaker } from '../judging/circuit-breaker.ts';
import { keysForLoad, mixOf } from './load-mix.ts';
import type { ScenarioContext } from '../scenario.ts';
import type { DividedRun, Generators } from '../shards/measure-in-shards.ts';
import { followKeys } from '../judging/key-history.ts';

export interface MeasureOptions extends Pick<
  EngineOptions,
  'warmUpMilliseconds' | 'movesClock' | 'keepsBodies' | 'onLeaving' | 'onResponse' | 'onLoss'
> {
  /** Whether 429 and bans are expected, so that they do not end the load. */
  readonly expectsRefusals?: boolean;
  /** Only what is granted matters, not how fast: a late generator is no problem. */
  readonly ignoresTime?: boolean;
  /** The signal is the proper end, not an interruption. */
  readonly endsBySignal?: boolean;
}

const PROGRESS_MILLISECONDS = 1000;
// What is set up at the beginning must not make the first requests of a schedule late.
const PREPARATION_MILLISECONDS = 50;
const CEILING_REACHED = 'Stopped: all announced requests have been sent.';

/** A measurement, and what else was seen of it. */
export type Measured = ReturnType<typeof conclude>;

/** Puts a load on the target, from this thread or from several generators, and ends it early if it does harm. */
export function measure(context: ScenarioContext, load: Load, options: MeasureOptions): Promise<Measured> {
  return context.generators === null
    ? measureHere(context, load, options)
    : measureDivided(context, context.generators, load, options);
}

async function measureHere(context: ScenarioContext, load: Load, options: MeasureOptions): Promise<Measured> {
  const { session, signal, listener, spend } = context;
  const startsAt = performance.now() + (load.model === 'open' ? PREPARATION_MILLISECONDS : 0);
  const stop = new AbortController();
  const breaker = createCircuitBreaker(options.expectsRefusals === true, (reason) =>
    stop.abort(new Error(reason)),
  );
  const history = followKeys(session.client, options.movesClock === true);
  const engine = startEngine(load, {
    ...options,
    target: session.target,
    client: session.client,
    share: WHOLE,
    startsAt,
    onOutcome: (outcomes) => {
      // What is given up when the load is over is not why it ended.
      if (!signal.aborted) {
        breaker.look(outcomes);
      }
    },
    spend,
    signal: AbortSignal.any([signal, stop.signal]),
    history,
  });
  const ticker = setInterval(() => {
    const { latest } = engine.progress();
    if (latest !== null) {
      listener.onSecond(secondOf(latest.second, [latest.recording]));
    }
  }, PROGRESS_MILLISECONDS);
  try {
    const run = await engine.ended;
    history.end();
    return conclude(context, load, options, { runs: [run], trip: breaker.trip(), invalid: [], notes: [] });
  } finally {
    clearInterval(ticker);
  }
}

async function measureDivided(
  context: ScenarioContext,
  generators: Generators,
  load: Load,
  options: MeasureOptions,
): Promise<Measured> {
  const { session, signal, listener } = context;
  if ((load.model === 'closed' && load.source === 'made') || options.onResponse !== undefined) {
    throw new TypeError('This load can be carried by one generator alone');
  }
  const run = await generators.run({
    target: session.target,
    client: session.client,
    load,
    warmUpMilliseconds: options.warmUpMilliseconds,
    movesClock: options.movesClock === true,
    expectsRefusals: options.expectsRefusals === true,
    budget: context.left(),
    signal,
    onSecond: listener.onSecond,
  });
  context.spend(run.spent);
  return conclude(context, load, options, run);
}

/** The measurement of all generators of a load. */
function conclude(
  { signal, generators }: ScenarioContext,
  { model }: Load,
  options: MeasureOptions,
  { runs, trip, invalid, notes }: Omit<DividedRun, 'spent'>,
) {
  const usedUp = [...new Set(runs.flatMap(({ usedUp }) => usedUp ?? []))];
  const measured = measurementOf(
    runs.map(({ recording }) => recording),
    {
      model,
      milliseconds: Math.max(0, ...runs.map(({ milliseconds }) => milliseconds)),
      invalid: [
        ...invalid,
        ...runs.flatMap(({ end }) => end.invalid),
        ...(trip?.kind === 'banned' ? [trip.reason] : []),
        ...usedUp.map(
          (label) =>
            `Stopped: the limit of ${label} was met, and only profile full goes on with a key after a 429.`,
        ),
        ...(signal.aborted && options.endsBySignal !== true && generators?.lost.aborted !== true
          ? ['The run was interrupted, so this is only a part.']
          : []),
      ],
    },
  );
  return {
    measurement: {
      ...measured,
      invalid: [...measured.invalid, ...problemsOf(measured, options, usedUp.length > 0)],
    },
    /** The share of its time that the generator with the largest was not waiting for anything. */
    busyShare: Math.max(0, ...runs.map(({ busyShare }) => busyShare)),
    /** The share of their time that the connections of the same waited for the ceiling of the rate. */
    waitedShare: Math.max(0, ...runs.map(({ end }) => end.waitedShare ?? 0)),
    /** Why it was ended before its time, in a sentence, or `null`. */
    stopped: trip?.reason ?? null,
    /** Whether it ended because a key that is to be spared was answered 429. */
    isUsedUp: usedUp.length > 0,
    /** Whether the target did not answer any more at the end. */
    isSilenced: runs.some(({ isSilenced }) => isSilenced),
    /** Whether the target closes connections that the engine could not open again. */
    closesConnections: runs.some(({ end }) => end.closesConnections === true),
    notes: [
      ...(trip === null || trip.kind === 'banned' ? [] : [trip.reason]),
      ...(runs.some(({ isCeilingReached }) => isCeilingReached) ? [CEILING_REACHED] : []),
      ...describeSample(runs),
      ...notes,
    ],
  };
}

/** What part of the responses the monitors have judged, if not all. */
function describeSample(runs: DividedRun['runs']): readonly string[] {
  const whole = sum(runs.map(({ monitored }) => monitored.whole));
  const headersOnly = sum(runs.map(({ monitored }) => monitored.headersOnly));
  return headersOnly === 0
    ? []
    : [
        `The monitors judged ${whole} of ${whole + headersOnly} responses whole, and the rate limit headers of all.`,
      ];
}

const MOST_REFUSED_SHARE = 0.01;

/** Why the figures are not valid. */
function problemsOf(
  measured: LoadMeasurement,
  { expectsRefusals, ignoresTime }: MeasureOptions,
  isUsedUp: boolean,
): readonly string[] {
  const { statuses, answered, unsentBy = {} } = measured;
  const problems: string[] = [];
  const own = Object.entries(unsentBy).filter(([cause]) => isOwnCause(cause));
  if (own.length > 0) {
    problems.push(
      `This machine, not the target, kept ${countText(sum(own.map(([, count]) => count)), 'request')} from being sent: ${own.map(([cause]) => cause).join(', ')}. Allow it more open files (ulimit -n) or ports, or lower --connections.`,
    );
  }
  const lateness = latenessOf(measured);
  if (lateness !== null && ignoresTime !== true) {
    problems.push(lateness);
  }
  const refused = statuses['429'] ?? 0;
  if (expectsRefusals !== true && !isUsedUp && answered > 0 && refused / answered > MOST_REFUSED_SHARE) {
    problems.push(
      `${Math.round((100 * refused) / answered)} % of the responses were 429, so this measured the limiter. Use keys whose limits allow the load, such as --key enterprise=KEY@600000/100000000, or a control URL that issues keys.`,
    );
  }
  return problems;
}

/** A ramp up to the first rate, and then the stages that are measured. */
function withRampUp(
  stages: readonly RateStage[],
  rampUpSeconds: number,
): { readonly stages: readonly RateStage[]; readonly warmUpMilliseconds: number } {
  const [first] = stages;
  return rampUpSeconds === 0 || first === undefined
    ? { stages, warmUpMilliseconds: 0 }
    : {
        stages: [{ from: 0, to: first.from, seconds: rampUpSeconds }, ...stages],
        warmUpMilliseconds: rampUpSeconds * 1000,
      };
}

/** Requests of a load with its ramp up, at most. */
export function maxRequestsOf(stages: readonly RateStage[], rampUpSeconds: number): number {
  return Math.ceil(expectedRequests(withRampUp(stages, rampUpSeconds).stages) * 1.1) + 10;
}

/**
 * Measures stages of the rate once, in the open model and after a ramp up, with the usual mix of requests.
 * Issued keys are fresh each time, since earlier ones may still have requests under way in the target.
 */
export async function measureStages(
  context: ScenarioContext,
  stages: readonly RateStage[],
  {
    seed = context.parameters.seed,
    peakRate = peakRateOf(stages),
    ...options
  }: Omit<MeasureOptions, 'warmUpMilliseconds'> & {
    readonly seed?: number;
    /** The rate that the keys have to allow; the peak of the stages by default. */
    readonly peakRate?: number;
  } = {},
): Promise<Measured> {
  const { session, parameters } = context;
  const { rampUp, arrivals, connections, writes } = parameters;
  const keys = await keysForLoad(session, Math.ceil(peakRate * 60));
  const mix = mixOf(session, keys.cycle, writes);
  const { stages: whole, warmUpMilliseconds } = withRampUp(stages, rampUp);
  return measure(
    context,
    {
      model: 'open',
      stages: whole,
      process: arrivals,
      seed,
      connections,
      mix,
    },
    { ...options, warmUpMilliseconds },
  );
}
