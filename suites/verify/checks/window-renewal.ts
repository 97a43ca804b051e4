import { acceptedMix, countAccepted, measureMinute } from '../provoking/burst.ts';
import type { Check } from '../check.ts';
import {
  isAccepted,
  type Exchange,
  planningLimits,
  secondsUntilClean,
  TWO_WINDOWS_SECONDS,
  type Key,
} from '../../oracle/index.ts';
import { requireAnswer, Undecided, type CheckContext } from '../check-context.ts';
import { listInventory } from '../../target/index.ts';
import { checkAfter } from '../survey.ts';
import { cheapestRequest, FREE_LIMIT } from '../provoking/use-up.ts';
import { judgeMeasurement } from './minute-limits.ts';
import { acceptedForms } from './observations.ts';
import { algorithmShown, readReset, type ResetReading } from './window-algorithm.ts';

const SURELY_PASSED_SECONDS = 65;
const PAUSE_SECONDS = 20;

/** After a minute some requests are granted again, after two minutes the whole limit. */
export const windowRenews = checkAfter({
  id: 'window-renews',
  after: acceptedForms,
  title: 'The limit of a minute renews after a minute',
  judges: ['limit-renews', 'remaining-falls'],
  alsoJudges: ['list-succeeds'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [{ plan: 'free', use: 'exhaust', requests: 8 * (FREE_LIMIT + 8) }],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context, forms) => {
    const key = context.key();
    const messages = acceptedMix(context, forms);
    if (!(await useUpWithPause(context, key)).isWhole) {
      throw new Undecided(`${key.label} was granted fewer requests than its minute has.`);
    }
    await judgeIsOver(context, key);
    await context.sleep(TWO_WINDOWS_SECONDS, 'a fresh window');
    const measured = await measureMinute(context, key, { manner: 'one by one', messages });
    judgeMeasurement(context, measured, ['limit-renews']);
    if (measured.verdict === 'exact') {
      // What was refused is forgotten by then, too.
      await context.sleep(TWO_WINDOWS_SECONDS, 'another fresh window');
      const again = await measureMinute(context, key, { manner: 'one by one', messages });
      judgeMeasurement(context, again, ['limit-renews']);
    }
    await context.sleep(TWO_WINDOWS_SECONDS, 'one more fresh window');
    requireAnswer(context, await context.send(listInventory(), { key }));
    await lookThroughWindow(context, key);
  },
});

// From one request of a window to the next: at its beginning, in its midst and near its end.
const MOMENTS_APART_SECONDS = [2, 28, 25];

/** A renewed window is served to its end; in real time, as much of it as two windows leave room for. */
async function lookThroughWindow(context: CheckContext, key: Key): Promise<void> {
  for (const seconds of MOMENTS_APART_SECONDS) {
    if (!context.virtualTime && context.elapsedSeconds() + seconds > TWO_WINDOWS_SECONDS) {
      return;
    }
    await context.sleep(seconds, 'another moment of the window');
    requireAnswer(context, await context.send(listInventory(), { key }));
  }
}

/** The same in real time, with a key whose own check ends a window before the run does. */
export const windowRenewsInRealTime: Check = {
  id: 'window-renews-in-real-time',
  title: 'A minute that is used up without going beyond it is over after a minute',
  judges: ['limit-renews', 'window-algorithm'],
  alsoJudges: ['list-succeeds'],
  needs: {
    profile: 'full',
    keys: [
      {
        plan: 'pro',
        use: 'exhaust',
        requests: ({ perMinute }) => perMinute + 1 + MOMENTS_APART_SECONDS.length,
      },
    ],
    pets: 1,
    worksWithoutPets: true,
    realTimeOnly: true,
  },
  run: async (context) => {
    const key = context.key();
    if (context.elapsedSeconds() > LATEST_START_SECONDS) {
      context.skip('window-algorithm', 'The run was too slow to look at another window.');
      return;
    }
    const limit = planningLimits(key).perMinute;
    const { isWhole, resets } = await useUpWithPause(context, key);
    if (isWhole) {
      const later = await judgeIsOver(context, key);
      const shown = algorithmShown(resets, readReset(later, limit));
      if (shown === undefined) {
        context.skip(
          'window-algorithm',
          'What X-RateLimit-Reset showed, and when, fits several kinds of windows.',
        );
      } else {
        context.observe('window-algorithm', shown);
      }
      await lookThroughWindow(context, key);
    }
  },
};

// What begins later would make a run in real time last more than a window longer.
const LATEST_START_SECONDS = 80;

/**
 * Uses up a minute in two halves, since a window is over when its minute is, whatever was granted in the midst of it.
 * @returns whether the whole limit was granted, and what Reset was at first and in each half
 */
async function useUpWithPause(
  context: CheckContext,
  key: Key,
): Promise<{ readonly isWhole: boolean; readonly resets: readonly (ResetReading | undefined)[] }> {
  const limit = planningLimits(key).perMinute;
  // A lease may begin with a window in which one request was granted.
  const alreadyGranted = secondsUntilClean(key, context.now()) > 0 ? key.usage.acceptedSinceFull : 0;
  const opening = alreadyGranted === 0 ? [] : [readLast(key)];
  const all = Array.from({ length: limit - alreadyGranted }, () => cheapestRequest(context));
  const half = Math.floor(all.length / 2);
  const first = await context.sendAll(all.slice(0, half), key, 16);
  await context.sleep(PAUSE_SECONDS, 'the midst of the window');
  const second = await context.sendAll(all.slice(half), key, 16);
  return {
    isWhole: countAccepted([...first, ...second]) === all.length,
    resets: [
      ...opening,
      ...[...first.slice(0, 1), ...second.slice(0, 1)].map((exchange) => readReset(exchange, limit)),
    ],
  };
}

/** What the key's last answer said, which was the first of its window. */
function readLast({ usage }: Key): ResetReading | undefined {
  const sentAt = usage.sentAt.at(-1);
  return usage.last === null || sentAt === undefined || usage.acceptedSinceFull !== 1
    ? undefined
    : { sentAt, receivedAt: usage.last.receivedAt, reset: usage.last.rateLimit.reset };
}

/** To be called when a minute was used up in two halves, without going beyond it. */
async function judgeIsOver(context: CheckContext, key: Key): Promise<Exchange> {
  await context.sleep(SURELY_PASSED_SECONDS - PAUSE_SECONDS, 'the end of the window');
  const exchange = await context.send(cheapestRequest(context), { key });
  context.judge(
    'limit-renews',
    isAccepted(exchange),
    `${key.label} used up its minute without going beyond it, and was answered ${exchange.response.status} ${SURELY_PASSED_SECONDS} s after its first request.`,
    exchange,
  );
  return exchange;
}
