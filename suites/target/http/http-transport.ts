import { buildConnector, Client, Pool, type Dispatcher } from 'undici';

import { countText } from '../../../contract/words/enumeration.ts';
import { fieldsOf } from '../../../contract/field-names.ts';
import { findJsonExcess, mayExceed } from '../../../contract/json/index.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import { condense, type ResponseMessage } from '../../oracle/index.ts';
import { decodeContent, letGo, createMutex, type Mutex, unreadableBody } from './received-body.ts';
import {
  followConnection,
  mayBeStray,
  nothingReused,
  type AnswerBefore,
  type Reuse,
  type ReusedConnection,
} from './reused-connections.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';
import { markFields, speakFreely, type WrittenForm } from './written-requests.ts';

/** No response came: refused, reset, timed out or broken HTTP. `code` is the system's or undici's. */
export class TransportError extends Error {
  readonly code: string;
  /** How long a request that was taken got nothing, or nothing more, of a response until it was given up; 0 if that was not why. */
  readonly silentMilliseconds: number;
  /** What was answered on its connection just before, if nothing came of a response or a stray one. */
  readonly before: AnswerBefore | null;

  constructor(message: string, code: string, silentMilliseconds = 0, before: AnswerBefore | null = null) {
    super(message);
    this.before = before;
    this.name = 'TransportError';
    this.code = code;
    this.silentMilliseconds = silentMilliseconds;
  }
}

/** Code of an answer that is another one than the service's to the request. */
const STRAY_ANSWER = 'STRAY_ANSWER';
const IDLE_TIMEOUT = 'IDLE_TIMEOUT';
const HEAD_TIMEOUT = 'HEAD_TIMEOUT';
const BODY_TIMEOUT = 'BODY_TIMEOUT';
const BODY_CUT = 'BODY_CUT';
/** Code of a page by which a gateway says that it got no response. */
export const GATEWAY_PAGE = 'GATEWAY_PAGE';
export const BODY_TOO_LARGE = 'BODY_TOO_LARGE';

/** Codes of connections that the other side closed. */
export const CLOSED_CODES: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Codes of responses that did not come in time. */
export const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  HEAD_TIMEOUT,
  BODY_TIMEOUT,
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes of responses that began, so that there is somebody who answers. */
export const ANSWERED_CODES: ReadonlySet<string> = new Set([BODY_TIMEOUT, BODY_CUT, BODY_TOO_LARGE]);

// From the sending of a request to the last byte of its response, so that one that trickles on is given up.
const LONGEST_EXCHANGE_TIMEOUTS = 3;
const HURRIED_SHARE = 1 / 4;

export interface TransportOptions {
  /**
   * Milliseconds that the target may take for the header section of a response. While its body goes on coming, the
   * whole exchange may take three times as long.
   */
  readonly timeoutMilliseconds: number;
  readonly insecure: boolean;
  /** PEM text of a certificate authority to trust beside the usual ones. */
  readonly certificateAuthority: string | null;
}

export interface WireRequest extends WrittenForm {
  /** The whole request target, sent as it is. */
  readonly path: string;
  readonly headers: readonly HeaderField[];
  /** Whether the specification names it, so that a stray answer can be told from one to it. */
  readonly isDocumented?: boolean;
  /** Whether it goes out on a new connection. */
  readonly isApart?: boolean;
  /** Whether it is not waited for as long as usual. */
  readonly isHurried?: boolean;
}

/** Connections to one origin; at most `size` at once, one request at a time on each. */
export interface ConnectionPool {
  /** @param longBodies has long bodies wait for each other */
  send(request: WireRequest, longBodies?: Mutex): Promise<ResponseMessage>;
  /** Ends idle and busy connections alike. */
  destroy(): Promise<void>;
}

/**
 * Opens a pool of HTTP/1.1 connections that neither follows redirects nor tries again nor changes a header.
 * @param reuse what it takes part in finding out about connections that are used again
 */
