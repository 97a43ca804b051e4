import { isAccepted, TWO_WINDOWS_SECONDS } from '../../oracle/index.ts';
import { needsOfIssuedKeys, type Check } from '../check.ts';
import { earlyReturnShown, isOfBan } from '../provoking/early-return.ts';
import { cheapestRequest, smallKeys, useUp } from '../provoking/use-up.ts';

const PAUSE_SECONDS = 20;
// A window that is aligned to the clock may end in the midst of one, and an answer may be too slow to tell when it was made.
const ATTEMPTS = 3;

/** Comes back once before Retry-After has passed, and looks if the wait is longer then. */
export const earlyReturn: Check = {
  id: 'early-return',
  title: 'What coming back early does to the wait',
  judges: ['early-return'],
  alsoJudges: ['ban-answer'],
  needs: needsOfIssuedKeys(smallKeys(1, ATTEMPTS)),
  run: async (context) => {
    const key = context.key();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      await useUp(context, key);
      const first = await context.send(cheapestRequest(context), { key });
      await context.sleep(PAUSE_SECONDS, 'a part of the wait');
      const early = await context.send(cheapestRequest(context), { key });
      if (!isAccepted(first) && !isAccepted(early)) {
        const shown = earlyReturnShown(key, first, early);
        if (shown !== undefined) {
          context.observe('early-return', shown);
          return;
        }
        if (isOfBan(first, early)) {
          context.notProvoked('early-return', 'The request that came early was banned.');
          return;
        }
      }
      await context.sleep(TWO_WINDOWS_SECONDS, 'a fresh window');
    }
    context.notProvoked(
      'early-return',
      'Each window ended before its Retry-After had passed, or the headers did not show when the wait ends.',
    );
  },
};
