import { secondsUntilOtherPhase } from './other-phase.ts';
import type { CheckContext } from '../check-context.ts';

/**
 * Plays something, and once more at another phase of the minute if more was granted than its limit: a window that ended
 * meanwhile explains that once. In real time there is no room for a second play.
 * @param play sends what fits into one minute; resolves to whether more was granted
 */
export async function againAtOtherPhase(context: CheckContext, play: () => Promise<boolean>): Promise<void> {
  const from = context.now();
  if ((await play()) && context.virtualTime) {
    const seconds = secondsUntilOtherPhase([{ from, to: context.now() }], context.now(), 2);
    await context.sleep(seconds, 'another phase of the minute');
    await play();
  }
}
