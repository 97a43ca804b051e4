import { setTimeout as pause } from 'node:timers/promises';

import type { Check } from '../../suites/verify/index.ts';
import { NotPossible, type ScenarioContext } from '../scenario.ts';
import { keysForLoad } from './load-keys.ts';
import { measure, type Measured } from './measure.ts';
import { mixOf } from './request-mix.ts';

export interface BackgroundResult<Result> {
  readonly result: Result;
  /** `null` if the keys are not enough for a load beside the checks. */
  readonly background: Measured | null;
}

// Longer than any work that it runs beside.
const ENDLESS_SECONDS = 3_600;

const LEAST_SECONDS = 3;

/**
 * Performs checks while other keys load the target at a steady rate, and ends that load when they are done.
 * @param checks those that are performed; no configured key that they may use is used for the load
 */
export async function underLoad<Result>(
  context: ScenarioContext,
  checks: readonly Check[],
  work: () => Promise<Result>,
): Promise<BackgroundResult<Result>> {
  const { parameters, session } = context;
  const { rate, connections, arrivals, seed, writes } = parameters;
  const keys = await ampleKeys(context, checks);
  if (keys === null) {
    return { result: await work(), background: null };
  }
  const mix = mixOf(session, keys, writes);
  const over = new AbortController();
  const loading = measure(
    { ...context, signal: AbortSignal.any([context.signal, over.signal]) },
    {
      model: 'open',
      stages: [{ from: rate, to: rate, seconds: ENDLESS_SECONDS }],
      process: arrivals,
      seed,
      connections,
      mix,
      graceMilliseconds: session.target.timeoutMilliseconds,
    },
    {
      warmUpMilliseconds: 0,
      movesClock: session.client.time.virtual,
      endsBySignal: true,
      ignoresTime: context.thresholds.length === 0,
    },
  );
  try {
    // A few moments are too short to measure response times.
    const [result] = await Promise.all([work(), atLeast(LEAST_SECONDS, context.signal)]);
    return { result, background: await finish(loading, over) };
  } finally {
    over.abort();
    await loading.catch(() => {});
  }
}

/** The notes of the load that ran beside the checks. */
export function notesOf(background: Measured | null): readonly string[] {
  return background === null
    ? ['No background load ran, because no spare key allows one; a control URL that issues keys would help.']
    : background.notes;
}

async function atLeast(seconds: number, signal: AbortSignal): Promise<void> {
  await pause(seconds * 1000, undefined, { signal }).catch(() => {});
}

async function finish(loading: Promise<Measured>, over: AbortController): Promise<Measured> {
  over.abort();
  return loading;
}

async function ampleKeys({ session, parameters }: ScenarioContext, checks: readonly Check[]) {
  try {
    const { cycle, areAmple } = await keysForLoad(session, parameters.rate * 60, session.keysTaken(checks));
    return areAmple ? cycle : null;
  } catch (error) {
    if (error instanceof NotPossible) {
      return null;
    }
    throw error;
  }
}
