import type { LoadMeasurement } from '../contract/load-result.ts';
import { expectedRequests, totalSeconds, type RateStretch } from './arrivals.ts';
import { runClosedModel, type ClosedModel } from './closed-model.ts';
import { followKeyUse } from './key-use.ts';
import type { EngineEnd, LoadListener, LoadLoss, LoadResponse } from './load-request.ts';
import { runOpenModel, type OpenModel } from './open-model.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { refereeOf } from './referee.ts';
import type { ScenarioContext } from './scenario.ts';
import { toExchange, watchResponses } from './watch.ts';

export interface MeasureOptions {
  /** Milliseconds at the beginning that are not measured. */
  readonly warmUpMilliseconds: number;
  /** Whether 429 and bans are what is wanted, so that they end nothing. */
  readonly expectsRefusals?: boolean;
  /** What is granted matters, and not how fast: a generator that is late spoils nothing. */
  readonly ignoresTime?: boolean;
  /** The target's clock may be moved meanwhile. */
  readonly movesClock?: boolean;
  /** The signal is the proper end, not an interruption. */
  readonly endsBySignal?: boolean;
  /** Whether the body of every response is wanted, not only of a sample. */
  readonly keepsBodies?: boolean;
  readonly onResponse?: (response: LoadResponse) => void;
  readonly onLoss?: (loss: LoadLoss) => void;
}

const PROGRESS_MILLISECONDS = 1000;
// What is set up at the beginning must not make the first requests late.
const PREPARATION_MILLISECONDS = 50;
const CEILING_REACHED = 'Stopped, since all requests that were announced have been sent.';

/** A measurement, and what else was seen of it. */
export interface Measured {
  readonly measurement: LoadMeasurement;
  readonly notes: readonly string[];
  /** Whether the target closes connections that the engine could not open again. */
  readonly closesConnections: boolean;
}

/** Runs an engine, records and watches what it tells, and ends it early where it does harm. */
export async function measure(
  context: ScenarioContext,
  model: Omit<OpenModel, 'startsAt'> | ClosedModel,
  options: MeasureOptions,
): Promise<Measured> {
  const { session, signal, listener } = context;
  const startedAt = performance.now() + PREPARATION_MILLISECONDS;
  const recorder = createRecorder(startedAt + options.warmUpMilliseconds);
  const stop = new AbortController();
  let ceiling: string | null = null;
  const referee = refereeOf(options.expectsRefusals === true, (reason) => stop.abort(new Error(reason)));
  const watch = watchResponses(session, options.movesClock);
  const use = followKeyUse(session.wire, (response) => toExchange(session, response));
  const engineListener: LoadListener = {
    onDue: (dueAt, lag) => {
      if (!context.spend()) {
        ceiling = CEILING_REACHED;
        stop.abort();
      }
      recorder.due(dueAt, lag);
    },
    onSent: recorder.sent,
    onResponse: (response) => {
      recorder.response(response);
      watch.response(response);
      use.response(response);
      referee.response(response.status);
      options.onResponse?.(response);
    },
    onLoss: (loss) => {
      recorder.loss(loss);
      watch.loss(loss);
      use.loss(loss);
      options.onLoss?.(loss);
      referee.loss();
    },
    wantsBody: () => options.keepsBodies === true || watch.wantsBody(),
  };
  const ticker = setInterval(() => tell(recorder, listener.onSecond), PROGRESS_MILLISECONDS);
  const combined = AbortSignal.any([signal, stop.signal]);
  let end: EngineEnd;
  try {
    if (model.model === 'open') {
      end = await runOpenModel(session.target, { ...model, startsAt: startedAt }, engineListener, combined);
    } else {
      end = await runClosedModel(session.target, model, engineListener, combined);
    }
  } finally {
    clearInterval(ticker);
    use.close();
    // What autocannon has under way when it ends is told by nobody.
    watch.close(model.model === 'open' || model.source.kind === 'each');
  }
  const verdict = referee.verdict();
  // A closed model ends when its last answer is there, an open one when nothing is due any more.
  const isCut = model.model === 'closed' || stop.signal.aborted || signal.aborted;
  const endedAt = isCut ? performance.now() : startedAt + totalSeconds(model.stretches) * 1000;
  const measured = recorder.measurement(model.model, endedAt, [
    ...end.invalid,
    ...(verdict?.kind === 'banned' ? [verdict.reason] : []),
    ...(signal.aborted && options.endsBySignal !== true
      ? ['The run was interrupted, so this is only a part.']
      : []),
  ]);
  const measurement = { ...measured, invalid: [...measured.invalid, ...problemsOf(measured, options)] };
  return {
    measurement,
    closesConnections: end.closesConnections === true,
    notes: [
      ...(verdict === null || verdict.kind === 'banned' ? [] : [verdict.reason]),
      ...(ceiling === null ? [] : [ceiling]),
      ...describeSample(watch.counts()),
    ],
  };
}

function tell(recorder: Recorder, onSecond: ScenarioContext['listener']['onSecond']): void {
  const second = recorder.latest();
  if (second !== undefined) {
    onSecond(second);
  }
}

/** Which part of the responses the monitors have judged, where it was not all of them. */
function describeSample({
  whole,
  headersOnly,
}: ReturnType<ReturnType<typeof watchResponses>['counts']>): readonly string[] {
  return headersOnly === 0
    ? []
    : [
        `The monitors judged ${whole} of ${whole + headersOnly} responses whole, and the rate limit headers of all.`,
      ];
}

// A generator later than this adds noticeably to what it measures.
const LATE_MILLISECONDS = 25;
const MOST_REFUSED_SHARE = 0.01;

/** Why the numbers must not be signed. */
function problemsOf(
  measured: LoadMeasurement,
  { expectsRefusals, ignoresTime }: MeasureOptions,
): readonly string[] {
  const { generatorLag, statuses, answered, model } = measured;
  const problems: string[] = [];
  const isTimed = model === 'open' && ignoresTime !== true;
  if (isTimed && generatorLag.p99 !== null && generatorLag.p99 > LATE_MILLISECONDS) {
    problems.push(
      `The generator fell behind: it sent one request in a hundred ${Math.round(generatorLag.p99)} ms late or more. Lower the rate, or give it a machine of its own.`,
    );
  }
  const refused = statuses['429'] ?? 0;
  if (expectsRefusals !== true && answered > 0 && refused / answered > MOST_REFUSED_SHARE) {
    problems.push(
      `${Math.round((100 * refused) / answered)} % of the answers were 429: this measured the limiter. Give keys whose limits hold the load, such as --key enterprise=KEY@600000/100000000, or a control URL that issues keys.`,
    );
  }
  return problems;
}

/** A ramp up to the first rate, and then the stretches that are measured. */
export function withRampUp(
  stretches: readonly RateStretch[],
  rampUpSeconds: number,
): { readonly stretches: readonly RateStretch[]; readonly warmUpMilliseconds: number } {
  const [first] = stretches;
  return rampUpSeconds === 0 || first === undefined
    ? { stretches, warmUpMilliseconds: 0 }
    : {
        stretches: [{ from: 0, to: first.from, seconds: rampUpSeconds }, ...stretches],
        warmUpMilliseconds: rampUpSeconds * 1000,
      };
}

/** Requests of a load with its ramp up, at most. */
export function requestsOf(stretches: readonly RateStretch[], rampUpSeconds: number): number {
  return Math.ceil(expectedRequests(withRampUp(stretches, rampUpSeconds).stretches) * 1.1) + 10;
}
