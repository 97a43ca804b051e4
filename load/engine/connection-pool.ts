import { Client, type Dispatcher } from 'undici';

import {
  TIMEOUT,
  type LoadLoss,
  type LoadRequest,
  type LoadResponse,
  type LoadTarget,
} from './load-request.ts';

/** A request on its way, and who is told of it; exactly one of the last two is called, once. */
interface QueuedRequest {
  readonly request: LoadRequest;
  readonly dueAt: number;
  /** Whether the body of the response is wanted; else it is read and let go. */
  readonly wantsBody: boolean;
  /** After this moment of `performance.now()` it is not sent any more. */
  readonly deadline: number;
  readonly onSent?: (sentAt: number) => void;
  readonly onResponse: (response: LoadResponse) => void;
  readonly onLoss: (loss: LoadLoss) => void;
}

/**
 * HTTP/1.1 connections to one origin that are opened as they are needed, one request at a time on each. Requests
 * wait in a queue while all are busy. While the target can't be connected to, one connection is tried at a time,
 * and ever more seldom, so that nobody is flooded.
 */
export interface ConnectionPool {
  readonly send: (queued: QueuedRequest) => void;
  /** Requests that are waiting or under way, or whose response was not told yet. */
  readonly outstanding: () => number;
  /** Connections opened so far. */
  readonly opened: () => number;
  /** Gives up whatever is outstanding, for that cause, and closes all connections. */
  readonly destroy: (cause: string) => Promise<void>;
}

interface Line {
  readonly client: Client;
  connected: boolean;
}

const UNSENT = 'no connection in time';
const BODY_TOO_LARGE = 'BODY_TOO_LARGE';
/** Of a body that nobody wants, too. */
const LARGEST_BODY_BYTES = 64 * 1024 * 1024;
// From the sending of a request to the last byte of its response, so that one that trickles on is given up.
const LONGEST_EXCHANGE_TIMEOUTS = 3;
const LOOKS_IN_A_TIMEOUT = 4;
const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 2_000;
const TIMEOUT_CODES = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT']);

