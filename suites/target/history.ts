import type { InventoryItem } from '../../contract/inventory.ts';
import {
  openOracle,
  type Credential,
  type Exchange,
  type Key,
  type OracleJudgement,
  type RequestMessage,
  type ServerClock,
} from '../oracle/index.ts';
import type { ControlClient } from './control/control-client.ts';
import type { Timekeeper } from './control/timekeeper.ts';

/** Tells an oracle what a run does to its target. Moments are milliseconds of the timekeeper. */
export interface TargetHistory {
  /** From now on the target knows this key. */
  readonly learnKey: (key: Key) => void;
  readonly keyRevoked: (secret: string, from: number, at: number) => void;
  readonly inventoryReplaced: (items: readonly InventoryItem[] | null, from: number, at: number) => void;
  /**
   * A request leaves.
   * @param authorization its Authorization fields
   * @param spender the key that the target may count it on
   */
  readonly requestSent: (
    request: RequestMessage,
    authorization: readonly string[],
    spender: Key | null,
    at: number,
  ) => ToldRequest;
}

/** A request that is under way; one of the two is called once. */
export interface ToldRequest {
  /** @returns what the response shows */
  readonly received: (exchange: Exchange) => readonly OracleJudgement[];
  readonly lost: (at: number) => void;
}

/** A history in which nothing has happened. */
export function beginHistory(clock: ServerClock): TargetHistory {
  const oracle = openOracle(clock);
  const labels = new Map<string, string>();
  const revoked = new Set<string>();
  let requests = 0;
  return {
    learnKey: ({ label, secret, plan, limits, issued, usedToday }) => {
      labels.set(secret, label);
      const key = { label, plan, limits, isExclusive: issued, usedToday: issued ? usedToday : null };
      oracle.accept({ type: 'key-known', key });
    },
    keyRevoked: (secret, from, at) => {
      const key = labels.get(secret);
      if (key !== undefined) {
        revoked.add(secret);
        oracle.accept({ type: 'key-revoked', key, from, at });
      }
    },
    inventoryReplaced: (items, from, at) => {
      oracle.accept({ type: 'inventory-replaced', items, from, at });
    },
    requestSent: (request, authorization, spender, at) => {
      requests += 1;
      const id = requests;
      const credential = credentialOf(authorization, spender, labels, revoked);
      oracle.accept({ type: 'request-sent', id, request, credential, at });
      return {
        received: (exchange) => oracle.accept({ type: 'response-received', id, exchange }),
        lost: (lostAt) => {
          oracle.accept({ type: 'response-lost', id, at: lostAt });
        },
      };
    },
  };
}

function credentialOf(
  authorization: readonly string[],
  spender: Key | null,
  labels: ReadonlyMap<string, string>,
  revoked: ReadonlySet<string>,
): Credential {
  const [value] = authorization;
  if (value === undefined) {
    return { kind: 'missing' };
  }
  const secret = value.startsWith('Bearer ') ? value.slice('Bearer '.length) : '';
  const key = labels.get(secret);
  if (key === undefined || authorization.length > 1) {
    return { kind: 'open', key: spender?.label ?? null };
  }
  return revoked.has(secret) ? { kind: 'invalid', requirement: 'revoked-key' } : { kind: 'valid', key };
}

/** A control client that tells the history which keys it revokes and with what it replaces the inventory. */
export function tellingHistory(
  control: ControlClient,
  history: TargetHistory,
  time: Pick<Timekeeper, 'now'>,
): ControlClient {
  return {
    ...control,
    revokeKey: async (secret) => {
      const from = time.now();
      try {
        await control.revokeKey(secret);
      } finally {
        history.keyRevoked(secret, from, time.now());
      }
    },
    replaceInventory: async (items) => {
      const from = time.now();
      try {
        await control.replaceInventory(items);
      } catch (error) {
        history.inventoryReplaced(null, from, time.now());
        throw error;
      }
      history.inventoryReplaced(items, from, time.now());
    },
  };
}
