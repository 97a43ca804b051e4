import { seededRandom } from '../../contract/seeded-random.ts';
import {
  type Exchange,
  inventoryMonitor,
  type Key,
  openOracle,
  readListing,
} from '../../suites/oracle/index.ts';
import { listInventory, noteJudgements, type Pet, updateInventory } from '../../suites/target/index.ts';
import { pick } from '../engine/load-model.ts';
import type { LoadRequest } from '../engine/load-request.ts';
import { toExchange } from '../judging/exchange-of-response.ts';
import { ceilingOf, keysForLoad, keyed } from '../measuring/load-mix.ts';
import { measure, type MeasureOptions } from '../measuring/measure.ts';
import { NotPossible, type LoadScenario } from '../scenario.ts';
import type { LoadSession } from '../session.ts';
import { recordJudgements, replayJudgements } from '../shards/recorded-judgements.ts';
import { resultOf } from './steady.ts';

const PETS = 4;
// Far from any initial quantity of an inventory, and small enough for 32 bits.
const FIRST_QUANTITY = 1_000_000;
// No run lasts so long.
const MOST_WRITES = 2_000_000_000;

/** Concurrent reads and writes of a few pets: each read shows a value that was current, and no write is lost. */
export const mixed: LoadScenario = {
  id: 'mixed',
  title: 'Concurrent reads and writes: every read shows a value that was current',
  isUsual: true,
  uses: ['duration', 'connections', 'writes', 'maxRate', 'seed'],
  defaults: { duration: 5, connections: 64, writes: 0.4 },
  thresholds: ['errors<0.1%'],
  writes: true,
  announce: ({ duration, maxRate }) => Math.ceil(duration * maxRate) + 2 * PETS + 2,
  run: async (context) => {
    const { session, parameters } = context;
    const { duration, connections, writes, seed } = parameters;
    const maxRate = ceilingOf(session, parameters.maxRate, 'one');
    if (session.config.profile === 'safe') {
      throw new NotPossible(
        'Profile safe only reads; --profile standard writes, and restores what it changed.',
      );
    }
    const pets = session.inventory.pets.slice(0, PETS);
    if (pets.length === 0) {
      throw new NotPossible('The inventory has no pet that can be updated.');
    }
    const keys = await keysForLoad(session, Math.ceil(maxRate * 60));
    // One key, so that as many of its requests as possible are under way at once.
    const key = pick(keys.cycle, 0);
    session.inventory.noteRange(pets, FIRST_QUANTITY, FIRST_QUANTITY + MOST_WRITES);
    const random = seededRandom(seed);
    let sequence = 0;
    const next = (): LoadRequest => {
      if (random() >= writes) {
        return keyed(listInventory(), key);
      }
      sequence += 1;
      const pet = pick(pets, Math.floor(random() * pets.length));
      return keyed(updateInventory(pet.petId, FIRST_QUANTITY + sequence), key);
    };
    context.listener.onPhase('reading and writing', duration);
    const judge = judgePets(
      session,
      pets,
      key,
      (quantity) => quantity > FIRST_QUANTITY && quantity <= FIRST_QUANTITY + sequence,
    );
    const measured = await measure(
      context,
      { model: 'closed', connections, seconds: duration, maxRate, source: 'made', next },
      { warmUpMilliseconds: 0, keepsBodies: true, ...judge.follow },
    );
    const result = resultOf([measured]);
    return { ...result, inconclusive: (await judge.conclude()) ?? result.inconclusive };
  },
};

// The number of the request for the last list, which the engine gives to none.
const LAST = 0;

/**
 * Has the oracle judge what a load does to pets, which nobody else should write to.
 * @param isWritten whether a quantity was written by the load
 */
function judgePets(
  { client, inventory, judgements, fetchList }: LoadSession,
  pets: readonly Pet[],
  { label }: Key,
  isWritten: (quantity: bigint | number) => boolean,
) {
  const oracle = openOracle(client.clock, [inventoryMonitor]);
  const noted = recordJudgements();
  const credential = { kind: 'valid', key: label } as const;
  const offset = client.time.now() - performance.now();
  const at = client.time.now();
  const petIds = new Set(pets.map(({ petId }) => petId));
  let foreign: string | null = null;
  const receive = (id: number, exchange: Exchange): void => {
    const { unexplained } = oracle.strangeChanges();
    const said = oracle.accept({ type: 'response-received', id, exchange });
    noteJudgements({ ...client, judgements: noted.judgements }, said);
    if (said.some(({ holds }) => !holds) || oracle.strangeChanges().unexplained > unexplained) {
      foreign ??= foreignQuantity(exchange, pets, isWritten);
    }
  };
  oracle.accept(inventory.isReplaced ? { type: 'inventory-ours', at } : { type: 'pets-ours', petIds, at });
  return {
    /** Takes every request. */
    follow: {
      onLeaving: ({ message }, id, sentAt) => {
        inventory.restoreLater(message.operation === 'updateInventory' ? pets : []);
        oracle.accept({ type: 'request-sent', id, request: message, credential, at: sentAt + offset });
      },
      onResponse: (response) => receive(response.departure, toExchange(client, response)),
      onLoss: ({ departure: id, givenUpAt }) =>
        void (id === null || oracle.accept({ type: 'response-lost', id, at: givenUpAt + offset })),
    } satisfies Pick<MeasureOptions, 'onLeaving' | 'onResponse' | 'onLoss'>,
    /** Has a last look at the list. Returns why what was seen could not be judged, or `null`. */
    conclude: async (): Promise<string | null> => {
      const request = listInventory();
      oracle.accept({ type: 'request-sent', id: LAST, request, credential, at: client.time.now() });
      const exchange = await fetchList();
      if (exchange !== null) {
        receive(LAST, exchange);
      }
      if (foreign === null || inventory.isReplaced) {
        replayJudgements(noted.notes(), judgements);
        return null;
      }
      judgements.inconclusive('load', 'update-persists', { message: foreign });
      return foreign;
    },
  };
}

/** Why a list may show what somebody else wrote, in a sentence, or `null`. */
function foreignQuantity(
  exchange: Exchange,
  pets: readonly Pet[],
  isWritten: (quantity: bigint | number) => boolean,
): string | null {
  const listing = readListing(exchange);
  for (const { petId, item } of pets) {
    const { quantity = item.quantity } = listing?.get(petId) ?? {};
    if (Number(quantity) !== Number(item.quantity) && !isWritten(quantity)) {
      return `Pet ${petId} showed quantity ${quantity}, which this run never wrote: someone else writes to the inventory.`;
    }
  }
  return null;
}
