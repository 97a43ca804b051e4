import type { InventoryItem } from '../../../contract/inventory.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import type { Exchange, Key } from '../../oracle/index.ts';
import type { SentEvent, ToldEvent } from '../history.ts';

/** A request that left, and what became of it; moments are milliseconds of the timekeeper. */
export interface LoggedRequest extends Pick<SentEvent, 'at' | 'request' | 'authorization'> {
  readonly do: 'send';
  /** The key that it counts on, or `null`. */
  readonly key: Key | null;
  /** When the response came in or was given up; `null` while it is under way. */
  endedAt: number | null;
  /** `null` without a response. */
  response: LoggedResponse | null;
}

/** As much of a response as is kept. */
interface LoggedResponse {
  readonly status: number;
  readonly headers: readonly HeaderField[];
  /** The beginning of its body. */
  readonly body: Buffer;
  /** The whole exchange, of the first list and of what a finding rests on. */
  readonly exchange: Exchange | null;
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
const KEPT_BODY_BYTES = 300;

export function openTrailLog(): TrailLog {
  return openAmong(new WeakMap());
}

/** @param exchanges those of all logs of the run */
function openAmong(exchanges: WeakMap<Exchange, FoundRequest>): TrailLog {
  const keys = new Map<string, Key>();
  const underWay = new Map<number, LoggedRequest>();
  let events: LoggedEvent[] | null = [];
  let store: readonly InventoryItem[] | null = null;
  let hasList = false;
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
            const isFirstList = !hasList && isList(exchange);
            hasList ||= isFirstList;
            request.endedAt = exchange.receivedAt;
            request.response = kept(exchange, isFirstList);
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

function isList({ request, response }: Exchange): boolean {
  return response.status === 200 && request.operation === 'listInventory';
}

function kept(exchange: Exchange, isWhole: boolean): LoggedResponse {
  const { status, headers, body } = exchange.response;
  const begun = Buffer.from(body.subarray(0, KEPT_BODY_BYTES));
  return { status, headers, body: begun, exchange: isWhole ? exchange : null };
}