export function openConnections(
  origin: string,
  size: number,
  options: TransportOptions,
  reuse: Reuse = nothingReused(),
): ConnectionPool {
  const takenBy: Dispatching['takenBy'] = new WeakMap();
  const open = (connections: number): Pool =>
    new Pool(origin, {
      connections,
      factory: (url, settings) => followedClient(url, settings, reuse, takenBy),
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: LARGEST_HEADER_BYTES,
      // Its own timeouts begin anew with each informational response.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: readingOn(
        buildConnector({
          timeout: options.timeoutMilliseconds,
          rejectUnauthorized: !options.insecure,
          ...(options.certificateAuthority === null ? {} : { ca: options.certificateAuthority }),
        }),
      ),
    });
  const pool = open(size);
  const apart = new Set<Pool>();
  const sendApart = async (request: WireRequest, dispatching: Dispatching): Promise<ResponseMessage> => {
    const own = open(1);
    apart.add(own);
    try {
      return await dispatch(own, request, dispatching);
    } finally {
      apart.delete(own);
      await own.destroy();
    }
  };
  return {
    send: (request, longBodies = createMutex()) => {
      const share = request.isHurried === true ? HURRIED_SHARE : 1;
      const timeoutMilliseconds = options.timeoutMilliseconds * share;
      const dispatching = { timeoutMilliseconds, longBodies, takenBy, reuse };
      return request.isApart === true
        ? sendApart(request, dispatching)
        : dispatch(pool, request, dispatching);
    },
    destroy: async () => {
      await Promise.all([pool, ...apart].map((one) => one.destroy()));
    },
  };
}

/** Has `use` send over connections that end with it. */
export async function overPool<Result>(
  pool: ConnectionPool,
  use: (pool: ConnectionPool) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(pool);
  } finally {
    await pool.destroy();
  }
}

const unlessClosed =
  (done: (error?: Error | null) => void) =>
  (failure?: Error | null): void =>
    done(hasCode(failure) && CLOSED_CODES.has(failure.code) ? null : failure);

/** Connections on which what could not be written leaves what has come to be read (RFC 9112, section 9.5). */
function readingOn(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...[error, socket]) => {
      // Without one undici leaves the second argument out.
      if (error !== null) {
        callback(error, null);
        return;
      }
      speakFreely(socket, unlessClosed);
      callback(null, socket);
    });
  };
}

/** One connection of a pool, which says of each request that it takes what became of the one before. */
function followedClient(url: URL, settings: object, reuse: Reuse, takenBy: Dispatching['takenBy']): Client {
  const client = new Client(url, settings);
  const connection = followConnection(reuse);
  client.on('connect', connection.begin).on('disconnect', connection.begin);
  const take = client.dispatch.bind(client);
  client.dispatch = (options, handler) => {
    takenBy.set(handler, connection);
    return take(options, handler);
  };
  return client;
}

// From here on a body waits until the one before it has been read.
const LONG_BODY_BYTES = 2 * 1024 * 1024;
/** The longest body that is read, packed and unpacked. */
const LARGEST_BODY_BYTES = 64 * 1024 * 1024;
const MOST = inMegabytes(LARGEST_BODY_BYTES);
/** The longest header section that is read: policies and links of a gateway may take tens of kilobytes. */
export const LARGEST_HEADER_BYTES = 256 * 1024;
const HEADERS_OVERFLOW = 'UND_ERR_HEADERS_OVERFLOW';

interface Dispatching {
  readonly timeoutMilliseconds: number;
  readonly longBodies: Mutex;
  /** Which connection has taken what receives a response. */
  readonly takenBy: WeakMap<Dispatcher.DispatchHandler, ReusedConnection>;
  readonly reuse: Reuse;
}

function dispatch(pool: Pool, request: WireRequest, options: Dispatching): Promise<ResponseMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<ResponseMessage>();
  try {
    pool.dispatch(
      {
        path: request.path,
        method: request.method,
        headers: markFields(request.headers, request).flat(),
        body: request.body,
        ...(options.reuse.isAvoided ? { reset: true } : {}),
      },
      receiver(request, options, { resolve, reject }),
    );
  } catch (error) {
    reject(transportError(error));
  }
  return promise;
}

