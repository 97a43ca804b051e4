import { isDeepStrictEqual } from 'node:util';

import type { InventoryItem } from '../../../contract/inventory.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import type { Exchange, Key, RequestMessage } from '../../oracle/index.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { Timekeeper } from '../control/timekeeper.ts';

/** A request that left, and what became of it; moments are milliseconds of the timekeeper. */
export interface LoggedRequest {
  readonly do: 'send';
  readonly at: number;
  /** With its path relative to the base address. */
  readonly request: RequestMessage;
  readonly authorization: readonly string[];
  /** Label of the key that it counts on, or `null`. */
  readonly key: string | null;
  /** When the response came in or was given up; `null` while it is under way. */
  endedAt: number | null;
  /** `null` without a response. */
  response: LoggedResponse | null;
  /** The same request was sent again at once, since it got no response. */
  isRepeated: boolean;
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
  | { readonly do: 'issue key'; readonly at: number; readonly key: string }
  | { readonly do: 'revoke key'; readonly at: number; readonly key: string }
  | {
      readonly do: 'replace inventory';
      readonly at: number;
      readonly items: readonly InventoryItem[];
      /** Whether the check found it so, and did not replace it itself. */
      readonly isFound?: true;
    };

/** What one check did to the target, in order; it holds keys, and is never shown. */
export interface TrailLog {
  readonly keys: ReadonlyMap<string, Key>;
  /** `null` if it became too long to be kept. */
  readonly events: () => readonly LoggedEvent[] | null;
  readonly issued: (key: Key, at: number) => void;
  readonly revoked: (secret: string, at: number) => void;
  readonly replaced: (items: readonly InventoryItem[], at: number) => void;
  /** What the inventory holds as the check begins, if nothing has gone wrong with it. */
  readonly found: (items: readonly InventoryItem[], at: number) => void;
  readonly sent: (
    request: Pick<LoggedRequest, 'request' | 'authorization' | 'at'>,
    key: Key | null,
  ) => SentRecord;
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

interface SentRecord {
  readonly received: (exchange: Exchange) => void;
  readonly lost: (at: number) => void;
}

const MOST_EVENTS = 20_000;
const KEPT_BODY_BYTES = 300;

export function openTrailLog(): TrailLog {
  return openAmong(new WeakMap());
}

/** @param exchanges those of all logs of the run */
function openAmong(exchanges: WeakMap<Exchange, FoundRequest>): TrailLog {
  const keys = new Map<string, Key>();
  let events: LoggedEvent[] | null = [];
  let hasList = false;
  const note = (event: LoggedEvent): void => {
    if (events !== null && events.length >= MOST_EVENTS) {
      events = null;
    }
    events?.push(event);
  };
  const learn = (key: Key, at: number): void => {
    if (!keys.has(key.label)) {
      keys.set(key.label, key);
      note({ do: 'issue key', at, key: key.label });
    }
  };
  const log: TrailLog = {
    keys,
    events: () => events,
    issued: learn,
    revoked: (secret, at) => {
      const key = [...keys.values()].find((one) => one.secret === secret);
      if (key !== undefined) {
        note({ do: 'revoke key', at, key: key.label });
      }
    },
    replaced: (items, at) => note({ do: 'replace inventory', at, items }),
    found: (items, at) => note({ do: 'replace inventory', at, items, isFound: true }),
    sent: ({ request, authorization, at }, key) => {
      if (key !== null) {
        learn(key, at);
      }
      const logged: LoggedRequest = {
        do: 'send',
        at,
        request,
        authorization,
        key: key?.label ?? null,
        endedAt: null,
        response: null,
        isRepeated: false,
      };
      markRepeated(events ?? [], logged);
      note(logged);
      return {
        received: (exchange) => {
          const { status, headers, body } = exchange.response;
          const isFirstList = !hasList && status === 200 && request.operation === 'listInventory';
          hasList ||= isFirstList;
          logged.endedAt = exchange.receivedAt;
          logged.response = {
            status,
            headers,
            body: Buffer.from(body.subarray(0, KEPT_BODY_BYTES)),
            exchange: isFirstList ? exchange : null,
          };
          exchanges.set(exchange, { log, request: logged });
        },
        lost: (endedAt) => {
          logged.endedAt = endedAt;
        },
      };
    },
    openBeside: () => openAmong(exchanges),
    find: (exchange) => exchanges.get(exchange),
  };
  return log;
}

/** The same request that got no response just now is sent again, and need not be sent twice in a repetition. */
function markRepeated(events: readonly LoggedEvent[], logged: LoggedRequest): void {
  const before = events.findLast(
    (event) =>
      event.do === 'send' &&
      event.request === logged.request &&
      isDeepStrictEqual(event.authorization, logged.authorization),
  );
  if (before?.do === 'send' && before.endedAt !== null && before.response === null) {
    before.isRepeated = true;
  }
}

/** A control client that notes in a client's log what it does to keys and to the inventory. */
export function tellingTrail(
  control: ControlClient | null,
  { log, time }: { readonly log: TrailLog | null; readonly time: Pick<Timekeeper, 'now'> },
): ControlClient | null {
  return control === null || log === null
    ? control
    : {
        ...control,
        revokeKey: (secret) => {
          log.revoked(secret, time.now());
          return control.revokeKey(secret);
        },
        replaceInventory: (items) => {
          log.replaced(items, time.now());
          return control.replaceInventory(items);
        },
      };
}
