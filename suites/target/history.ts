import type { InventoryItem } from '../../contract/inventory.ts';
import {
  NOTHING_STRANGE,
  type StrangeChanges,
  type HistoryMonitor,
  openOracle,
  readCredential,
  type Credential,
  type Exchange,
  type Key,
  type KnownSecret,
  type OracleJudgement,
  type RequestMessage,
  type ServerClock,
  type SpoiltConnection,
  type UnansweredRequest,
} from '../oracle/index.ts';
import type { ControlClient } from './control/control-client.ts';
import type { Timekeeper } from './control/timekeeper.ts';

/** Tells an oracle what a run does to its target. Moments are milliseconds of the timekeeper. */
export interface TargetHistory {
  /**
   * From now on the target knows this key.
   * @param knownAt no later than it was issued; of another key, the moment since when it is this run's alone
   */
  readonly learnKey: (key: Key, knownAt?: number) => void;
  /** A key that was revoked before the run. */
  readonly learnRevoked: (secret: string) => void;
  /** @returns to be called once it is revoked; without that it is not known */
  readonly revokingKey: (secret: string, at: number) => (at: number) => void;
  /** @returns to be called with what the whole inventory is now, or `null` if that is not known */
  readonly replacingInventory: (at: number) => (items: readonly InventoryItem[] | null, at: number) => void;
  /** From now on nobody else writes to these pets. */
  readonly claimPets: (petIds: ReadonlySet<bigint>, at: number) => void;
  /** The inventory holds these pets. */
  readonly namePets: (petIds: ReadonlySet<bigint>) => void;
  /** @returns what it shows */
  readonly connectionSpoilt: (found: SpoiltConnection) => readonly OracleJudgement[];
  /** From a moment until now something was done to the target that is not told. */
  readonly missed: (at: number) => void;
  /** Whether the key may be banned because it went on after a 429: when this exchange was decided, or by now. */
  readonly mayBeBanned: (label: string, exchange?: Exchange) => boolean;
  /** Whether another key was refused, and may be banned by now. */
  readonly mayOtherBeBanned: (label: string) => boolean;
  /** The most requests that one key went on with after a 429 and that led to no ban. */
  readonly mostEndured: () => number;
  readonly strangeChanges: () => StrangeChanges;
  /**
   * A request leaves.
   * @param authorization its Authorization fields
   * @param spender label of the key that the target may count it on, if that is known
   */
  readonly requestSent: (
    request: RequestMessage,
    authorization: readonly string[],
    at: number,
    spender?: string | null,
  ) => ToldRequest;
  /** A history of its own by the same clock, in which nothing has happened. */
  readonly another: () => TargetHistory;
  /** Begins a history of what somebody else judges, so that it is only kept; `null` if nothing is kept. */
  readonly beginRecord: (() => TargetHistory) | null;
}

/** A request that is under way; the first or the second is called once. */
export interface ToldRequest {
  /** @returns what the response shows */
  readonly received: (exchange: Exchange) => readonly OracleJudgement[];
  readonly lost: (at: number) => void;
  /**
   * No response came, however often the request was sent. This one is called after `lost`.
   * @returns what that shows
   */
  readonly unanswered: (found: Unanswered) => readonly OracleJudgement[];
}

type Unanswered = Pick<UnansweredRequest, 'at' | 'words' | 'since'>;

/**
 * A history in which nothing has happened.
 * @param monitors all of them by default
 * @param credentialOf reads what a request presents
 */
