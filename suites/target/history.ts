import type { InventoryItem } from '../../contract/inventory.ts';
import {
  NOTHING_STRANGE,
  type HistoryEvent,
  type HistoryMonitor,
  openOracle,
  readCredential,
  type Credential,
  type Key,
  type KnownSecret,
  type OracleJudgement,
  type RequestMessage,
  type SentRequest,
  type ServerClock,
  type SpoiltConnection,
  type UnansweredRequest,
} from '../oracle/index.ts';
import type { ControlClient } from './control/control-client.ts';
import type { Timekeeper } from './control/timekeeper.ts';

/** A request leaves. */
export interface SentEvent extends Pick<SentRequest, 'type' | 'id' | 'request' | 'at'> {
  /** Its Authorization fields. */
  readonly authorization: readonly string[];
  /** The key that the target may count it on, if that is known. */
  readonly spender: Key | null;
  /** What it presents, if that is not to be read from the request. */
  readonly credential?: Credential;
}

/**
 * What is done to a target, in the order in which it happens: what an oracle is told, and the secrets, which no oracle sees.
 * It is kept, judged, and written down for a later judgement. Moments are milliseconds of the timekeeper.
 */
export type ToldEvent =
  /** `knownAt` is no later than the key was issued; of another key, the moment since when it is this run's alone. */
  | { readonly type: 'key-known'; readonly key: Key; readonly knownAt?: number }
  /** A key that was revoked before the run. */
  | { readonly type: 'key-revoked-before'; readonly secret: string }
  | { readonly type: 'key-revocation-begun'; readonly secret: string; readonly at: number }
  | { readonly type: 'key-revoked'; readonly secret: string; readonly from: number; readonly at: number }
  | SentEvent
  /** It comes after the loss of that request. */
  | ({ readonly type: 'request-unanswered'; readonly id: number } & Omit<
      UnansweredRequest,
      'request' | 'credential'
    >)
  /** With the request that was answered on a new connection. */
  | ({ readonly type: 'connection-spoilt'; readonly id: number } & SpoiltConnection)
  | Extract<HistoryEvent, { readonly type: ToldAsItIs }>;

type ToldAsItIs =
  | 'response-received'
  | 'response-lost'
  | 'inventory-replacement-begun'
  | 'inventory-replaced'
  | 'pets-ours'
  | 'pets-named'
  | 'gap';

/** Takes what is done to a target. @returns what that shows */
export type Tell = (event: ToldEvent) => readonly OracleJudgement[];

type Oracle = ReturnType<typeof openOracle>;

/** What a run does to its target, and what an oracle makes of it. */
export interface TargetHistory extends Omit<Oracle, 'accept'> {
  readonly tell: Tell;
  /** A history of its own by the same clock, in which nothing has happened. */
  readonly another: () => TargetHistory;
  /** Begins a history of what somebody else judges, so that it is only kept; `null` if nothing is kept. */
  readonly beginRecord: (() => TargetHistory) | null;
}

const NOTHING: readonly OracleJudgement[] = [];

/**
 * A history in which nothing has happened.
 * @param monitors all of them by default
 */
export function beginHistory(clock: ServerClock, monitors?: readonly HistoryMonitor[]): TargetHistory {
  const { accept, ...known } = openOracle(clock, monitors);
  const secrets = new Map<string, KnownSecret>();
  const unanswered = new Map<number, SentRequest>();
  return {
    ...known,
    another: () => beginHistory(clock, monitors),
    beginRecord: null,
    tell: (event) => {
      noteSecret(event, secrets);
      switch (event.type) {
        case 'key-known':
          return accept({ type: 'key-known', key: knownKey(event) });
        case 'key-revoked-before':
          return NOTHING;
        case 'key-revocation-begun':
        case 'key-revoked': {
          const { secret, ...revocation } = event;
          const key = secrets.get(secret)?.label;
          return key === undefined ? NOTHING : accept({ ...revocation, key });
        }
        case 'request-sent': {
          const { type, id, request, at, authorization } = event;
          const credential = event.credential ?? presentedCredential(request, authorization, secrets);
          const sent = { type, id, request, credential, at };
          unanswered.set(id, sent);
          return accept(sent);
        }
        case 'response-received':
          unanswered.delete(event.id);
          return accept(event);
        case 'request-unanswered': {
          const sent = unanswered.get(event.id);
          return sent === undefined
            ? NOTHING
            : accept({ ...event, request: sent.request, credential: sent.credential });
        }
        default:
          return accept(event);
      }
    },
  };
}

function knownKey({ key, knownAt }: Extract<ToldEvent, { readonly type: 'key-known' }>) {
  const { label, plan, limits, issued, usedToday } = key;
  const since = knownAt === undefined ? {} : issued ? { issuedAt: knownAt } : { exclusiveSince: knownAt };
  const isExclusive = issued || knownAt !== undefined;
  return { label, plan, limits, isExclusive, usedToday: issued ? usedToday : null, ...since };
}

const STATES = {
  'key-known': 'valid',
  'key-revoked-before': 'revoked',
  'key-revocation-begun': 'doubtful',
  'key-revoked': 'revoked',
} as const satisfies Partial<Record<ToldEvent['type'], KnownSecret['state']>>;

/** Has the state of each secret follow what is told. @param spell what stands for a secret */
export function noteSecret(
  event: ToldEvent,
  secrets: Map<string, KnownSecret>,
  spell: (secret: string) => string = String,
): void {
  if (event.type === 'key-known') {
    secrets.set(spell(event.key.secret), { label: event.key.label, state: STATES[event.type] });
  } else if ('secret' in event) {
    const secret = spell(event.secret);
    const label = event.type === 'key-revoked-before' ? '' : secrets.get(secret)?.label;
    if (label !== undefined) {
      secrets.set(secret, { label, state: STATES[event.type] });
    }
  }
}

/** For traffic that an oracle is told by somebody else. */
export function ignoreHistory(): TargetHistory {
  return {
    tell: () => NOTHING,
    mayBeBanned: () => false,
    mayOtherBeBanned: () => false,
    mostEndured: () => 0,
    isMiscounted: () => false,
    strangeChanges: () => NOTHING_STRANGE,
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

/** A control client that tells which keys it revokes and with what it replaces the inventory. */
export function tellingControl(
  control: ControlClient | null,
  tell: (event: ToldEvent) => void,
  { now }: Pick<Timekeeper, 'now'>,
): ControlClient | null {
  if (control === null) {
    return null;
  }
  const replacing = async (
    items: readonly InventoryItem[] | null,
    replace: () => Promise<void>,
  ): Promise<void> => {
    const from = now();
    const replaced = (held: readonly InventoryItem[] | null): void =>
      tell({ type: 'inventory-replaced', items: held, from, at: now() });
    tell({ type: 'inventory-replacement-begun', at: from });
    try {
      await replace();
    } catch (error) {
      replaced(null);
      throw error;
    }
    replaced(items);
  };
  return {
    ...control,
    revokeKey: async (secret) => {
      const from = now();
      tell({ type: 'key-revocation-begun', secret, at: from });
      await control.revokeKey(secret);
      tell({ type: 'key-revoked', secret, from, at: now() });
    },
    replaceInventory: (items) => replacing(items, () => control.replaceInventory(items)),
    reset: () => replacing(null, () => control.reset()),
  };
}
