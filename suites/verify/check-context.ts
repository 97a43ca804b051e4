import { MINUTE_SECONDS } from '../../contract/plans.ts';
import {
  evidence,
  keepsLimit,
  leaseOne,
  NoResponse,
  NoRoomLeft,
  overPool,
  performExchange,
  tellingControl,
  type ConnectionPool,
  type Credentials,
  type Pet,
  type Timekeeper,
} from '../target/index.ts';
import {
  describeDay,
  isDayShort,
  secondsToWait,
  secondsUntilRoom,
  type Exchange,
  type Key,
  type ProvisionalJudgements,
  type RequestMessage,
} from '../oracle/index.ts';
import { type Check, type CheckConnections, type CheckContext, Undecided } from '../stimuli/index.ts';
import type { CheckEnvironment } from './check-environment.ts';
import { judgeDropped } from './dropped-request.ts';

/** One run of a check, with what was leased for it. */
export interface LeasedCheck {
  readonly check: Check;
  readonly keys: readonly (Key | null)[];
  readonly pets: readonly Pet[];
  readonly judgements: ProvisionalJudgements['record'];
}

/** The context for one check, and how to clear it away. */
export function openCheckContext(environment: CheckEnvironment, run: LeasedCheck) {
  const { client, leases } = environment;
  const { time } = client;
  const { check, keys, pets } = run;
  beginLog(environment, keys);
  const { close, ...sending } = openSending(environment, run);
  const released = new Set<Key>();
  const release = (key: Key): void => {
    if (!released.has(key)) {
      released.add(key);
      leases.release(key);
    }
  };
  const context: CheckContext = {
    keys,
    pets,
    facts: environment.facts,
    clock: client.clock,
    control: tellingControl(environment.control, (event) => client.log?.tell(event), time),
    virtualTime: time.virtual,
    fullControl: time.virtual && leases.issues,
    quantities: environment.inventory.quantities,
    mayBeBanned: ({ label }) => client.history.mayBeBanned(label),
    mostEndured: client.history.mostEndured,
    isMiscounted: ({ label }) => client.history.isMiscounted(label),
    get forms() {
      return environment.forms.accepted;
    },
    foundForms: (result) => {
      environment.forms.accepted = { result };
    },
    nextTurn: () => {
      environment.forms.turns += 1;
      return environment.forms.turns;
    },
    key: (index = 0) => {
      const key = keys[index] ?? null;
      if (key === null) {
        throw new Error(`The check ${check.id} leased no key ${index + 1}`);
      }
      return key;
    },
    pet: () => {
      const [first] = pets;
      if (first === undefined) {
        throw new Undecided('The inventory has no pet that can be updated.');
      }
      return first;
    },
    ...sending,
    sleep: (seconds, why) => time.sleep(seconds, why),
    now: () => time.now(),
    elapsedSeconds: () => (performance.now() - environment.startedAt) / 1000,
    issue: async (need) => {
      const key = await leaseOne(leases, need);
      client.log?.issued(key, time.now());
      return key;
    },
    release,
    ...reportingOf(environment, run),
  };
  return {
    context,
    /** Closes its connections and gives its keys back. */
    close: (): Promise<void> => {
      keys.filter((key) => key !== null).forEach(release);
      return close();
    },
  };
}

/** Notes on what a check begins. */
function beginLog({ client: { log, time }, store }: CheckEnvironment, keys: LeasedCheck['keys']): void {
  if (store !== null) {
    log?.found(store);
  }
  keys.filter((key) => key !== null).forEach((key) => log?.issued(key, time.now()));
}

type Reporting = Pick<CheckContext, 'reportDropped' | 'provoked' | 'leftOpen' | 'notProvoked' | 'observe'>;

/** What a check says in its own name. */
function reportingOf(
  { client, connect }: CheckEnvironment,
  { check, keys, judgements }: LeasedCheck,
): Reporting {
  return {
    reportDropped: async (error) => {
      const scene = { client, connect, key: keys.find((key) => key !== null) };
      const isJudged = error instanceof NoResponse && (await judgeDropped(scene, error));
      // What would follow might take as long again.
      if (!isJudged || client.losses.goneAfter !== null || error.ending === 'silent') {
        throw error;
      }
    },
    // If nothing accuses it, it holds.
    provoked: (id) => judgements.pass(check.id, id),
    leftOpen: (id, reason, exchange) =>
      judgements.inconclusive(check.id, id, evidence(client, reason, exchange)),
    notProvoked: (id, reason) => judgements.skip(check.id, id, reason),
    observe: (id, value, facet) =>
      judgements.observe(
        check.id,
        id,
        typeof value === 'string' ? client.redactor.redact(value) : value,
        facet,
      ),
  };
}

