import { enumeration } from '../../../contract/words/enumeration.ts';
import { acceptedMix, documentedMix } from '../provoking/burst.ts';
import type { Check } from '../check.ts';
import { CREDENTIAL_SPELLINGS, spelled } from '../provoking/credential-spellings.ts';
import {
  type Exchange,
  type Operation,
  type RequestMessage,
  isAccepted,
  type Key,
  findIrregularities,
  haveCommonBoundary,
  type Irregularity,
  secondsUntilOtherPhase,
  spanOfSeries,
} from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import { getPet, listInventory, listOrders, updateInventory, updateWithBody } from '../../target/index.ts';
import { checkAfter } from '../survey.ts';
import { acceptedForms } from './observations.ts';

const SERIES_CONFIGURED = 12;
const SERIES_WITH_UPDATES = 18;
const SERIES_ISSUED = 48;
// What is irregular is counted once more.
const ROUNDS = 2;

/** X-RateLimit-Remaining falls by one with each accepted request, whatever it asks for. */
export const remainingFalls: Check = {
  id: 'remaining-falls',
  title: 'Remaining falls by one for each accepted request, over all operations together',
  judges: ['remaining-falls', 'remaining-counts-operations'],
  needs: {
    profile: 'safe',
    keys: [{ plan: 'any', use: 'share', requests: SERIES_CONFIGURED, rounds: ROUNDS }],
  },
  run: (context) => judgeSeries(context, SERIES_CONFIGURED, documentedMix(context)),
};

/** The same with updates, and long enough for a fault that shows in one response of fifteen. */
export const remainingFallsLong = checkAfter({
  id: 'remaining-falls-long',
  after: acceptedForms,
  title: 'Remaining falls by one over a long series of all operations',
  judges: ['remaining-falls', 'remaining-counts-operations'],
  needs: {
    profile: 'standard',
    control: ['keys'],
    keys: [{ plan: 'free', use: 'share', requests: SERIES_ISSUED, rounds: ROUNDS }],
    pets: 1,
  },
  run: (context, forms) => judgeSeries(context, SERIES_ISSUED, acceptedMix(context, forms)),
});

/** The same for real time and few keys. */
export const remainingFallsWithUpdates = checkAfter({
  id: 'remaining-falls-with-updates',
  after: acceptedForms,
  title: 'Remaining falls by one over updates and refused ones, too',
  judges: ['remaining-falls', 'remaining-counts-operations'],
  needs: {
    profile: 'standard',
    keys: [{ plan: 'any', use: 'share', requests: SERIES_WITH_UPDATES, rounds: ROUNDS }],
    pets: 1,
    realTimeOnly: true,
  },
  run: (context, forms) => judgeSeries(context, SERIES_WITH_UPDATES, acceptedMix(context, forms)),
});

async function judgeSeries(
  context: CheckContext,
  length: number,
  messages: readonly RequestMessage[],
): Promise<void> {
  const key = context.key();
  const first = await sendSeries(context, key, length, messages);
  let irregularities = findIrregularities(first);
  let shown = first;
  if (irregularities.length > 0) {
    // A window of the past may have passed meanwhile; a fault shows again.
    const seconds = secondsUntilOtherPhase([spanOfSeries(first)], context.now(), 2);
    await context.sleep(seconds, `counting the remaining requests of ${key.label} again`);
    shown = await sendSeries(context, key, length, messages);
    irregularities = findIrregularities(shown);
  }
  if (irregularities.length > 0 && haveCommonBoundary([first, shown].map(spanOfSeries))) {
    // A window may have ended in both series, which took too long.
    return;
  }
  const guilty = operationsOf(irregularities);
  const all = new Set(first.map(({ request }) => request.operation));
  if (all.size > 1) {
    context.judge(
      'remaining-counts-operations',
      guilty.size === all.size ? !countsApart(shown) : !isLeftOut(guilty, shown, irregularities),
      guilty.size === all.size
        ? 'X-RateLimit-Remaining falls for each operation by itself, not for all of them together.'
        : `X-RateLimit-Remaining does not fall by one for ${namesOf(irregularities)}, though it does for the other requests.`,
      irregularities[0]?.exchange,
    );
  }
}

// A number that is wrong now and then is wrong in two places: when it leaps, and when it is right again.
const CHANCE_PLACES = 2;

/** Whether requests of these operations are not counted again and again, and not by chance in a place or two. */
function isLeftOut(
  operations: ReadonlySet<Operation | null>,
  exchanges: readonly Exchange[],
  { length }: readonly Irregularity[],
): boolean {
  const asked = exchanges.slice(1).filter((one) => isAccepted(one) && operations.has(one.request.operation));
  return length > CHANCE_PLACES || 2 * length > asked.length;
}

/** Whether the requests of each operation, looked at alone, are counted as they should be. */
function countsApart(exchanges: readonly Exchange[]): boolean {
  const byOperation = [...Map.groupBy(exchanges, ({ request }) => request.operation).values()];
  return (
    byOperation.some(({ length }) => length > 1) &&
    byOperation.every((series) => findIrregularities(series).length === 0)
  );
}

async function sendSeries(
  context: CheckContext,
  key: Key,
  length: number,
  messages: readonly RequestMessage[],
): Promise<readonly Exchange[]> {
  const petId = context.pets[0]?.petId ?? context.facts.existingPets[0] ?? 1n;
  const refused =
    context.pets.length === 0 ? [] : [updateWithBody(petId, '{}'), updateInventory(404_404_404n, 1)];
  const mix = [...messages, listInventory(), getPet(petId), ...refused, listOrders()];
  const exchanges: Exchange[] = [];
  for (let sent = 0; sent < length; sent += 1) {
    const message = mix[sent % mix.length] ?? listInventory();
    if (sent % 3 === 2) {
      // Over another connection, for a server that counts each by itself.
      exchanges.push(...(await context.sendAll([message], key, 2)));
    } else {
      const credentials = sent % 8 === 4 ? spelled(key, CREDENTIAL_SPELLINGS[0]) : { key };
      exchanges.push(await context.send(message, credentials));
    }
  }
  return exchanges;
}

/** What was asked for when Remaining did not fall, such as `updateInventory and GET /v1/inventory/`. */
function namesOf(irregularities: readonly Irregularity[]): string {
  const names = new Set(
    irregularities.map(
      ({ exchange: { request } }) => request.operation ?? `${request.method} ${request.path}`,
    ),
  );
  return enumeration([...names]);
}

function operationsOf(irregularities: readonly Irregularity[]): ReadonlySet<Operation | null> {
  return new Set(irregularities.map(({ exchange }) => exchange.request.operation));
}
