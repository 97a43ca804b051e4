import { needsOfIssuedKeys, type Check } from '../check.ts';
import { isAccepted, type Key } from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import { honourRetryAfter, RETRY_AFTER_JUDGES } from '../provoking/honour-retry-after.ts';
import { cheapestRequest, FREE_LIMIT, freeKeys, smallKeys, useUp } from '../provoking/use-up.ts';
import { probeEarly, probesOfOneKey } from './early-probes.ts';
import { MINUTE_SECONDS } from '../../../contract/plans.ts';

const SERIES = { count: 7, spacing: 9, seconds: 48 };
const FURTHER_PROBE_AFTER_SECONDS = 36;
// So that no boundary of an aligned window lies in each of them.
const MOST_PHASES = 3;
const APART_SECONDS = 3 * MINUTE_SECONDS + 20;

/** A limit that is reached holds for its minute, wherever in an aligned window it was reached. */
export const windowLength: Check = {
  id: 'window-length',
  title: 'A window is not shorter than a minute',
  judges: ['limit-renews'],
  alsoJudges: RETRY_AFTER_JUDGES,
  needs: needsOfIssuedKeys([
    ...smallKeys(SERIES.count),
    ...smallKeys(1, SERIES.count),
    ...freeKeys(1, MOST_PHASES * (FREE_LIMIT + 1) + 1),
    { plan: 'pro', use: 'exhaust', requests: ({ perMinute }) => MOST_PHASES * (perMinute + 1) + 1 },
  ]),
  run: async (context) => {
    const keys = context.keys.filter((key) => key !== null);
    const probes = keys.slice(0, SERIES.count).map((key, index) => ({
      startsAt: index * SERIES.spacing,
      seconds: SERIES.seconds,
      useUp: () => useUp(context, key),
    }));
    const [single, ...further] = keys.slice(SERIES.count);
    const outcomes = await probeEarly(context, probes, cheapestRequest(context));
    if (single !== undefined && outcomes.some(({ accepted }) => accepted)) {
      // Each key may have windows that end at moments of its own, but not at several within a minute.
      const series = { ...SERIES, windowSeconds: MINUTE_SECONDS };
      const again = probesOfOneKey(() => useUp(context, single), series);
      await probeEarly(context, again, cheapestRequest(context));
    }
    for (const key of further) {
      await comeBackEarly(context, key);
    }
  },
};

/** Uses up a minute and comes back in the midst of it; at other phases, too, as long as an aligned window lets it in. */
async function comeBackEarly(context: CheckContext, key: Key): Promise<void> {
  for (let phase = 0; phase < MOST_PHASES; phase += 1) {
    await useUp(context, key);
    await context.sleep(FURTHER_PROBE_AFTER_SECONDS, 'the midst of a window');
    const early = await context.send(cheapestRequest(context), { key });
    if (!isAccepted(early)) {
      await honourRetryAfter(context, key, early);
      return;
    }
    await context.sleep(APART_SECONDS - FURTHER_PROBE_AFTER_SECONDS, 'another phase of the minute');
  }
}
