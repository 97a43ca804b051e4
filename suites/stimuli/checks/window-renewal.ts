import { againAtOtherPhase } from '../provoking/again-at-other-phase.ts';
import { acceptedMix, countAccepted, useUpMinute } from '../provoking/burst.ts';
import { isAccepted, planningLimits, TWO_WINDOWS_SECONDS, type Key } from '../../oracle/index.ts';
import { requireAnswer, Undecided, type CheckContext } from '../check-context.ts';
import { listInventory } from '../../target/index.ts';
import { needsOfIssuedKeys } from '../check.ts';
import { checkAfter } from '../survey.ts';
import { cheapestRequest, FREE_LIMIT, useUp } from '../provoking/use-up.ts';
import { acceptedForms } from './observations.ts';

const SURELY_PASSED_SECONDS = 65;
const PAUSE_SECONDS = 20;

/** After a minute some requests are granted again, after two minutes the whole limit. */
export const windowRenews = checkAfter({
  id: 'window-renews',
  after: acceptedForms,
  title: 'The limit of a minute renews after a minute',
  judges: ['limit-renews', 'remaining-falls'],
  alsoJudges: ['list-succeeds'],
  needs: needsOfIssuedKeys([{ plan: 'free', use: 'exhaust', requests: 8 * (FREE_LIMIT + 8) }]),
  run: async (context, forms) => {
    const key = context.key();
    const messages = acceptedMix(context, forms);
    if (!(await useUpWithPause(context, key))) {
      throw new Undecided(`${key.label} was granted fewer requests than its minute has.`);
    }
    await context.sleep(SURELY_PASSED_SECONDS - PAUSE_SECONDS, 'the end of the window');
    await context.send(cheapestRequest(context), { key });
    await context.sleep(TWO_WINDOWS_SECONDS, 'a fresh window');
    await useUpMinute(context, key, { manner: 'one by one', messages });
    // What was refused is forgotten by then, too.
    await context.sleep(TWO_WINDOWS_SECONDS, 'another fresh window');
    await againAtOtherPhase(context, async () => {
      await useUp(context, key);
      const beyond = await context.send(cheapestRequest(context), { key });
      return isAccepted(beyond);
    });
    await context.sleep(TWO_WINDOWS_SECONDS, 'one more fresh window');
    requireAnswer(context, await context.send(listInventory(), { key }));
    await lookThroughWindow(context, key);
  },
});

// From one request of a window to the next: at its beginning, in its midst and near its end.
const MOMENTS_APART_SECONDS = [2, 28, 25];

/** A renewed window is served to its end. */
async function lookThroughWindow(context: CheckContext, key: Key): Promise<void> {
  for (const seconds of MOMENTS_APART_SECONDS) {
    await context.sleep(seconds, 'another moment of the window');
    requireAnswer(context, await context.send(listInventory(), { key }));
  }
}

/**
 * Uses up a minute in two halves, since a window is over when its minute is, whatever was granted in the midst of it.
 * @returns whether the whole limit was granted
 */
async function useUpWithPause(context: CheckContext, key: Key): Promise<boolean> {
  const all = Array.from({ length: planningLimits(key).perMinute }, () => cheapestRequest(context));
  const half = Math.floor(all.length / 2);
  const first = await context.sendAll(all.slice(0, half), key, 16);
  await context.sleep(PAUSE_SECONDS, 'the midst of the window');
  const second = await context.sendAll(all.slice(half), key, 16);
  return countAccepted([...first, ...second]) === all.length;
}