type ResponseHead = Pick<ResponseMessage, 'status' | 'headers'>;

interface Settling {
  readonly resolve: (response: ResponseMessage) => void;
  readonly reject: (error: TransportError) => void;
}

/** Receives one response, which may be long, late, or never end. */
function receiver(
  request: WireRequest,
  { timeoutMilliseconds, longBodies, takenBy, reuse }: Dispatching,
  settling: Settling,
): Dispatcher.DispatchHandler {
  let connection: ReusedConnection | undefined;
  let before: AnswerBefore | null = null;
  let message: ResponseHead | undefined;
  let watchdog: Watchdog | undefined;
  const chunks: Buffer[] = [];
  let received = 0;
  let turn: Promise<() => void> | undefined;
  const end = (): void => {
    watchdog?.stop();
    // Whoever asked for this body is to have read it before the next one comes.
    setImmediate(() => void turn?.then((release) => release()));
  };
  const finish = (error?: Error): void => {
    end();
    if (error !== undefined && !isWhole(error, message, received)) {
      settling.reject(transportError(error, message?.status));
      return;
    }
    const answer = message ?? { status: 0, headers: [] };
    connection?.answer(request, answer, before);
    const on = connection && { connection: connection.name() };
    settle({ ...answer, ...on, body: Buffer.concat(chunks.splice(0)) }, settling);
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      connection = takenBy.get(handler);
      before = connection?.leave() ?? null;
      watchdog = startWatchdog(timeoutMilliseconds, LONGEST_EXCHANGE_TIMEOUTS, (waited, isSilent) => {
        if (message === undefined) {
          const reason = `no whole header section of an answer came within ${timeoutMilliseconds / 1000} s`;
          controller.abort(new TransportError(reason, HEAD_TIMEOUT, timeoutMilliseconds, before));
        } else {
          const reason = `an answer ${message.status} began and had not ended after ${Math.round(waited / 1000)} s and ${countText(received, 'byte')} of its body`;
          controller.abort(new TransportError(reason, BODY_TIMEOUT, isSilent ? timeoutMilliseconds : 0));
        }
      });
    },
    onResponseStart(controller, status) {
      // Informational responses may come any number of times (RFC 9110, section 15.2).
      if (status >= 200) {
        message = { status, headers: readRawHeaders(controller.rawHeaders) };
        watchdog?.comesOn();
        const stray = idleTimeout(message, connection) ?? strayAnswer(request, message, before, reuse);
        if (stray !== null) {
          controller.abort(stray);
          return;
        }
        const announced = announcedLength(message.headers);
        if (announced > LARGEST_BODY_BYTES && request.method !== 'HEAD') {
          controller.abort(
            tooLarge(`is ${inMegabytes(announced)} long, more than the ${MOST} that are judged`),
          );
        }
      }
    },
    onResponseData(controller, chunk) {
      received += chunk.length;
      watchdog?.comesOn();
      if (received > LARGEST_BODY_BYTES) {
        chunks.length = 0;
        controller.abort(tooLarge(`is longer than the ${MOST} that are judged`));
        return;
      }
      chunks.push(chunk);
      if (received > LONG_BODY_BYTES && turn === undefined) {
        turn = waitForTurn(longBodies, controller, watchdog);
      }
    },
    onResponseEnd: () => finish(),
    onResponseError: (_controller, error) => finish(error),
  };
  return handler;
}

/** undici takes spaces behind a Content-Length for further digits, which are none of its value (RFC 9110, section 5.5). */
function isWhole(error: Error, message: ResponseHead | undefined, received: number): boolean {
  const isMismatch = 'code' in error && error.code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
  return isMismatch && message !== undefined && received === announcedLength(message.headers);
}

/** What may have left before any request came, as the connection had been idle (RFC 9110, section 15.5.9). */
function idleTimeout(
  { status, headers }: ResponseHead,
  connection?: ReusedConnection,
): TransportError | null {
  const closes = headerValues(headers, 'Connection').some((value) => /\bclose\b/i.test(value));
  return status === 408 && closes && connection?.isReused() === true
    ? new TransportError('a connection that had been idle was closed with 408', IDLE_TIMEOUT)
    : null;
}

