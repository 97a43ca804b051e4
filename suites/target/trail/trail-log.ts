import type { InventoryItem } from '../../../contract/inventory.ts';
import type { Exchange, Key, ResponseMessage } from '../../oracle/index.ts';
import type { SentEvent, ToldEvent } from '../history.ts';

/** A request that left, and what became of it; moments are milliseconds of the timekeeper. */
export interface LoggedRequest extends Pick<SentEvent, 'at' | 'request' | 'authorization'> {
  readonly do: 'send';
  /** The key that it counts on, or `null`. */
  readonly key: Key | null;
  /** When the response came in or was given up; `null` while it is under way. */
  endedAt: number | null;
  /** As much of it as is kept; `null` without a response. */
  response: Pick<ResponseMessage, 'status' | 'headers'> | null;
}

export type LoggedEvent =
  | LoggedRequest
  | { readonly do: 'issue key' | 'revoke key'; readonly at: number; readonly key: Key }
  | { readonly do: 'replace inventory'; readonly at: number; readonly items: readonly InventoryItem[] };

/** What one check did to the target, in order; it holds keys, and is never shown. */
export interface TrailLog {
  /** `null` if it became too long to be kept. */
  readonly events: () => readonly LoggedEvent[] | null;
  /** Takes what the check does, as its history is told. */
  readonly tell: (event: ToldEvent) => void;
  readonly issued: (key: Key, at: number) => void;
  /** The check begins with this inventory, if nothing has gone wrong with it. */
  readonly found: (items: readonly InventoryItem[]) => void;
  /** What it began with, if that is known. */
  readonly store: () => readonly InventoryItem[] | null;
  /** Opens the log of somebody else in the same run; both find the exchanges of the other. */
  readonly openBeside: () => TrailLog;
  /** The request of an exchange that was noted in any log of the run. */
  readonly find: (exchange: Exchange) => FoundRequest | undefined;
}

/** A request, and the log in which it stands. */
export interface FoundRequest {
  readonly log: TrailLog;
  readonly request: LoggedRequest;
}

const MOST_EVENTS = 20_000;

export function openTrailLog(): TrailLog {
  return openAmong(new WeakMap());
}

/** @param exchanges those of all logs of the run */
function openAmong(exchanges: WeakMap<Exchange, FoundRequest>): TrailLog {
  const keys = new Map<string, Key>();
  const underWay = new Map<number, LoggedRequest>();
  let events: LoggedEvent[] | null = [];
  let store: readonly InventoryItem[] | null = null;
  const note = (event: LoggedEvent): void => {
    if (events !== null && events.length >= MOST_EVENTS) {
      events = null;
    }
    events?.push(event);
  };
  const issued = (key: Key, at: number): void => {
    if (!keys.has(key.label)) {
      keys.set(key.label, key);
      note({ do: 'issue key', at, key });
    }
  };
  const log: TrailLog = {
    events: () => events,
    issued,
    found: (items) => {
      store = items;
    },
    store: () => store,
    tell: (event) => {
      switch (event.type) {
        case 'request-sent': {
          const { id, at, request, authorization, spender } = event;
          if (spender !== null) {
            issued(spender, at);
          }
          const sent = { do: 'send', at, request, authorization, key: spender } as const;
          const logged = { ...sent, endedAt: null, response: null };
          underWay.set(id, logged);
          note(logged);
          break;
        }
        case 'response-received':
        case 'response-lost': {
          const request = underWay.get(event.id);
          underWay.delete(event.id);
          if (request !== undefined && event.type === 'response-lost') {
            request.endedAt = event.at;
          } else if (request !== undefined && event.type === 'response-received') {
            const { exchange } = event;
            const { status, headers } = exchange.response;
            request.endedAt = exchange.receivedAt;
            request.response = { status, headers };
            exchanges.set(exchange, { log, request });
          }
          break;
        }
        case 'key-revocation-begun': {
          const key = keys.values().find(({ secret }) => secret === event.secret);
          if (key !== undefined) {
            note({ do: 'revoke key', at: event.at, key });
          }
          break;
        }
        case 'inventory-replaced':
          if (event.items !== null) {
            note({ do: 'replace inventory', at: event.from, items: event.items });
          }
          break;
        default:
      }
    },
    openBeside: () => openAmong(exchanges),
    find: (exchange) => exchanges.get(exchange),
  };
  return log;
}
