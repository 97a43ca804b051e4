import { readInventoryItem } from '../../contract/inventory.ts';
import { parseIfJson } from '../../contract/json/index.ts';
import type { RequirementId } from '../../contract/requirements/index.ts';
import { listInventory, updateInventory, type Pet, evidence } from '../../suites/target/index.ts';
import { seededRandom } from '../../contract/seeded-random.ts';
import { keysForLoad } from '../measuring/load-keys.ts';
import type { LoadLoss, LoadRequest, LoadResponse } from '../engine/load-request.ts';
import { measure } from '../measuring/measure.ts';
import { pick } from '../engine/load-model.ts';
import { judgeRegisterHistory, type RegisterOperation } from '../../suites/oracle/index.ts';
import { keyed } from '../measuring/request-mix.ts';
import { NotPossible, type LoadScenario, type ScenarioContext } from '../scenario.ts';
import { toExchange } from '../judging/to-exchange.ts';
import { resultOf } from './steady.ts';

const PETS = 4;
// Far from any initial quantity of an inventory, and small enough for 32 bits.
const FIRST_QUANTITY = 1_000_000;
// No run lasts so long.
const MOST_WRITES = 2_000_000_000;

/** One pet as a register: what was written to it and read of it, and when. */
interface Register {
  readonly pet: Pet;
  readonly operations: RegisterOperation[];
}

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
    const { duration, connections, writes, maxRate, seed } = parameters;
    if (session.config.profile === 'safe') {
      throw new NotPossible(
        'Profile safe only reads; --profile standard writes, and restores what it changed.',
      );
    }
    const pets = session.inventory.pets.slice(0, PETS);
    if (pets.length === 0) {
      throw new NotPossible('The inventory has no pet that can be updated.');
    }
    const keys = await keysForLoad(session, maxRate * 60);
    // One key, so that as many of its requests as possible are under way at once.
    const key = pick(keys.cycle, 0);
    session.inventory.noteRange(pets, FIRST_QUANTITY, FIRST_QUANTITY + MOST_WRITES);
    session.inventory.restoreLater(pets);
    const registers = new Map<string, Register>(
      pets.map((pet) => [pet.petId.toString(), { pet, operations: [] }]),
    );
    const random = seededRandom(seed);
    const written = new Map<LoadRequest, { readonly register: Register; readonly quantity: number }>();
    let sequence = 0;
    const next = (): LoadRequest => {
      if (random() >= writes) {
        return keyed(listInventory(), key);
      }
      sequence += 1;
      const pet = pick(pets, Math.floor(random() * pets.length));
      const quantity = FIRST_QUANTITY + sequence;
      const update = keyed(updateInventory(pet.petId, quantity), key);
      const register = registers.get(pet.petId.toString());
      if (register !== undefined) {
        written.set(update, { register, quantity });
      }
      return update;
    };
    context.listener.onPhase('reading and writing', duration);
    const measured = await measure(
      context,
      { model: 'closed', connections, seconds: duration, maxRate, source: 'made', next },
      {
        warmUpMilliseconds: 0,
        keepsBodies: true,
        onResponse: (response) => {
          const write = written.get(response.request);
          written.delete(response.request);
          if (write === undefined) {
            noteReads(registers, response);
          } else {
            noteWrite(context, write.register, write.quantity, response);
          }
        },
        onLoss: (loss) => {
          const write = written.get(loss.request);
          written.delete(loss.request);
          if (write !== undefined) {
            noteLostWrite(write.register, write.quantity, loss);
          }
        },
      },
    );
    const last = await session.fetchList();
    const inconclusive = judgeRegisters(context, registers, last);
    return { ...resultOf([measured]), inconclusive };
  },
};

function noteReads(registers: ReadonlyMap<string, Register>, response: LoadResponse): void {
  if (response.status !== 200 || response.body === null) {
    return;
  }
  const list = parseIfJson(response.body.toString('utf8'));
  for (const value of Array.isArray(list) ? list : []) {
    const reading = readInventoryItem(value);
    const register = 'item' in reading ? registers.get(reading.item.petId.toString()) : undefined;
    if ('item' in reading && register !== undefined) {
      register.operations.push({
        kind: 'read',
        value: Number(reading.item.quantity),
        from: response.sentAt,
        to: response.answeredAt,
        label: `read by ${response.request.key?.label ?? 'nobody'}`,
      });
    }
  }
}

function noteWrite(
  context: ScenarioContext,
  { pet, operations }: Register,
  quantity: number,
  response: LoadResponse,
): void {
  const from = response.sentAt;
  const label = `write by ${response.request.key?.label ?? 'nobody'}`;
  if (response.status !== 200) {
    // A server that failed may still have applied the update.
    if (response.status >= 500) {
      operations.push({ kind: 'write', value: quantity, from, to: null, label });
    }
    return;
  }
  operations.push({ kind: 'write', value: quantity, from, to: response.answeredAt, label });
  const reading =
    response.body === null ? undefined : readInventoryItem(parseIfJson(response.body.toString('utf8')));
  if (reading === undefined || 'problems' in reading) {
    return;
  }
  const { item } = reading;
  judge(
    context,
    'update-exact-pet',
    item.petId === pet.petId,
    `The answer to an update of pet ${pet.petId} names pet ${item.petId}.`,
    response,
  );
  judge(
    context,
    'update-succeeds',
    item.petId !== pet.petId || Number(item.quantity) === quantity,
    `The answer to an update of pet ${pet.petId} to ${quantity} shows quantity ${item.quantity}.`,
    response,
  );
}

function noteLostWrite({ operations }: Register, quantity: number, { sentAt, dueAt, cause }: LoadLoss): void {
  if (sentAt !== null) {
    operations.push({
      kind: 'write',
      value: quantity,
      from: Math.min(sentAt, dueAt),
      to: null,
      label: `write without an answer (${cause})`,
    });
  }
}

/** Judges each pet's history. Returns why one could not be judged, or `null`. */
function judgeRegisters(
  { session }: ScenarioContext,
  registers: ReadonlyMap<string, Register>,
  last: ReadonlyMap<string, number> | null,
): string | null {
  const { judgements, client, inventory } = session;
  let inconclusive: string | null = null;
  for (const [petId, { pet, operations }] of registers) {
    const initial = Number(pet.item.quantity);
    const own = new Set([
      initial,
      ...operations.flatMap(({ kind, value }) => (kind === 'write' ? [value] : [])),
    ]);
    const final = last?.get(petId);
    const foreign = [...operations.map(({ value }) => value), final ?? initial].find(
      (value) => !own.has(value),
    );
    if (foreign !== undefined && !inventory.isReplaced) {
      inconclusive = `Pet ${petId} showed quantity ${foreign}, which this run never wrote: someone else writes to the inventory.`;
      judgements.inconclusive('load', 'update-persists', { message: inconclusive });
      continue;
    }
    const verdict = judgeRegisterHistory({
      operations,
      initial,
      ...(final === undefined ? {} : { final }),
    });
    if (verdict.holds) {
      judgements.pass('load', 'update-persists');
    } else {
      const message = `Pet ${petId}: ${verdict.message}`;
      judgements.fail('load', 'update-persists', evidence(client, message));
    }
  }
  return inconclusive;
}

function judge(
  { session }: ScenarioContext,
  id: RequirementId,
  holds: boolean,
  message: string,
  response: LoadResponse,
): void {
  if (holds) {
    session.judgements.pass('load', id);
  } else {
    session.judgements.fail(
      'load',
      id,
      evidence(session.client, message, toExchange(session.client, response)),
    );
  }
}
