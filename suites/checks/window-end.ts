import { MINUTE_SECONDS, type PlanLimits } from '../../contract/plans.ts';
import { countAccepted } from '../burst.ts';
import type { Check, KeyNeed } from '../check.ts';
import type { Key } from '../keys.ts';
import type { Lab } from '../lab.ts';
import { cheapest } from '../use-up.ts';
import { probeEarly } from './early-probes.ts';
import { segmentsExplain } from './window-segments.ts';

// A limit this small makes many windows cheap.
const AGREED: PlanLimits = { perMinute: 2, perDay: 1_000 };
const AGREED_KEY: KeyNeed = {
  plan: 'enterprise',
  use: 'exhaust',
  requests: AGREED.perMinute + 1,
  agree: AGREED,
};

// Where windows have an end in common, or fewer than five segments, some of these keys are let in.
const SPARSE = { count: 7, spacing: 9, seconds: 48 };
// Starts so close together that none of 5 to 120 segments lets all keys in this early.
const DENSE = { count: 41, spacing: 0.3, seconds: 59.4 };
const LEAST_SEGMENTS = 5;
const MARGIN_SECONDS = 0.1;

/** A window lasts its minute to the end, unless it is aligned to a clock or counted in segments. */
export const windowEnd: Check = {
  id: 'window-end',
  title: 'A window does not end shortly before its minute has passed',
  judges: ['limit-renews'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: Array.from({ length: SPARSE.count + DENSE.count }, () => AGREED_KEY),
    pets: 1,
    worksWithoutPets: true,
    // It is about fractions of a second.
    alone: true,
  },
  run: async (lab) => {
    const keys = lab.keys.filter((key) => key !== null);
    const probes = keys.map((key, index) => {
      const { spacing, seconds } = index < SPARSE.count ? SPARSE : DENSE;
      const startsAt = (index < SPARSE.count ? index : index - SPARSE.count) * spacing;
      return { startsAt, seconds, useUp: () => useUpAgreed(lab, key) };
    });
    const outcomes = await probeEarly(lab, probes, cheapest(lab));
    const sparse = outcomes.filter(({ probe }) => probe.seconds === SPARSE.seconds);
    const letIn = outcomes.filter(({ accepted, seconds }) => accepted && seconds < MINUTE_SECONDS);
    if (sparse.length < SPARSE.count || sparse.some(({ accepted }) => accepted)) {
      // The windows are aligned, or slide in steps; their length is judged where whole minutes are used up.
      return;
    }
    lab.judge(
      'limit-renews',
      segmentsExplain(letIn, MINUTE_SECONDS, MARGIN_SECONDS, LEAST_SEGMENTS),
      `${letIn.length} keys that had reached their limit were granted more within ${DENSE.seconds} s, though none was within ${SPARSE.seconds} s: the window is shorter than a minute.`,
      letIn[0]?.exchange,
    );
  },
};

async function useUpAgreed(lab: Lab, key: Key): Promise<Key | null> {
  const messages = Array.from({ length: AGREED.perMinute }, () => cheapest(lab));
  const granted = countAccepted(await lab.sendAll(messages, key, 1));
  return granted === AGREED.perMinute ? key : null;
}
