import { setTimeout as pause } from 'node:timers/promises';

import type { Check } from '../../suites/verify/index.ts';
import type { Key } from '../../suites/oracle/index.ts';
import { EMPTY_RESULT, NotPossible, type ScenarioContext, type ScenarioResult } from '../scenario.ts';
import type { LoadSession } from '../session.ts';
import { keysForLoad, mixOf } from './load-mix.ts';
import { measure, type Measured } from './measure.ts';

// Longer than any checks that it runs beside.
const ENDLESS_SECONDS = 3_600;
// A few moments are too short to measure response times.
const LEAST_SECONDS = 3;
const CHECKS_SECONDS = 60;
const NO_BACKGROUND =
  'No background load ran, because no spare key allows one; a control URL that issues keys would help.';

/**
 * Performs checks of the suites side by side, while other keys load the target at a steady rate until they are done.
 * @throws {NotPossible} if none of the checks can be performed
 */
export async function checkUnderLoad(
  context: ScenarioContext,
  checks: readonly Check[],
): Promise<ScenarioResult> {
  const { session, listener } = context;
  const { possible, leftOut } = planChecks(session, checks);
  const keys = await ampleKeys(context, possible);
  const over = new AbortController();
  const loading = keys === null ? null : loadUntil(over.signal, context, keys);
  try {
    listener.onPhase(
      possible.length === 1 ? (possible[0]?.title ?? '') : `${possible.length} checks`,
      CHECKS_SECONDS,
    );
    const [summaries] = await Promise.all([
      session.perform(possible, new Set(keys)),
      loading === null ? undefined : atLeast(LEAST_SECONDS, context.signal),
    ]);
    over.abort();
    const background = await loading;
    const undecided = await session.settle(summaries, leftOut);
    return {
      ...EMPTY_RESULT,
      measurements: background === null ? [] : [background.measurement],
      notes: [...(background?.notes ?? [NO_BACKGROUND]), ...describeLeftOut(leftOut)],
      inconclusive: undecided ?? describeStop(background?.stopped ?? null),
    };
  } finally {
    over.abort();
    await loading?.catch(() => {});
  }
}

/** The checks that can be performed on this target, and why the others are left out. */
function planChecks(session: LoadSession, checks: readonly Check[]) {
  const obstacles = checks.map((check) => ({ check, reason: obstacleOf(session, check, checks) }));
  const possible = obstacles.filter(({ reason }) => reason === null).map(({ check }) => check);
  if (possible.length === 0) {
    throw new NotPossible(obstacles[0]?.reason ?? 'There is nothing to look at.');
  }
  return {
    possible,
    leftOut: obstacles.flatMap(({ check, reason }) => (reason === null ? [] : [{ check, reason }])),
  };
}

function describeLeftOut(
  leftOut: readonly { readonly check: Check; readonly reason: string }[],
): readonly string[] {
  return [...new Set(leftOut.map(({ check, reason }) => `Left out: ${check.title}. ${reason}`))];
}

function obstacleOf(session: LoadSession, check: Check, among: readonly Check[]): string | null {
  const missing = (check.needs.control ?? []).find(
    (capability) => session.control?.capabilities.has(capability) !== true,
  );
  if (missing !== undefined) {
    return `This needs a control URL that offers ${missing}.`;
  }
  if (session.config.profile !== 'full') {
    return `Profile ${session.config.profile} never exhausts a limit; --profile full does.`;
  }
  return session.obstacle(check, among);
}

/** Keys for the load; `null` if those that the checks leave are not enough. */
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

function loadUntil(over: AbortSignal, context: ScenarioContext, keys: readonly Key[]): Promise<Measured> {
  const { session, parameters, thresholds } = context;
  const { rate, connections, arrivals, seed, writes } = parameters;
  return measure(
    { ...context, signal: AbortSignal.any([context.signal, over]) },
    {
      model: 'open',
      stages: [{ from: rate, to: rate, seconds: ENDLESS_SECONDS }],
      process: arrivals,
      seed,
      connections,
      mix: mixOf(session, keys, writes),
      graceMilliseconds: session.target.timeoutMilliseconds,
    },
    {
      warmUpMilliseconds: 0,
      movesClock: session.client.time.virtual,
      endsBySignal: true,
      ignoresTime: thresholds.length === 0,
    },
  );
}

async function atLeast(seconds: number, signal: AbortSignal): Promise<void> {
  await pause(seconds * 1000, undefined, { signal }).catch(() => {});
}

/** What it means that the load beside the checks was ended before they were. */
function describeStop(stopped: string | null): string | null {
  return stopped === null ? null : `The load beside the checks ended before they did. ${stopped}`;
}
