import type { Key, RequestMessage } from '../../suites/oracle/index.ts';

/** One request of a load; the same value may be sent many times. */
export interface LoadRequest {
  readonly message: RequestMessage;
  /** The key that it presents, or `null` if the target knows none of its credentials. */
  readonly key: Key | null;
  /** Authorization field values as they go out. */
  readonly authorization: readonly string[];
  /** Names the operation in results, such as `GET /inventory`. */
  readonly operation: string;
}

/** A response as the engines hand it on; moments are milliseconds of `performance.now()`. */
export interface LoadResponse {
  readonly request: LoadRequest;
  /** What `onLeaving` returned for it. */
  readonly departure: number;
  readonly status: number;
  /** Name, value, name, value as they stood on the wire. */
  readonly rawHeaders: readonly (string | Buffer)[];
  /** `null` if the body was not kept. */
  readonly body: Buffer | null;
  /** When it was to be sent; of the closed model, when it was sent. */
  readonly dueAt: number;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** A request that was sent and not answered, or due and not sent. */
export interface LoadLoss {
  readonly request: LoadRequest;
  readonly dueAt: number;
  /** What `onLeaving` returned for it, and when; `null` if it was never sent. */
  readonly departure: number | null;
  readonly sentAt: number | null;
  readonly givenUpAt: number;
  /** Such as `ECONNRESET` or `timeout`. */
  readonly cause: string;
}

/** Receives the events of an engine while it runs. Called for every single request, so each call has to be cheap. */
export interface LoadListener {
  /** A request is due; `lag` is how many milliseconds late the generator itself is. */
  readonly onDue: (dueAt: number, lagMilliseconds: number) => void;
  /** A request leaves right now. @returns a number that tells it from all others */
  readonly onLeaving: (request: LoadRequest, sentAt: number) => number;
  /** It has left, for the first time. Autocannon does not tell when. */
  readonly onSent: (sentAt: number, dueAt: number) => void;
  /** It got no byte of an answer before the connection, which was used before, ended. @returns whether to send it once more */
  readonly onRepeat: (loss: LoadLoss) => boolean;
  readonly onResponse: (response: LoadResponse) => void;
  readonly onLoss: (loss: LoadLoss) => void;
  /** Whether the body of the response to the next request is wanted. */
  readonly wantsBody: () => boolean;
}

/** What no single request shows, known when the engine ends. */
export interface EngineEnd {
  readonly connectionsOpened: number;
  /** Moment of `performance.now()` at which the load was over: no more was due, or the signal ended it. */
  readonly endedAt: number;
  /** Why the figures are not valid, in sentences. */
  readonly invalid: readonly string[];
  /** Whether the target closed connections, or announced it, which the engine cannot open again. */
  readonly closesConnections?: true;
  /** The share of their time that the connections waited for the ceiling of the rate. */
  readonly waitedShare?: number;
}

/** Where and how an engine connects. */
export interface LoadTarget {
  /** `http://HOST:PORT` */
  readonly origin: string;
  /** Path before the operations, such as `/v1`. */
  readonly basePath: string;
  /** Header fields that the user wants on every request. */
  readonly headers: readonly (readonly [string, string])[];
  readonly timeoutMilliseconds: number;
  readonly insecure: boolean;
  /** PEM text of a certificate authority to trust beside the usual ones. */
  readonly certificateAuthority: string | null;
}

/** What a target does with a connection, as the closed model has to know it. */
export interface ConnectionBehaviour {
  /** Whether it answers several requests over one connection. */
  readonly keepsAlive: boolean;
  /** Whether every response has a Content-Length. */
  readonly sendsContentLength: boolean;
}

// What this machine lacks: descriptors, ports, room for packets.
const OWN_CAUSES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS']);

/** Whether the machine of the generator, not the target, is the cause of a loss. */
export function isOwnCause(cause: string): boolean {
  return OWN_CAUSES.has(cause);
}

/** The cause of a loss if the response took too long. */
export const TIMEOUT = 'timeout';
/** The cause of a loss if the run was interrupted. */
export const INTERRUPTED = 'interrupted';
/** The cause of a loss if it was not sent because its key is to be spared. */
export const SPARED = 'key spared';
