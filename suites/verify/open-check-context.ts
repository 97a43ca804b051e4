import { evidence, NoResponse, tellingTrail, type Pet } from '../target/index.ts';
import type { Key, ProvisionalJudgements } from '../oracle/index.ts';
import { type Check, type CheckContext, Undecided } from '../stimuli/index.ts';
import type { CheckEnvironment } from './check-environment.ts';
import { openSending } from './check-sending.ts';
import { judgeDropped } from './dropped-request.ts';

/** One run of a check, with what was leased for it. */
export interface LeasedCheck {
  readonly check: Check;
  readonly keys: readonly (Key | null)[];
  readonly pets: readonly Pet[];
  readonly judgements: ProvisionalJudgements['record'];
}

interface OpenCheckContext {
  readonly context: CheckContext;
  /** Pets that may not stand as they did. */
  readonly touched: () => readonly Pet[];
  /** Closes its connections and gives its keys back. */
  readonly close: () => Promise<void>;
}

/** The context for one check, and how to clear it away. */
export function openCheckContext(environment: CheckEnvironment, run: LeasedCheck): OpenCheckContext {
  const { client, leases } = environment;
  const { time } = client;
  const { check, keys, pets } = run;
  beginLog(environment, keys);
  const { touched, close, ...sending } = openSending(environment, { check, keys, pets });
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
    control: tellingTrail(environment.control, client),
    virtualTime: time.virtual,
    mayBeBanned: ({ label }) => client.history.mayBeBanned(label),
    mostEndured: client.history.mostEndured,
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
        throw new Undecided('The inventory has no pet that can be updated.');
      }
      return first;
    },
    ...sending,
    sleep: (seconds, why) => time.sleep(seconds, why),
    now: () => time.now(),
    elapsedSeconds: () => (performance.now() - environment.startedAt) / 1000,
    issue: async (need) => {
      const [key] = await leases.lease([need]);
      if (key === undefined || key === null) {
        throw new Error('No further key was issued');
      }
      client.log?.issued(key, time.now());
      return key;
    },
    release,
    ...reportingOf(environment, run),
  };
  return {
    context,
    touched,
    close: () => {
      for (const key of keys) {
        if (key !== null) {
          release(key);
        }
      }
      return close();
    },
  };
}

/** Notes on what a check begins. */
function beginLog({ client: { log, time }, store }: CheckEnvironment, keys: LeasedCheck['keys']): void {
  if (store !== null) {
    log?.found(store, time.now());
  }
  for (const key of keys) {
    if (key !== null) {
      log?.issued(key, time.now());
    }
  }
}

type Reporting = Pick<CheckContext, 'reportDropped' | 'provoked' | 'leftOpen' | 'notProvoked' | 'observe'>;

/** What a check says in its own name. */
function reportingOf(
  { client, connect }: CheckEnvironment,
  { check, keys, judgements }: LeasedCheck,
): Reporting {
  return {
    reportDropped: async (error) => {
      const scene = { client, connect, key: keys.find((key) => key !== null) ?? undefined };
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