/** What came, if it cannot be told from a stray answer as long as none was seen after such an answer before. */
function strayAnswer(
  request: WireRequest,
  answer: ResponseHead,
  before: AnswerBefore | null,
  { answered }: Reuse,
): TransportError | null {
  if (
    request.isDocumented !== true ||
    before === null ||
    answered.has(before.words) ||
    !mayBeStray(request, answer)
  ) {
    return null;
  }
  const { status } = answer;
  const reason = `the answer ${status} is not the service's to this request`;
  return new TransportError(reason, STRAY_ANSWER, 0, { ...before, stray: status });
}

/** Unpacks a response, and reads it if its list is long. */
function settle({ body, ...answer }: ResponseMessage, { resolve, reject }: Settling): void {
  const unpacked = decodeContent(body, answer.headers, LARGEST_BODY_BYTES, unreadableBody(body));
  if (unpacked === null) {
    reject(tooLarge(`is longer, when it is unpacked, than the ${MOST} that are judged`));
    return;
  }
  const whole = { ...answer, body: unpacked };
  const response = condense(whole);
  const excess = response.longList?.list ? undefined : findExcess(whole.body);
  if (response !== whole) {
    letGo(whole.body);
  }
  if (excess === undefined) {
    resolve(response);
  } else {
    reject(tooLarge(`holds ${excess}`));
  }
}

/** @returns what lets the next one in */
async function waitForTurn(
  longBodies: Mutex,
  controller: Pick<Dispatcher.DispatchController, 'pause' | 'resume'>,
  watchdog: Watchdog | undefined,
): Promise<() => void> {
  controller.pause();
  watchdog?.pause(true);
  const release = await longBodies.acquire();
  watchdog?.pause(false);
  controller.resume();
  return release;
}

function tooLarge(how: string): TransportError {
  return new TransportError(`the body of the response ${how}`, BODY_TOO_LARGE);
}

const JSON_BEGINS = /^\s*[[{]/;

/** What of a body that looks like JSON is more than is read. */
function findExcess(body: Buffer): string | undefined {
  const beginning = body.toString('latin1', 0, 1_001);
  return JSON_BEGINS.test(beginning) && mayExceed(beginning)
    ? findJsonExcess(body.length, (index) => body[index] ?? 0)
    : undefined;
}

/** To a tenth, and rounded up, so that what is too long does not seem to fit. */
function inMegabytes(bytes: number): string {
  return `${Math.ceil((bytes / (1024 * 1024)) * 10) / 10} MB`;
}

function announcedLength(headers: readonly HeaderField[]): number {
  const [length = ''] = headerValues(headers, 'Content-Length');
  return /^\d+$/.test(length) ? Number(length) : 0;
}

function readRawHeaders(raw: unknown): readonly HeaderField[] {
  if (!Array.isArray(raw)) {
    return [];
  }
  const texts = raw.map((part: unknown) => (Buffer.isBuffer(part) ? part.toString('latin1') : String(part)));
  return fieldsOf(texts).map(([name, value]) => [name, value.trim()]);
}

/** @param status of an answer that began */
function transportError(error: unknown, status?: number): TransportError {
  if (error instanceof TransportError) {
    return error;
  }
  if (error instanceof AggregateError && error.errors[0] instanceof Error) {
    return transportError(error.errors[0]);
  }
  const code = hasCode(error) ? error.code : 'UNKNOWN';
  if (code === HEADERS_OVERFLOW) {
    const most = LARGEST_HEADER_BYTES / 1024;
    return new TransportError(
      `the header section of the response is longer than the ${most} KB that are read`,
      BODY_TOO_LARGE,
    );
  }
  const message = error instanceof Error && error.message !== '' ? error.message : code;
  return status !== undefined && CLOSED_CODES.has(code)
    ? new TransportError(`an answer ${status} began, and its connection was closed before its end`, BODY_CUT)
    : new TransportError(message, code);
}

function hasCode(error: unknown): error is { readonly code: string } {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';
}
