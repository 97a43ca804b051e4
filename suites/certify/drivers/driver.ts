import type { JsonValue } from '../../../contract/json/index.ts';
import type { ClientTask } from '../scenarios/scenario.ts';

/** What a client is told, beside its task. */
export interface ClientOrder {
  /** Of the scenario; also the id of a jsonl request. */
  readonly id: string;
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly task: ClientTask;
}

/** What a client says of its operation; the driver contract of interfaces.md. */
export type ClientReply =
  | { readonly ok: true; readonly value: JsonValue }
  | {
      readonly ok: false;
      /** As it was written: a member may have any type, `null` if it is missing. */
      readonly error: { readonly code: JsonValue; readonly message: JsonValue; readonly status: JsonValue };
    };

/** How a client ended. `output` is what it wrote to stdout and stderr, cut to a readable length. */
export type ClientOutcome =
  | { readonly kind: 'replied'; readonly reply: ClientReply; readonly output: string }
  /** It ended otherwise than the driver contract says; `problem` says how, in a sentence. `ofMany` if it gets many orders. */
  | { readonly kind: 'broken'; readonly problem: string; readonly output: string; readonly ofMany?: true }
  /**
   * It was ended, with its children, since the signal asked for that; `mute` if it keeps running from order to order
   * and has never replied, `replied` if it was started for the order, had replied and did not exit.
   */
  | { readonly kind: 'ended'; readonly output: string; readonly mute?: true; readonly replied?: true }
  /** What the client made of it is not known: the verdict comes from the traffic alone. */
  | { readonly kind: 'unknown' };

/** Has a client perform operations. */
export interface ClientDriver {
  /**
   * `each`: a client is started for each order; `one`: one client serves them all, and may let one wait for another;
   * `nobody`: the first request comes whenever somebody sends it.
   */
  readonly starts: 'each' | 'one' | 'nobody';
  /**
   * Performs one operation.
   * @param end aborts if the client is to be ended
   * @throws if the client cannot be started at all
   */
  readonly perform: (order: ClientOrder, end: AbortSignal) => Promise<ClientOutcome>;
  /** How long the client was ready to work at the order with that key and got no processor; in seconds, 0 if nobody knows. */
  readonly processorDelay: (apiKey: string) => number;
  /** For how long the client that works at the order with that key has written nothing; in seconds, Infinity if nobody knows. */
  readonly quietSeconds: (apiKey: string) => number;
  /** Whether the client has written lines that were meant as replies, and none that is one. */
  readonly garbles: () => boolean;
  /** Ends whatever still runs. */
  readonly close: () => Promise<void>;
}

/** How a client is started. */
export interface ClientCommand {
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Of all clients, so that one is judged alike on each machine. East of Greenwich, so that a date in GMT that is read as
 * one in local time has passed already. A system that does not know the zone takes it for UTC.
 */
export const CLIENT_TIME_ZONE = 'Asia/Tokyo';

/** The environment without any order, with a time zone, and with no proxy before the counterparty, whatever that of the parent process holds. */
export function withoutOrder(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...withoutProxy(environment, 'localhost,127.0.0.1,::1'),
    TZ: CLIENT_TIME_ZONE,
    STOCKCHECK_BASE_URL: undefined,
    STOCKCHECK_API_KEY: undefined,
    STOCKCHECK_OPERATION: undefined,
    STOCKCHECK_PET_ID: undefined,
    STOCKCHECK_QUANTITY: undefined,
  };
}

/** A proxy elsewhere cannot reach what listens on this machine; two spellings of the variable are in use. */
function withoutProxy(environment: NodeJS.ProcessEnv, hosts: string): NodeJS.ProcessEnv {
  const before = environment['no_proxy'] ?? environment['NO_PROXY'] ?? '';
  const all = before === '' ? hosts : `${before},${hosts}`;
  return { ...environment, NO_PROXY: all, no_proxy: all };
}

/** The environment with an order, as the driver contract names its variables. */
export function withOrder(
  environment: NodeJS.ProcessEnv,
  { baseUrl, apiKey, task }: ClientOrder,
): NodeJS.ProcessEnv {
  return {
    ...withoutProxy(withoutOrder(environment), new URL(baseUrl).hostname),
    STOCKCHECK_BASE_URL: baseUrl,
    STOCKCHECK_API_KEY: apiKey,
    STOCKCHECK_OPERATION: task.operation,
    ...(task.operation === 'updateInventory'
      ? { STOCKCHECK_PET_ID: String(task.petId), STOCKCHECK_QUANTITY: String(task.quantity) }
      : {}),
  };
}