export function beginHistory(
  clock: ServerClock,
  monitors?: readonly HistoryMonitor[],
  credentialOf: typeof presentedCredential = presentedCredential,
): TargetHistory {
  const oracle = openOracle(clock, monitors);
  const secrets = new Map<string, KnownSecret>();
  let requests = 0;
  return {
    another: () => beginHistory(clock, monitors, credentialOf),
    beginRecord: null,
    learnKey: ({ label, secret, plan, limits, issued, usedToday }, knownAt) => {
      secrets.set(secret, { label, state: 'valid' });
      const since = knownAt === undefined ? {} : issued ? { issuedAt: knownAt } : { exclusiveSince: knownAt };
      const isExclusive = issued || knownAt !== undefined;
      const key = { label, plan, limits, isExclusive, usedToday: issued ? usedToday : null, ...since };
      oracle.accept({ type: 'key-known', key });
    },
    learnRevoked: (secret) => {
      secrets.set(secret, { label: '', state: 'revoked' });
    },
    revokingKey: (secret, from) => {
      const known = secrets.get(secret);
      if (known === undefined) {
        return () => {};
      }
      const { label } = known;
      secrets.set(secret, { label, state: 'doubtful' });
      oracle.accept({ type: 'key-revocation-begun', key: label, at: from });
      return (at) => {
        secrets.set(secret, { label, state: 'revoked' });
        oracle.accept({ type: 'key-revoked', key: label, from, at });
      };
    },
    replacingInventory: (from) => {
      oracle.accept({ type: 'inventory-replacement-begun', at: from });
      return (items, at) => {
        oracle.accept({ type: 'inventory-replaced', items, from, at });
      };
    },
    claimPets: (petIds, at) => {
      oracle.accept({ type: 'pets-ours', petIds, at });
    },
    namePets: (petIds) => {
      oracle.accept({ type: 'pets-named', petIds });
    },
    connectionSpoilt: (found) => oracle.accept({ type: 'connection-spoilt', ...found }),
    missed: (at) => {
      oracle.accept({ type: 'gap', at });
    },
    mayBeBanned: oracle.mayBeBanned,
    mayOtherBeBanned: oracle.mayOtherBeBanned,
    mostEndured: oracle.mostEndured,
    strangeChanges: oracle.strangeChanges,
    requestSent: (request, authorization, at) => {
      requests += 1;
      const id = requests;
      const credential = credentialOf(request, authorization, secrets);
      oracle.accept({ type: 'request-sent', id, request, credential, at });
      return {
        received: (exchange) => oracle.accept({ type: 'response-received', id, exchange }),
        lost: (lostAt) => {
          oracle.accept({ type: 'response-lost', id, at: lostAt });
        },
        unanswered: (found) => oracle.accept({ type: 'request-unanswered', request, credential, ...found }),
      };
    },
  };
}

/** For traffic that an oracle is told by somebody else. */
export function ignoreHistory(): TargetHistory {
  return {
    learnKey: () => {},
    learnRevoked: () => {},
    revokingKey: () => () => {},
    replacingInventory: () => () => {},
    claimPets: () => {},
    namePets: () => {},
    connectionSpoilt: () => [],
    missed: () => {},
    mayBeBanned: () => false,
    mayOtherBeBanned: () => false,
    mostEndured: () => 0,
    strangeChanges: () => NOTHING_STRANGE,
    requestSent: () => ({ received: () => [], lost: () => {}, unanswered: () => [] }),
    another: ignoreHistory,
    beginRecord: null,
  };
}

/** What a request presents as its credentials. @param secrets what is known of each key */
export function presentedCredential(
  { path, headers }: RequestMessage,
  authorization: readonly string[],
  secrets: ReadonlyMap<string, KnownSecret>,
): Credential {
  const fields = Map.groupBy(headers, ([name]) => name.toLowerCase() === 'authorization');
  const values = (isAuthorization: boolean) => (fields.get(isAuthorization) ?? []).map(([, value]) => value);
  return readCredential(
    { authorization: [...authorization, ...values(true)], elsewhere: [path, ...values(false)] },
    secrets,
  );
}

/** A control client that tells the history which keys it revokes and with what it replaces the inventory. */
export function tellingHistory(
  control: ControlClient,
  history: TargetHistory,
  time: Pick<Timekeeper, 'now'>,
): ControlClient {
  const replacing = async (
    items: readonly InventoryItem[] | null,
    replace: () => Promise<void>,
  ): Promise<void> => {
    const replaced = history.replacingInventory(time.now());
    try {
      await replace();
    } catch (error) {
      replaced(null, time.now());
      throw error;
    }
    replaced(items, time.now());
  };
  return {
    ...control,
    revokeKey: async (secret) => {
      const revoked = history.revokingKey(secret, time.now());
      await control.revokeKey(secret);
      revoked(time.now());
    },
    replaceInventory: (items) => replacing(items, () => control.replaceInventory(items)),
    reset: () => replacing(null, () => control.reset()),
  };
}
