import { MINUTE_SECONDS, PLANS } from '../../contract/plans.ts';
import type { RequirementId } from '../../contract/requirements/index.ts';
import {
  keepsLimit,
  type ControlClient,
  type ConnectionPool,
  type KeyLeases,
  NoResponse,
  updateInventory,
  type Pet,
  type PetLeases,
  type PetWrite,
  evidence,
  performExchange,
  type TargetClient,
} from '../target/index.ts';
import {
  secondsToWait,
  isAccepted,
  type Exchange,
  type RequestMessage,
  planningLimits,
  secondsUntilRoom,
  type Key,
  isSeenAfterUpdate,
  type ProvisionalJudgements,
} from '../oracle/index.ts';
import type { Check, SurveyRecords } from './check.ts';
import { judgeDropped } from './dropped-request.ts';
import { Undecided, type Facts, type CheckContext } from './check-context.ts';

export interface CheckEnvironment {
  readonly client: TargetClient;
  /** Opens at most so many connections to the target. */
  readonly connect: (connections: number) => ConnectionPool;
  readonly leases: KeyLeases;
  readonly petLeases: PetLeases;
  readonly control: ControlClient | null;
  readonly facts: Facts;
  /** What the surveys found out before. */
  readonly records: SurveyRecords;
  readonly startedAt: number;
  /** Whether a pet is being written to by another run on this machine. */
  readonly isSharedElsewhere: (petId: bigint) => boolean;
  /** To be called before these are sent. @throws {UnusableState} where they may not be */
  readonly noteWrites: (writes: readonly PetWrite[]) => void;
}

/** What fails where any check's own issued key is refused before its limit. */
export const EARLY_REFUSAL_FAILS = PLANS.map((plan) => `minute-limit-${plan}` as const);

const RESENDS_AFTER_429 = 2;
const REFUSED = new Set([401, 403, 429]);
const LONGEST_POLITE_WAIT_SECONDS = 75;

export interface OpenCheckContext {
  readonly context: CheckContext;
  /** Pets that may not stand as they did, because something else than their own quantity was sent to them. */
  readonly touched: () => readonly Pet[];
  readonly close: () => Promise<void>;
}

// In-flight requests get this long to end after an interruption, so that none arrives after the restoring.
const GRACE_MILLISECONDS = 300;

