import { DAY_SECONDS, MINUTE_SECONDS } from '../../../contract/plans.ts';
import { Undecided, type CheckContext } from '../check-context.ts';
import { needsOfIssuedKeys, type Check } from '../check.ts';
import { comeBackAsTold, RETRY_AFTER_JUDGES } from '../provoking/honour-retry-after.ts';
import { agreedKey, cheapestRequest, OF_TWO, sendUntilRefused } from '../provoking/use-up.ts';

/** Moments before a minute or a day of UTC ends, in seconds, and one after that; no two of them are as far from the end of a minute. */
const MOMENTS = [
  { span: MINUTE_SECONDS, name: 'minute', before: 1.7 },
  { span: MINUTE_SECONDS, name: 'minute', before: 0.9 },
  { span: DAY_SECONDS, name: 'day', before: 1.3 },
  { span: MINUTE_SECONDS, name: 'minute', before: 0.4 },
  { span: DAY_SECONDS, name: 'day', before: 31.5 },
  { span: DAY_SECONDS, name: 'day', before: -5 },
] as const;

// A minute that begins so long before the end of a day goes on for as long in the next one.
const GOES_ON_SECONDS = MINUTE_SECONDS / 2;

// Who comes back so late comes in the minute but one, before the second in which the limit was used up.
const LATE = { before: 20, seconds: 90 };

// No end of a minute explains more.
const MOST_IN_TWO_MINUTES = 2 * OF_TWO.perMinute;

/** Code that divides time into minutes and days of UTC goes wrong where they end, if anywhere. */
export const clockEdges: Check = {
  id: 'clock-edges',
  title: 'As a minute or a day of UTC ends, limits are what they are at any other moment',
  judges: ['minute-limit-enterprise', ...RETRY_AFTER_JUDGES, 'reset-is-near'],
  needs: needsOfIssuedKeys([
    agreedKey(OF_TWO, MOMENTS.length * (MOST_IN_TWO_MINUTES + 3)),
    agreedKey(OF_TWO, MOST_IN_TWO_MINUTES + 2),
  ]),
  run: async (context) => {
    for (const { span, name, before } of MOMENTS) {
      // What a day that has just begun grants a fresh key is no minute after another.
      const key = context.key(before < 0 ? 1 : 0);
      await context.sleep(secondsTo(context, span, before), `the end of a ${name}`);
      const answers = await sendUntilRefused(context, key, MOST_IN_TWO_MINUTES + 1);
      let last = answers.at(-1);
      if (before > GOES_ON_SECONDS) {
        await context.sleep(before + 1, `the first seconds of the next ${name}`);
        last = await context.send(cheapestRequest(context), { key });
      }
      await comeBackAsTold(context, key, last);
    }
    // Code that compares seconds of the clock takes those for earlier, and the minute for one that goes on.
    await context.sleep(secondsTo(context, MINUTE_SECONDS, LATE.before), 'the last third of a minute');
    await sendUntilRefused(context, context.key(), MOST_IN_TWO_MINUTES + 1);
    await context.sleep(LATE.seconds, 'the first half of the minute but one');
    await context.send(cheapestRequest(context), { key: context.key() });
  },
};

/** Seconds until a span of UTC is about to end, `before` that, late enough for any window of a minute to be fresh. */
export function secondsTo(context: CheckContext, span: number, before: number): number {
  const now = context.clock.at(context.now())?.earliest;
  if (now === undefined) {
    throw new Undecided('The clock of the target is not known.');
  }
  const earliest = now + 2 * MINUTE_SECONDS + before;
  return Math.ceil(earliest / span) * span - before - now;
}