/** How one check sends its requests. */
function openSending(
  environment: CheckEnvironment,
  { check, keys, pets }: LeasedCheck,
): Pick<CheckContext, 'send' | 'sendAll' | 'restoreLater'> & { readonly close: () => Promise<void> } {
  const { client, inventory } = environment;
  const connections = openCheckConnections(environment);
  const isPolite = (key: Key): boolean => {
    const need = check.needs.keys[keys.indexOf(key)];
    return need !== undefined && keepsLimit(need);
  };
  const sendOver = async (pool: ConnectionPool, message: RequestMessage, credentials: Credentials) => {
    const once = (): Promise<Exchange> => performExchange(client, pool, message, credentials);
    const spent = 'key' in credentials ? credentials.key : credentials.spends;
    const noteAnswer = inventory.noteSent(pets, message);
    const isCareful = spent !== undefined && isPolite(spent);
    const exchange = await (isCareful ? sendPolitely(environment, spent, once) : once());
    noteAnswer(exchange);
    return exchange;
  };
  return {
    send: (message, credentials, which = 1) =>
      connections.over(which, (pool) => sendOver(pool, message, credentials)),
    sendAll: (messages, key, count, isLast = () => false) =>
      connections.over(count, (pool) =>
        inLanes(messages, { count, time: client.time, isLast }, (message) =>
          sendOver(pool, message, { key }),
        ),
      ),
    restoreLater: (pet) => inventory.restoreLater([pet]),
    close: connections.close,
  };
}

interface Lanes<Result> {
  readonly count: number;
  readonly time: Timekeeper;
  readonly isLast: (result: Result) => boolean;
}

/** A request leaves when a connection is free for it, so that its history tells what it may have met; none after a failure. */
async function inLanes<Item, Result>(
  items: readonly Item[],
  { count, time, isLast }: Lanes<Result>,
  act: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>();
  const waiting = [...items.entries()].values();
  let isOver = false;
  await time.sideBySide(
    Array.from({ length: count }, () => async () => {
      for (const [index, item] of waiting) {
        try {
          const result = await act(item);
          results.set(index, result);
          isOver ||= isLast(result);
        } catch (error) {
          isOver = true;
          throw error;
        }
        if (isOver) {
          return;
        }
      }
    }),
  );
  return [...results].toSorted(([one], [other]) => one - other).map(([, result]) => result);
}

// In-flight requests get this long to end after an interruption, so that none arrives after the restoring.
const GRACE_MILLISECONDS = 300;

/** Connections of a check's own; soon after an interruption they are cut. */
function openCheckConnections({ client, connect }: CheckEnvironment) {
  const pools = new Map<CheckConnections, ConnectionPool>();
  const destroy = async (): Promise<void> => {
    await Promise.all([...pools.values()].map((pool) => pool.destroy()));
  };
  const onAbort = (): void => {
    setTimeout(() => void destroy(), GRACE_MILLISECONDS).unref();
  };
  client.signal.addEventListener('abort', onAbort, { once: true });
  return {
    over: async <Result>(
      which: CheckConnections,
      send: (pool: ConnectionPool) => Promise<Result>,
    ): Promise<Result> => {
      if (which === 'new') {
        return overPool(connect(1), send);
      }
      const pool = pools.get(which) ?? connect(typeof which === 'number' ? which : 1);
      pools.set(which, pool);
      return send(pool);
    },
    close: (): Promise<void> => {
      client.signal.removeEventListener('abort', onAbort);
      return destroy();
    },
  };
}

const RESENDS_AFTER_429 = 2;
const LONGEST_POLITE_WAIT_SECONDS = 75;

/** Waits for room in the key's limit before each try, and sends again after a 429. */
async function sendPolitely(
  { client }: CheckEnvironment,
  key: Key,
  send: () => Promise<Exchange>,
): Promise<Exchange> {
  const { time, clock } = client;
  if (key.usage.isStuck) {
    throw new Undecided(
      `${key.label} was refused again each time that it had waited, so nothing more is sent with it.`,
    );
  }
  let told = 0;
  for (let resends = 0; ; resends += 1) {
    if (!time.virtual && isDayShort(key, 1, time.now())) {
      throw new NoRoomLeft(describeDay(key, time.now()));
    }
    const wait = Math.max(told, secondsUntilRoom(key, 1, time.now()));
    if (wait > 0) {
      await time.sleep(wait, `room in the limit of ${key.label}`);
    }
    const exchange = await send();
    if (exchange.response.status !== 429) {
      return exchange;
    }
    const again = secondsToWait(exchange, clock);
    const isTooLong = !time.virtual && (again ?? Number.POSITIVE_INFINITY) > LONGEST_POLITE_WAIT_SECONDS;
    if (resends >= RESENDS_AFTER_429 || isTooLong) {
      key.usage.isStuck = !isTooLong;
      return exchange;
    }
    told = again ?? MINUTE_SECONDS;
  }
}