/** @param most connections at once */
export function openConnectionPool(target: LoadTarget, most: number): ConnectionPool {
  const headersOf = headerCache(target);
  const idle: Line[] = [];
  const lines = new Set<Line>();
  const waiting: QueuedRequest[] = [];
  let head = 0;
  let underWay = 0;
  let opened = 0;
  let connecting = 0;
  let failures = 0;
  let pausedUntil = 0;
  let timer: NodeJS.Timeout | undefined;
  // Told once all that came in one turn of the event loop has been read, so that none waits for its stamp meanwhile.
  let untold: (() => void)[] = [];
  let destroyedFor: string | undefined;
  const answering = new Map<Dispatcher.DispatchController, number>();
  // One look at all of them now and then costs less than a timer for each.
  const looking = setInterval(() => {
    const before = performance.now() - LONGEST_EXCHANGE_TIMEOUTS * target.timeoutMilliseconds;
    for (const [controller, sentAt] of answering) {
      if (sentAt < before) {
        controller.abort(lossOf(TIMEOUT));
      }
    }
  }, target.timeoutMilliseconds / LOOKS_IN_A_TIMEOUT);

  function addLine(): Line {
    const client = new Client(target.origin, {
      pipelining: 1,
      allowH2: false,
      headersTimeout: target.timeoutMilliseconds,
      bodyTimeout: target.timeoutMilliseconds,
      connect: {
        timeout: target.timeoutMilliseconds,
        rejectUnauthorized: !target.insecure,
        ...(target.certificateAuthority === null ? {} : { ca: target.certificateAuthority }),
      },
    });
    const line: Line = { client, connected: false };
    client.on('connect', () => {
      line.connected = true;
      opened += 1;
      failures = 0;
      pausedUntil = 0;
    });
    client.on('disconnect', () => {
      line.connected = false;
    });
    lines.add(line);
    return line;
  }

  /** A connection to send on: one that is open where there is any, else one to be opened where that may be tried. */
  function take(): Line | undefined {
    const last = idle.at(-1);
    if (last?.connected === true) {
      return idle.pop();
    }
    const open = idle.findLastIndex(({ connected }) => connected);
    if (open !== -1) {
      return idle.splice(open, 1)[0];
    }
    if (failures > 0 && (connecting > 0 || performance.now() < pausedUntil)) {
      return undefined;
    }
    return idle.pop() ?? (lines.size < most ? addLine() : undefined);
  }

  function pump(): void {
    if (destroyedFor !== undefined) {
      return;
    }
    for (let queued = waiting[head]; queued !== undefined; queued = waiting[head]) {
      if (performance.now() > queued.deadline) {
        head += 1;
        lose(queued, null, UNSENT);
        continue;
      }
      const line = take();
      if (line === undefined) {
        break;
      }
      head += 1;
      dispatch(line, queued);
    }
    if (head > 1_024 && head * 2 > waiting.length) {
      waiting.splice(0, head);
      head = 0;
    }
    if (head < waiting.length && failures > 0 && timer === undefined) {
      timer = setTimeout(
        () => {
          timer = undefined;
          pump();
        },
        Math.max(1, pausedUntil - performance.now()),
      );
    }
  }

  function tell(): void {
    const told = untold;
    untold = [];
    told.forEach((onResponse) => onResponse());
  }

  function dispatch(line: Line, queued: QueuedRequest): void {
    const chunks: Buffer[] = [];
    let status = 0;
    let rawHeaders: readonly (string | Buffer)[] = [];
    let sentAt: number | null = null;
    let received = 0;
    const { request, dueAt } = queued;
    const { message } = request;
    const isNew = !line.connected;
    underWay += 1;
    connecting += isNew ? 1 : 0;
    let current: Dispatcher.DispatchController | undefined;
    const end = (): void => {
      if (current !== undefined) {
        answering.delete(current);
      }
      underWay -= 1;
      connecting -= isNew && sentAt === null ? 1 : 0;
      idle.push(line);
    };
    line.client.dispatch(
      {
        method: message.method,
        path: target.basePath + message.path,
        headers: headersOf(request),
        body: message.body,
      },
      {
        onRequestStart: (controller) => {
          sentAt = performance.now();
          answering.set(controller, sentAt);
          current = controller;
          connecting -= isNew ? 1 : 0;
          queued.onSent?.(sentAt);
        },
        onResponseStart: (controller, statusCode) => {
          status = statusCode;
          rawHeaders = Array.isArray(controller.rawHeaders) ? controller.rawHeaders : [];
        },
        onResponseData: (controller, chunk) => {
          received += chunk.length;
          if (received > LARGEST_BODY_BYTES) {
            chunks.length = 0;
            controller.abort(lossOf(BODY_TOO_LARGE));
          } else if (queued.wantsBody) {
            chunks.push(chunk);
          }
        },
        onResponseEnd: () => {
          const answeredAt = performance.now();
          untold.push(() =>
            queued.onResponse({
              request,
              status,
              rawHeaders,
              body: queued.wantsBody ? Buffer.concat(chunks) : null,
              dueAt,
              sentAt: sentAt ?? dueAt,
              answeredAt,
            }),
          );
          if (untold.length === 1) {
            setImmediate(tell);
          }
          end();
          pump();
        },
        onResponseError: (_controller, error) => {
          if (sentAt === null) {
            failures += 1;
            pausedUntil =
              performance.now() +
              Math.min(LONGEST_PAUSE_MILLISECONDS, FIRST_PAUSE_MILLISECONDS * 2 ** (failures - 1));
          }
          lose(queued, sentAt, destroyedFor ?? causeOf(error));
          end();
          pump();
        },
      },
    );
  }

  return {
    send: (queued) => {
      waiting.push(queued);
      pump();
    },
    outstanding: () => underWay + waiting.length - head + untold.length,
    opened: () => opened,
    destroy: async (cause) => {
      tell();
      destroyedFor ??= cause;
      clearTimeout(timer);
      clearInterval(looking);
      for (const queued of waiting.splice(head)) {
        lose(queued, null, cause === TIMEOUT ? UNSENT : cause);
      }
      await Promise.all([...lines].map(({ client }) => client.destroy()));
    },
  };
}

function lose({ request, dueAt, onLoss }: QueuedRequest, sentAt: number | null, cause: string): void {
  onLoss({ request, dueAt, sentAt, givenUpAt: performance.now(), cause });
}

/** The header fields of a request as they go out; built once for each request that is sent again and again. */
function headerCache({ headers }: LoadTarget): (request: LoadRequest) => string[] {
  const known = new WeakMap<LoadRequest, string[]>();
  return (request) => {
    let fields = known.get(request);
    if (fields === undefined) {
      fields = [
        ...request.authorization.flatMap((value) => ['authorization', value]),
        ...request.message.headers.flat(),
        ...headers.flat(),
      ];
      known.set(request, fields);
    }
    return fields;
  };
}

function lossOf(cause: string): Error {
  return Object.assign(new Error(cause), { code: cause });
}

function causeOf(error: Error & { readonly code?: unknown }): string {
  if (typeof error.code === 'string') {
    return TIMEOUT_CODES.has(error.code) ? TIMEOUT : error.code;
  }
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) {
    return causeOf(error.errors[0]);
  }
  return error.name;
}
