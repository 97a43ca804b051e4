import { DAY_SECONDS } from '../../../contract/plans.ts';
import { seedInventory } from '../../../fixtures/corpora/index.ts';
import { beginActivity, type ClientPlayOptions, performScenario } from '../perform-scenario.ts';
import type { ScenarioRecord } from '../records/record.ts';
import { answersOf, requestAfter } from '../records/traffic-reading.ts';
import { type ClientScenario, limitedByDay, scenarioGroup } from '../scenarios/scenario.ts';
import { sideBySide } from '../side-by-side.ts';

/** What a client did at first when it was told to wait for so long. */
export interface WaitTrial {
  readonly seconds: number;
  /** `waits`: neither sent nor reported anything while it was watched. */
  readonly conduct: 'waits' | 'gives up' | 'comes back early' | 'unknown';
  readonly record: ScenarioRecord;
}

/** Milliseconds of a wait beyond 2^31 do not fit a timer of some platforms; seconds. */
const BEYOND_TIMERS_SECONDS = 31 * DAY_SECONDS;
/** A client that neither returns nor ends for so long has begun to wait; seconds. */
export const WATCHED_SECONDS = 3;

/** Makes scenarios of clients that are started many times. */
export const { list: herdScenario } = scenarioGroup({
  inventory: seedInventory({ size: 3, seed: 11 }),
  shows: [],
});

/**
 * Looks for the longest Retry-After at which a client begins to wait instead of giving up, by starting it again and again.
 * Only the beginning of a wait is watched: a client that cuts its waits later is not told from one that does not.
 * @returns what was tried, the shortest wait first
 */
export async function searchLongestWait(
  options: ClientPlayOptions,
  onRound: (clients: number) => void,
): Promise<readonly WaitTrial[]> {
  // What is let go takes the one process with it, and what that works at beside.
  const jobs = options.driver.starts === 'each' ? options.jobs : 1;
  const trials: WaitTrial[] = [];
  const tryAll = async (waits: readonly number[]): Promise<void> => {
    onRound(waits.length);
    await sideBySide(waits, jobs, options.signal, async (seconds) => {
      const record = await performScenario(toldToWait(seconds), options, beginActivity());
      trials.push({ seconds, conduct: conductOf(record), record });
    });
  };
  await tryAll([DAY_SECONDS, BEYOND_TIMERS_SECONDS]);
  for (;;) {
    const next = nextWaits(trials, jobs);
    if (next.length === 0 || options.signal.aborted) {
      return trials.toSorted((one, other) => one.seconds - other.seconds);
    }
    await tryAll(next);
  }
}

/** The longest wait that was begun below the first that was not, and that one; in seconds. */
export function boundsOf(trials: readonly Pick<WaitTrial, 'seconds' | 'conduct'>[]): {
  readonly begun: number;
  readonly declined: number | null;
} {
  const within = trials.filter(({ seconds }) => seconds <= DAY_SECONDS);
  const declined = within.filter(({ conduct }) => conduct !== 'waits').map(({ seconds }) => seconds);
  const first = declined.length === 0 ? null : Math.min(...declined);
  const begun = within.filter(({ seconds, conduct }) => conduct === 'waits' && seconds < (first ?? Infinity));
  return { begun: Math.max(0, ...begun.map(({ seconds }) => seconds)), declined: first };
}

/** What to try next: up to `count` whole seconds that divide what is open; none if nothing is. */
export function nextWaits(
  trials: readonly Pick<WaitTrial, 'seconds' | 'conduct'>[],
  count: number,
): readonly number[] {
  const { begun, declined } = boundsOf(trials);
  if (declined === null || declined - begun <= 1) {
    return [];
  }
  // By equal factors: a limit is as likely to lie within minutes as within hours.
  const factor = (declined / Math.max(1, begun)) ** (1 / (count + 1));
  const steps = Array.from({ length: count }, (_, index) =>
    Math.round(Math.max(1, begun) * factor ** (index + 1)),
  );
  return [...new Set(steps.map((step) => Math.min(declined - 1, Math.max(begun + 1, step))))];
}

function toldToWait(seconds: number): ClientScenario {
  return herdScenario(`wait-${seconds}`, `One 429 with a Retry-After of ${seconds} s`, {
    answers: [limitedByDay(seconds)],
    letGoAfterSeconds: WATCHED_SECONDS,
    seconds: WATCHED_SECONDS,
    judges: [],
  });
}

function conductOf(record: ScenarioRecord): WaitTrial['conduct'] {
  const [first] = answersOf(record);
  if (first === undefined) {
    return 'unknown';
  }
  const next = requestAfter(record, first);
  if (next !== undefined) {
    return next.receivedAt < (first.allowedAt ?? 0) ? 'comes back early' : 'waits';
  }
  switch (record.outcome.kind) {
    case 'replied':
    case 'broken':
      return 'gives up';
    case 'ended':
      return record.endedFor === 'let go' ? 'waits' : 'unknown';
    case 'unknown':
      return 'unknown';
  }
}
