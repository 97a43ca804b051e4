import { MINUTE_SECONDS, type PlanLimits } from '../../../contract/plans.ts';
import type { Check } from '../check.ts';
import { TWO_WINDOWS_SECONDS, type Key } from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import { agreedKey, cheapestRequest, useUpAtOnce } from '../provoking/use-up.ts';
import { probeEarly, type EarlyProbe, type ProbeOutcome } from './early-probes.ts';

// A limit this small makes many windows cheap.
const AGREED: PlanLimits = { perMinute: 2, perDay: 1_000 };

// If windows have an end in common, or fewer than five segments, some of these keys are let in.
const SPARSE = { count: 7, spacing: 9, seconds: 49 };
// Starts so close together that none of 5 to 120 segments lets all keys in that early.
const DENSE = { count: 41, spacing: 0.3 };

// Answers that come late blur where a window ends: it is tried again, and at last so early that they hardly matter.
const ROUNDS_SECONDS = [59.15, 59.15, 56];
// Beyond this even segments of half a second would explain everything.
const BLUR_SECONDS = 0.2;

/** A window lasts its minute to the end, unless it is aligned to a clock or counted in segments. */
export const windowEnd: Check = {
  id: 'window-end',
  title: 'A window does not end shortly before its minute has passed',
  judges: ['limit-renews'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [
      ...Array.from({ length: SPARSE.count }, () => agreedKey(AGREED, AGREED.perMinute + 1)),
      ...Array.from({ length: DENSE.count }, () =>
        agreedKey(AGREED, ROUNDS_SECONDS.length * (AGREED.perMinute + 1)),
      ),
    ],
    pets: 1,
    worksWithoutPets: true,
    // It is about fractions of a second.
    alone: true,
  },
  run: async (context) => {
    const keys = context.keys.filter((key) => key !== null);
    const [first = 0, ...again] = ROUNDS_SECONDS;
    const sparse = probesOf(context, keys.slice(0, SPARSE.count), SPARSE.spacing, SPARSE.seconds);
    const dense = keys.slice(SPARSE.count);
    const outcomes = await probeEarly(
      context,
      [...sparse, ...probesOf(context, dense, DENSE.spacing, first)],
      cheapestRequest(context),
    );
    const early = outcomes.filter(({ probe }) => sparse.includes(probe));
    if (early.length < SPARSE.count || early.some(({ accepted }) => accepted)) {
      // The windows are aligned, or slide in steps; their length is judged by checks that use up whole minutes.
      return;
    }
    let isClear = cameSoon(outcomes);
    for (const seconds of again) {
      if (!isClear) {
        await context.sleep(TWO_WINDOWS_SECONDS, 'fresh windows');
        const probes = probesOf(context, dense, DENSE.spacing, seconds);
        isClear = cameSoon(await probeEarly(context, probes, cheapestRequest(context)));
      }
    }
  },
};

function probesOf(
  context: CheckContext,
  keys: readonly Key[],
  spacing: number,
  seconds: number,
): readonly EarlyProbe[] {
  return keys.map((key, index) => ({
    startsAt: index * spacing,
    seconds,
    useUp: () => useUpAtOnce(context, key, AGREED.perMinute),
  }));
}

/** Whether nobody was let in early, or the answers came so soon that another round would show nothing else. */
function cameSoon(outcomes: readonly ProbeOutcome[]): boolean {
  const isLetIn = outcomes.some(({ accepted, seconds }) => accepted && seconds < MINUTE_SECONDS);
  return !isLetIn || !outcomes.some(({ probe, seconds }) => seconds > probe.seconds + BLUR_SECONDS);
}
