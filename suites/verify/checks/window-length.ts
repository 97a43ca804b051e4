import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import type { Check } from '../check.ts';
import { rateLimitOf, planningLimits, type Key, type Span } from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import { cheapestRequest, FREE_LIMIT, freeKeys, smallKeys, useUp } from '../provoking/use-up.ts';
import { probeEarly, probesOfOneKey, type ProbeOutcome } from './early-probes.ts';
import { segmentsExplain } from './window-segments.ts';

const SERIES = { count: 7, spacing: 9, seconds: 48 };
const FURTHER_PROBE_AFTER_SECONDS = 36;
const MARGIN_SECONDS = 0.5;

/** A limit that is reached holds for its minute, wherever in an aligned window it was reached. */
export const windowLength: Check = {
  id: 'window-length',
  title: 'A window is not shorter than a minute',
  judges: ['limit-renews'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [
      ...smallKeys(SERIES.count),
      ...smallKeys(1, SERIES.count),
      ...freeKeys(2, FREE_LIMIT + 1),
      { plan: 'pro', use: 'exhaust', requests: ({ perMinute }) => perMinute + 1 },
    ],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context) => {
    const keys = context.keys.filter((key) => key !== null);
    const probes = keys.slice(0, SERIES.count).map((key, index) => ({
      startsAt: index * SERIES.spacing,
      seconds: SERIES.seconds,
      useUp: () => useUp(context, key),
    }));
    const [single, ...further] = keys.slice(SERIES.count);
    const outcomes = await probeEarly(context, probes, cheapestRequest(context));
    if (!haveCommonEnd(outcomes)) {
      if (single !== undefined) {
        await judgeOneKey(context, single);
      }
      return;
    }
    context.judge('limit-renews', true, '');
    let holds = outcomes.length === SERIES.count;
    const letIn = outcomes.filter(({ accepted }) => accepted);
    for (const key of further) {
      holds = holds && (await judgeWindowOf(context, key, letIn));
    }
  },
};

/** Whether windows of a minute that end at the same moments for all explain who was let in within a minute. */
function haveCommonEnd(outcomes: readonly ProbeOutcome[]): boolean {
  const early = outcomes.filter(({ accepted, seconds }) => accepted && seconds < MINUTE_SECONDS);
  return segmentsExplain(early, MINUTE_SECONDS, MARGIN_SECONDS);
}

/** Each key may have windows that end at moments of its own, but not at several within a minute. */
async function judgeOneKey(context: CheckContext, key: Key): Promise<void> {
  const series = { ...SERIES, windowSeconds: MINUTE_SECONDS };
  const outcomes = await probeEarly(
    context,
    probesOfOneKey(() => useUp(context, key), series),
    cheapestRequest(context),
  );
  const letIn = outcomes.filter(({ accepted }) => accepted);
  context.judge(
    'limit-renews',
    haveCommonEnd(outcomes),
    `${key.label} had reached its limit ${SERIES.count} times, and was granted more within ${SERIES.seconds} s ${letIn.length} times, at moments of the minute that no boundary once a minute explains: the window is shorter than a minute.`,
    letIn.at(-1)?.exchange,
  );
}

/**
 * Judges the window of one key by what others show of the boundaries that windows have.
 * @param letIn spans within which others were let in; without any of them there is no boundary
 * @returns whether it lasts as long as it has to, by what it shows
 */
async function judgeWindowOf(context: CheckContext, key: Key, letIn: readonly Span[]): Promise<boolean> {
  const now = context.now();
  const isUnexplained = (span: Span): boolean =>
    letIn.length === 0 || !segmentsExplain([...letIn, span], MINUTE_SECONDS, MARGIN_SECONDS);
  const startsAt = Array.from({ length: MINUTE_SECONDS }, (_, second) => second).find((second) => {
    const from = now + second * 1000;
    return isUnexplained({ from, to: from + (FURTHER_PROBE_AFTER_SECONDS + 1) * 1000 });
  });
  if (startsAt === undefined) {
    return true;
  }
  const [outcome] = await probeEarly(
    context,
    [{ startsAt, seconds: FURTHER_PROBE_AFTER_SECONDS, useUp: () => useUp(context, key) }],
    cheapestRequest(context),
  );
  return (
    outcome === undefined ||
    context.judge(
      'limit-renews',
      !outcome.accepted ||
        outcome.seconds >= SERIES.seconds ||
        !isUnexplained(outcome) ||
        (letIn.length > 0 && mayEndByItself(outcome, planningLimits(key).perMinute)),
      `${key.label} had reached its limit, and was granted more within ${FURTHER_PROBE_AFTER_SECONDS} s, when no window of the other keys ends: its window is shorter than a minute.`,
      outcome.exchange,
    )
  );
}

/** Whether the key may have windows that end at moments of its own: Reset leapt by a whole one, or describes the day. */
function mayEndByItself({ before, exchange }: ProbeOutcome, limit: number): boolean {
  const [first, last] = [before[0], exchange].map((one) =>
    one === undefined ? undefined : rateLimitOf(one),
  );
  const isTold = first?.limit === limit && last?.limit === limit;
  // Reset is in whole seconds.
  return !isTold || last.reset - first.reset >= MINUTE_SECONDS - 1;
}
