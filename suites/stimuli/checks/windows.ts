import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import { TWO_WINDOWS_SECONDS, isAccepted, planningLimits, type Key } from '../../oracle/index.ts';
import { listInventory } from '../../target/index.ts';
import { Undecided, type CheckContext } from '../check-context.ts';
import { needsOfIssuedKeys, type Check } from '../check.ts';
import { againAtOtherPhase } from '../provoking/other-phase.ts';
import { acceptedMix, useUpMinute } from '../provoking/burst.ts';
import { NO_KEY } from '../provoking/refused-key.ts';
import { RETRY_AFTER_JUDGES, honourRetryAfter } from '../provoking/honour-retry-after.ts';
import {
  FREE_LIMIT,
  OF_TWO,
  agreedKey,
  cheapestRequest,
  freeKeys,
  smallKeys,
  sendCheapest,
  useUp,
} from '../provoking/use-up.ts';
import { secondsTo } from './clock-edges.ts';
import { probeEarly, type EarlyProbe, type ProbeOutcome } from './early-probes.ts';

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
      ...Array.from({ length: SPARSE.count }, () => agreedKey(OF_TWO, OF_TWO.perMinute + 1)),
      ...Array.from({ length: DENSE.count }, () =>
        agreedKey(OF_TWO, ROUNDS_SECONDS.length * (OF_TWO.perMinute + 1)),
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
    useUp: async () =>
      (await sendCheapest(context, key, OF_TWO.perMinute)) === OF_TWO.perMinute ? key : null,
  }));
}

/** Whether nobody was let in early, or the answers came so soon that another round would show nothing else. */
function cameSoon(outcomes: readonly ProbeOutcome[]): boolean {
  const isLetIn = outcomes.some(({ accepted, seconds }) => accepted && seconds < MINUTE_SECONDS);
  return !isLetIn || !outcomes.some(({ probe, seconds }) => seconds > probe.seconds + BLUR_SECONDS);
}

// So that no boundary of an aligned window lies in each of them.
const MOST_PHASES = 3;
const APART_SECONDS = 3 * MINUTE_SECONDS + 20;

// However long it takes on its way, a request that is sent then comes in the last second.
const LAST_SECOND = 59.4;

/** A request in the last second of a minute does not keep the limit from being renewed. */
export const lastSecond: Check = {
  id: 'last-second',
  title: 'A minute ends that was used in its last second',
  judges: ['limit-renews', 'retry-after-honoured'],
  alsoJudges: ['reset-is-near'],
  // It is about a second.
  needs: { ...needsOfIssuedKeys([agreedKey(OF_TWO, OF_TWO.perMinute + 2)]), alone: true },
  anonymousRequests: 1,
  run: async (context) => {
    const key = context.key();
    for (const seconds of [0, LAST_SECOND, 0]) {
      await context.sleep(seconds, 'another moment of a minute');
      await context.send(cheapestRequest(context), { key });
    }
    await context.sleep(TWO_WINDOWS_SECONDS, 'the end of a minute');
    // A server may show in a 401 what the last key was told, which is over by now.
    await context.send(listInventory(), NO_KEY);
    await context.send(cheapestRequest(context), { key });
  },
};

const SERIES = { count: 7, spacing: 9, seconds: 48 };
const FURTHER_PROBE_AFTER_SECONDS = 36;
const SECOND_HALF_SECONDS = 25;

