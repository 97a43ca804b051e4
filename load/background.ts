import { NotPossible, type ScenarioContext } from './scenario.ts';
import { seededRandom } from './arrivals.ts';
import { keysForLoad } from './load-keys.ts';
import { measure, type Measured } from './measure.ts';
import { mixOf } from './request-mix.ts';
import { pick } from './pick.ts';

export interface BackgroundResult<Result> {
  readonly result: Result;
  /** `null` where the keys do not hold a load beside what is looked at. */
  readonly background: Measured | null;
}

// Longer than anything that is done meanwhile.
const ENDLESS_SECONDS = 3_600;

/** Does something while other keys load the target at a steady rate, and ends that load when it is done. */
export async function underLoad<Result>(
  context: ScenarioContext,
  work: () => Promise<Result>,
): Promise<BackgroundResult<Result>> {
  const { parameters, session } = context;
  const { rate, connections, arrivals, seed, writes } = parameters;
  const keys = await ampleKeys(context);
  if (keys === null) {
    return { result: await work(), background: null };
  }
  const mix = mixOf(session, keys, writes);
  const over = new AbortController();
  const loading = measure(
    { ...context, signal: AbortSignal.any([context.signal, over.signal]) },
    {
      model: 'open',
      stretches: [{ from: rate, to: rate, seconds: ENDLESS_SECONDS }],
      process: arrivals,
      random: seededRandom(seed),
      connections,
      request: (index) => pick(mix, index),
    },
    { warmUpMilliseconds: 0, movesClock: session.wire.time.virtual, endsBySignal: true, ignoresTime: true },
  );
  try {
    return { result: await work(), background: await finish(loading, over) };
  } finally {
    over.abort();
    await loading.catch(() => {});
  }
}

async function finish(loading: Promise<Measured>, over: AbortController): Promise<Measured> {
  over.abort();
  return loading;
}

async function ampleKeys({ session, parameters }: ScenarioContext) {
  try {
    const { cycle, areAmple } = await keysForLoad(session, parameters.rate * 60);
    return areAmple ? cycle : null;
  } catch (error) {
    if (error instanceof NotPossible) {
      return null;
    }
    throw error;
  }
}