/** The context for one check, and how to clear it away. */
export function openCheckContext(
  parts: CheckEnvironment,
  check: Check,
  keys: readonly (Key | null)[],
  pets: readonly Pet[],
  judgements: ProvisionalJudgements['record'],
): OpenCheckContext {
  const { client, connect, leases } = parts;
  const { time } = client;
  const pools = new Map<number, ConnectionPool>();
  const released = new Set<Key>();
  const ownPets = new Set(pets.map(({ petId }) => petId));
  const touched = new Set<Pet>();
  const ownQuantities = pets.map((pet) => ({
    pet,
    body: updateInventory(pet.petId, pet.item.quantity).body,
  }));
  const affected = ({ method, body }: RequestMessage): readonly Pet[] =>
    method === 'GET' ? [] : ownQuantities.filter((own) => own.body !== body).map(({ pet }) => pet);
  const noteWrites = (messages: readonly RequestMessage[]): void => {
    parts.noteWrites(
      messages.flatMap((message) => affected(message).map((pet) => ({ pet, body: message.body }))),
    );
  };
  /** A pet counts as touched from before the request until a refusal for its rate or key shows that it is not. */
  const touching = async (message: RequestMessage, send: () => Promise<Exchange>): Promise<Exchange> => {
    const fresh = affected(message).filter((pet) => !touched.has(pet));
    fresh.forEach((pet) => touched.add(pet));
    const exchange = await send();
    if (REFUSED.has(exchange.response.status)) {
      fresh.forEach((pet) => touched.delete(pet));
    }
    return exchange;
  };
  const destroyPools = async (): Promise<void> => {
    await Promise.all([...pools.values()].map((pool) => pool.destroy()));
  };
  const onAbort = (): void => {
    setTimeout(() => void destroyPools(), GRACE_MILLISECONDS).unref();
  };
  client.signal.addEventListener('abort', onAbort, { once: true });
  const poolOf = (connections: number): ConnectionPool => {
    const pool = pools.get(connections) ?? connect(connections);
    pools.set(connections, pool);
    return pool;
  };
  const release = (key: Key): void => {
    if (!released.has(key)) {
      released.add(key);
      leases.release(key);
    }
  };
  const isPatient = (key: Key): boolean => {
    const need = check.needs.keys[keys.indexOf(key)];
    return need !== undefined && keepsLimit(need);
  };

  const patiently = async (key: Key, send: () => Promise<Exchange>): Promise<Exchange> => {
    let told = 0;
    for (let resends = 0; ; resends += 1) {
      const wait = Math.max(told, secondsUntilRoom(key, 1, time.now()));
      if (wait > 0) {
        await time.sleep(wait, `room in the limit of ${key.label}`);
      }
      const exchange = await send();
      if (exchange.response.status !== 429) {
        return exchange;
      }
      judgeEarlyRefusal(key, exchange);
      const again = secondsToWait(exchange, client.clock);
      const isTooLong = !time.virtual && (again ?? Number.POSITIVE_INFINITY) > LONGEST_POLITE_WAIT_SECONDS;
      if (resends >= RESENDS_AFTER_429 || isTooLong) {
        return exchange;
      }
      told = again ?? MINUTE_SECONDS;
    }
  };

  /** Nobody else uses an issued key, so a refusal before its limits is a violation. */
  const judgeEarlyRefusal = (key: Key, exchange: Exchange): void => {
    const { perMinute, perDay } = planningLimits(key);
    const sent = key.usage.sentAt.length;
    const isPlain = exchange.key === key.label;
    if (isPlain && key.issued && key.limits !== null && sent <= Math.min(perMinute, perDay - key.usedToday)) {
      fail(
        `minute-limit-${key.plan}`,
        `${key.label} was refused at its request number ${sent}, though its plan grants ${perMinute} a minute.`,
        exchange,
      );
    }
  };

  const lastWrite: CheckContext['lastWrite'] = (fits) => client.sender?.trace.lastWrite(fits);
  const fail = (id: RequirementId, message: string, exchange?: Exchange): void => {
    // The update is what went wrong, and not the list that shows it.
    const cause =
      exchange?.request.method === 'GET' && isSeenAfterUpdate(id) ? lastWrite(isAccepted) : undefined;
    judgements.fail(check.id, id, evidence(client, message, cause ?? exchange, id));
  };

  const context: CheckContext = {
    keys,
    pets,
    facts: parts.facts,
    clock: client.clock,
    control: parts.control,
    virtualTime: time.virtual,
    key: () => {
      const [first] = keys;
      if (first === undefined || first === null) {
        throw new Error(`The check ${check.id} leased no key`);
      }
      return first;
    },
    pet: () => {
      const [first] = pets;
      if (first === undefined) {
        throw new Undecided('The store has no pet that could be updated.');
      }
      return first;
    },
    send: async (message, credentials) => {
      const once = (): Promise<Exchange> => performExchange(client, poolOf(1), message, credentials);
      noteWrites([message]);
      const spent = 'key' in credentials ? credentials.key : credentials.spends;
      return touching(message, () =>
        spent !== undefined && isPatient(spent) ? patiently(spent, once) : once(),
      );
    },
    sendAll: async (messages, key, connections) => {
      const pool = poolOf(connections);
      noteWrites(messages);
      return Promise.all(
        messages.map((message) => touching(message, () => performExchange(client, pool, message, { key }))),
      );
    },
    sleep: (seconds, why) => time.sleep(seconds, why),
    now: () => time.now(),
    elapsedSeconds: () => (performance.now() - parts.startedAt) / 1000,
    issue: async (need) => {
      const [key] = await leases.lease([need]);
      if (key === undefined || key === null) {
        throw new Error('No further key was issued');
      }
      return key;
    },
    restoreLater: (pet) => touched.add(pet),
    lastWrite,
    release,
    isShared: (petId, since) =>
      (parts.petLeases.wasLeasedSince(petId, since) && !ownPets.has(petId)) || parts.isSharedElsewhere(petId),
    judge: (id, holds, message, exchange) => {
      if (holds) {
        judgements.pass(check.id, id);
      } else {
        fail(id, typeof message === 'string' ? message : message(), exchange);
      }
      return holds;
    },
    fail,
    judgeDropped: async (id, error, isSuspect) => {
      const scene = { client, connect, by: check.id, key: keys.find((key) => key !== null) ?? undefined };
      const isJudged = error instanceof NoResponse && (await judgeDropped(scene, id, error, isSuspect));
      if (!isJudged || client.losses.goneAfter !== null) {
        throw error;
      }
    },
    inconclusive: (id, reason, exchange) =>
      judgements.inconclusive(check.id, id, evidence(client, reason, exchange, id)),
    skip: (id, reason) => judgements.skip(check.id, id, reason),
    observe: (id, value, facet) =>
      judgements.observe(
        check.id,
        id,
        typeof value === 'string' ? client.redactor.redact(value) : value,
        facet,
      ),
  };
  return {
    context,
    touched: () => [...touched],
    close: async () => {
      client.signal.removeEventListener('abort', onAbort);
      for (const key of keys) {
        if (key !== null) {
          release(key);
        }
      }
      await destroyPools();
    },
  };
}