/** A limit that is reached holds for its minute, wherever in an aligned window it was reached. */
export const windowLength: Check = {
  id: 'window-length',
  title: 'A window is not shorter than a minute',
  judges: ['limit-renews'],
  alsoJudges: RETRY_AFTER_JUDGES,
  needs: needsOfIssuedKeys([
    ...smallKeys(SERIES.count),
    ...smallKeys(1, SERIES.count),
    ...freeKeys(1, MOST_PHASES * (FREE_LIMIT + 1) + 2),
    { plan: 'pro', use: 'exhaust', requests: ({ perMinute }) => MOST_PHASES * (perMinute + 1) + 2 },
  ]),
  run: async (context) => {
    const keys = context.keys.filter((key) => key !== null);
    const probeOf = (key: Key, startsAt: number): EarlyProbe => ({
      startsAt,
      seconds: SERIES.seconds,
      useUp: async () => {
        await useUp(context, key);
        return key;
      },
    });
    const probes = keys.slice(0, SERIES.count).map((key, index) => probeOf(key, index * SERIES.spacing));
    const single = context.key(SERIES.count);
    const outcomes = await probeEarly(context, probes, cheapestRequest(context));
    if (outcomes.some(({ accepted }) => accepted)) {
      // Each key may have windows that end at moments of its own, but not at several within a minute. A sliding counter has to
      // forget the probe before, too.
      const again = probes.map((_, index) => probeOf(single, index * (3 * MINUTE_SECONDS + SERIES.spacing)));
      await probeEarly(context, again, cheapestRequest(context));
    }
    for (const key of keys.slice(SERIES.count + 1)) {
      await comeBackEarly(context, key);
    }
  },
};

/** Uses up a minute and comes back in the midst of it; at other phases, too, as long as an aligned window lets it in. */
async function comeBackEarly(context: CheckContext, key: Key): Promise<void> {
  await context.sleep(secondsTo(context, MINUTE_SECONDS, SECOND_HALF_SECONDS), 'the second half of a minute');
  for (let phase = 0; phase < MOST_PHASES; phase += 1) {
    await useUp(context, key);
    if (phase === 0) {
      await context.send(cheapestRequest(context), { key });
    }
    await context.sleep(FURTHER_PROBE_AFTER_SECONDS, 'the midst of a window');
    const early = await context.send(cheapestRequest(context), { key });
    if (!isAccepted(early)) {
      await honourRetryAfter(context, key, early);
      return;
    }
    await context.sleep(APART_SECONDS - FURTHER_PROBE_AFTER_SECONDS, 'another phase of the minute');
  }
}

const SURELY_PASSED_SECONDS = 65;
const PAUSE_SECONDS = 20;

/** After a minute some requests are granted again, after two minutes the whole limit. */
export const windowRenews: Check = {
  id: 'window-renews',
  takesForms: true,
  title: 'The limit of a minute renews after a minute',
  judges: ['limit-renews', 'remaining-falls'],
  alsoJudges: ['list-succeeds'],
  needs: needsOfIssuedKeys([{ plan: 'free', use: 'exhaust', requests: 8 * (FREE_LIMIT + 8) }]),
  run: async (context) => {
    const key = context.key();
    const messages = acceptedMix(context);
    if (!(await useUpWithPause(context, key))) {
      throw new Undecided(`${key.label} was granted fewer requests than its minute has.`);
    }
    await context.sleep(SURELY_PASSED_SECONDS - PAUSE_SECONDS, 'the end of the window');
    await lookThroughWindow(context, key);
    await context.sleep(TWO_WINDOWS_SECONDS, 'a fresh window');
    await useUpMinute(context, key, { manner: 'one by one', messages });
    // What was refused is forgotten by then, too.
    await context.sleep(TWO_WINDOWS_SECONDS, 'another fresh window');
    await againAtOtherPhase(context, async () => {
      await useUp(context, key);
      const beyond = await context.send(cheapestRequest(context), { key });
      return isAccepted(beyond);
    });
  },
};

// From one request of a window to the next: at its beginning, soon after it, in its midst and near its end.
const MOMENTS_APART_SECONDS = [0, 5, 25, 25];

/** A renewed window is served to its end. */
async function lookThroughWindow(context: CheckContext, key: Key): Promise<void> {
  for (const seconds of MOMENTS_APART_SECONDS) {
    await context.sleep(seconds, 'another moment of the window');
    await context.send(listInventory(), { key });
  }
}

/**
 * Uses up a minute in two halves, since a window is over when its minute is, whatever was granted in the midst of it.
 * @returns whether the whole limit was granted
 */
async function useUpWithPause(context: CheckContext, key: Key): Promise<boolean> {
  const { perMinute } = planningLimits(key);
  const half = Math.floor(perMinute / 2);
  const first = await sendCheapest(context, key, half);
  await context.sleep(PAUSE_SECONDS, 'the midst of the window');
  return first + (await sendCheapest(context, key, perMinute - half)) === perMinute;
}
