import type { PlanLimits } from '../../../contract/plans.ts';
import { type Exchange, isAccepted, type Key } from '../../oracle/index.ts';
import { needsOfIssuedKeys, type Check } from '../check.ts';
import type { CheckContext } from '../check-context.ts';
import { isBanAnswer, PAUSE_SECONDS } from '../provoking/ban-provocation.ts';
import { CONTINUED } from '../provoking/complete-ban.ts';
import { honourRetryAfter } from '../provoking/honour-retry-after.ts';
import { agreedKey, cheapestRequest } from '../provoking/use-up.ts';

const ONE_A_MINUTE: PlanLimits = { perMinute: 1, perDay: 900 };

/** A ban that begins with a 429 is told by it: who goes on so far, and then waits as that says, is served. */
export const waitBeforeBan: Check = {
  id: 'wait-before-ban',
  title: 'A client that stops just before it is told of a ban, and waits as told, is served',
  judges: ['retry-after-honoured', 'ban-only-after-continued'],
  needs: needsOfIssuedKeys(Array.from({ length: 2 }, () => agreedKey(ONE_A_MINUTE, CONTINUED + 4, 'ban'))),
  run: async (context) => {
    const [first, second] = context.keys.filter((key) => key !== null);
    const before = first === undefined ? [] : await refusalsBeforeBan(context, first, CONTINUED);
    // It bans nobody who goes on so long.
    if (second === undefined || before.length === CONTINUED) {
      return;
    }
    const last = (await refusalsBeforeBan(context, second, before.length)).at(-1);
    if (last !== undefined) {
      await honourRetryAfter(context, second, last, cheapestRequest(context));
    }
  },
};

/** Goes on after the limit, one by one. @returns the refusals until one tells of a ban, or until there are `most` */
async function refusalsBeforeBan(
  context: CheckContext,
  key: Key,
  most: number,
): Promise<readonly Exchange[]> {
  const send = (): Promise<Exchange> => context.send(cheapestRequest(context), { key });
  let exchange = await send();
  // A minute that ended meanwhile does not end again so soon.
  for (let time = 0; time < 2 && isAccepted(exchange); time += 1) {
    await context.sleep(PAUSE_SECONDS, `going beyond the limit of ${key.label}`);
    exchange = await send();
  }
  const refusals: Exchange[] = [];
  while (!isAccepted(exchange) && !isBanAnswer(context, exchange, refusals[0] ?? exchange)) {
    refusals.push(exchange);
    if (refusals.length === most) {
      break;
    }
    exchange = await send();
  }
  return refusals;
}
