import type { Dispatcher } from 'undici';

import { createLoadConnections, type LoadConnection, type LoadConnections } from './connections.ts';
import {
  TIMEOUT,
  type LoadListener,
  type LoadLoss,
  type LoadRequest,
  type LoadResponse,
  type LoadTarget,
} from './load-request.ts';

/** A request to send, and who is told what became of it: in the end, exactly one of `onResponse` and `onLoss` is called, once. */
interface QueuedRequest {
  readonly request: LoadRequest;
  readonly dueAt: number;
  /** Whether the body of the response is wanted; otherwise it is read and dropped. */
  readonly wantsBody: boolean;
  /** After this moment of `performance.now()` it is not sent any more. */
  readonly deadline: number;
  readonly listener: Pick<LoadListener, 'onLeaving' | 'onSent' | 'onRepeat' | 'onResponse' | 'onLoss'>;
  /** Whether it was sent before. */
  readonly isRepeat?: true;
  /** Called when the listener has been told. */
  readonly onEnd?: () => void;
}

const UNSENT = 'no connection in time';
const BODY_TOO_LARGE = 'BODY_TOO_LARGE';
/** Of a body that nobody wants, too. */
const LARGEST_BODY_BYTES = 64 * 1024 * 1024;
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

/**
 * Sends one request at a time over each of its connections; requests wait in a queue while all are busy.
 * @param most connections at once
 */
export function openConnectionPool(target: LoadTarget, most: number) {
  const connections = createLoadConnections(target, most);
  const queue = createQueue<QueuedRequest>();
  const responses = createHandover();
  const overdue = abortOverdue(target.timeoutMilliseconds);
  const fieldsOf = fieldCache(target);
  const parts: ExchangeParts = {
    connections,
    responses,
    overdue,
    destroyedFor: () => destroyedFor,
    repeat: (connection, queued) => dispatch(connection, { ...queued, isRepeat: true }),
    onEnd: () => {
      underWay -= 1;
      pump();
    },
  };
  const alarm = createAlarm(pump);
  let underWay = 0;
  let destroyedFor: string | undefined;

  /** Sends whatever can be sent now. */
  function pump(): void {
    if (destroyedFor !== undefined) {
      return;
    }
    for (let queued = queue.first(); queued !== undefined; queued = queue.first()) {
      if (performance.now() > queued.deadline) {
        queue.removeFirst();
        lose(queued, lossOf(queued, null, UNSENT));
        continue;
      }
      const connection = connections.take();
      if (connection === undefined) {
        break;
      }
      queue.removeFirst();
      underWay += 1;
      dispatch(connection, queued);
    }
    const waiting = queue.first();
    if (waiting !== undefined) {
      alarm.setFor(Math.min(waiting.deadline, performance.now() + (connections.pauseLeft() ?? Infinity)));
    }
  }

  function dispatch(connection: LoadConnection, queued: QueuedRequest): void {
    const { method, path, body } = queued.request.message;
    const headers = fieldsOf(queued.request);
    const handler = followExchange(parts, connection, queued);
    connection.client.dispatch({ method, path: target.basePath + path, headers, body }, handler);
  }

  function dropWaiting(cause: string): void {
    for (const queued of queue.takeAll()) {
      lose(queued, lossOf(queued, null, cause));
    }
  }

  return {
    send: (queued: QueuedRequest): void => {
      queue.push(queued);
      pump();
    },
    /** Requests that are waiting or under way, or whose response has not been handed on yet. */
    outstanding: (): number => underWay + queue.length() + responses.pending(),
    opened: connections.opened,
    /** Sends nothing of what is waiting, for that cause. */
    dropWaiting,
    /** Gives up whatever is outstanding, for that cause, and closes all connections. */
    destroy: async (cause: string): Promise<void> => {
      responses.flush();
      destroyedFor ??= cause;
      alarm.clear();
      overdue.stop();
      dropWaiting(cause === TIMEOUT ? UNSENT : cause);
      await connections.destroy();
    },
  };
}

interface ExchangeParts {
  readonly connections: LoadConnections;
  readonly responses: ReturnType<typeof createHandover>;
  readonly overdue: ReturnType<typeof abortOverdue>;
  /** The cause of all losses once the pool is being destroyed. */
  readonly destroyedFor: () => string | undefined;
  /** Sends it once more over the same connection, which has ended and so is opened afresh. */
  readonly repeat: (connection: LoadConnection, queued: QueuedRequest) => void;
  /** The exchange is over, and its connection is idle again. */
  readonly onEnd: () => void;
}

/** A request that was sent. */
interface Departed {
  readonly departure: number;
  readonly sentAt: number;
  /** How many bytes had come over the connection before. */
  readonly bytesRead: number;
}

/** Collects the response to one request. */
function followExchange(
  { connections, responses, overdue, destroyedFor, repeat, onEnd }: ExchangeParts,
  connection: LoadConnection,
  queued: QueuedRequest,
): Dispatcher.DispatchHandler {
  const { request, wantsBody, listener, isRepeat = false } = queued;
  const isNew = !connection.isOpen;
  const body = collectBody(wantsBody);
  let status = 0;
  let rawHeaders: LoadResponse['rawHeaders'] = [];
  let current: Dispatcher.DispatchController | undefined;
  let left: Departed | null = null;
  const leave = (): void => {
    if (current !== undefined) {
      overdue.delete(current);
    } else if (isNew) {
      connections.connecting(-1);
    }
  };
  const giveBack = (): void => {
    connections.giveBack(connection);
    onEnd();
  };
  if (isNew) {
    connections.connecting(1);
  }
  return {
    onRequestStart: (controller) => {
      const sentAt = performance.now();
      left = { departure: listener.onLeaving(request, sentAt), sentAt, bytesRead: connection.bytesRead() };
      current = controller;
      overdue.add(controller, sentAt);
      if (isNew) {
        connections.connecting(-1);
      }
      if (!isRepeat) {
        listener.onSent(sentAt, queued.dueAt);
      }
    },
    onResponseStart: (controller, statusCode) => {
      // Informational responses may go on for ever.
      if (statusCode >= 200) {
        status = statusCode;
        rawHeaders = Array.isArray(controller.rawHeaders) ? controller.rawHeaders : [];
        overdue.begin(controller);
      }
    },
    onResponseData: (controller, chunk) => {
      if (!body.add(chunk)) {
        controller.abort(errorWithCode(BODY_TOO_LARGE));
      }
    },
    onResponseEnd: () => {
      const answeredAt = performance.now();
      responses.add(() => handOn(queued, left, { status, rawHeaders, body: body.whole(), answeredAt }));
      // It may be the reason to send nothing more.
      if (status === 429) {
        responses.flush();
      }
      leave();
      giveBack();
    },
    onResponseError: (_controller, error) => {
      if (left === null) {
        connections.failed();
      }
      leave();
      const gaveUp = destroyedFor();
      const loss = lossOf(queued, left, gaveUp ?? causeOf(error));
      const isMissed = gaveUp === undefined && !isRepeat && wasMissed(connection, left, loss.cause);
      if (isMissed && listener.onRepeat(loss)) {
        repeat(connection, queued);
        return;
      }
      lose(queued, loss);
      giveBack();
    },
  };
}

/** Keeps a body if it is wanted. */
function collectBody(isWanted: boolean) {
  let chunks: Buffer[] = [];
  let received = 0;
  return {
    /** @returns whether it is not too large */
    add: (chunk: Buffer): boolean => {
      received += chunk.length;
      if (received > LARGEST_BODY_BYTES) {
        chunks = [];
        return false;
      }
      if (isWanted) {
        chunks.push(chunk);
      }
      return true;
    },
    whole: (): Buffer | null => (isWanted ? Buffer.concat(chunks) : null),
  };
}

/**
 * Whether a connection that was used before ended without the first byte of an answer, so that the target may never have got
 * the request: a client may then send it again (RFC 9110, 9.2.2), as no request of a load does more if it comes twice.
 */
function wasMissed(connection: LoadConnection, left: Departed | null, cause: string): boolean {
  return (
    left !== null && left.bytesRead > 0 && connection.bytesRead() === left.bytesRead && cause !== TIMEOUT
  );
}

/** Hands responses over once all that came in one turn of the event loop is read, so that none waits for its stamp. */
function createHandover() {
  let pending: (() => void)[] = [];
  const flush = (): void => {
    const due = pending;
    pending = [];
    due.forEach((handOver) => handOver());
  };
  return {
    add: (handOver: () => void): void => {
      pending.push(handOver);
      if (pending.length === 1) {
        setImmediate(flush);
      }
    },
    pending: (): number => pending.length,
    flush,
  };
}

// From the sending of a request to the last byte of its response, so that one that trickles on is given up.
const LONGEST_EXCHANGE_TIMEOUTS = 3;

/** Aborts exchanges that take too long. One timer for all of them costs less than one for each, and is as punctual. */
function abortOverdue(timeoutMilliseconds: number) {
  const deadlines = new Map<Dispatcher.DispatchController, number>();
  const alarm = createAlarm(() => {
    const now = performance.now();
    for (const [controller, deadline] of deadlines) {
      if (deadline <= now) {
        controller.abort(errorWithCode(TIMEOUT));
      } else {
        alarm.setFor(deadline);
      }
    }
  });
  return {
    add: (controller: Dispatcher.DispatchController, sentAt: number): void => {
      deadlines.set(controller, sentAt + timeoutMilliseconds);
      alarm.setFor(sentAt + timeoutMilliseconds);
    },
    /** The response begins, and gets longer to end. */
    begin: (controller: Dispatcher.DispatchController): void => {
      const deadline = deadlines.get(controller);
      if (deadline !== undefined) {
        deadlines.set(controller, deadline + (LONGEST_EXCHANGE_TIMEOUTS - 1) * timeoutMilliseconds);
      }
    },
    delete: (controller: Dispatcher.DispatchController): void => void deadlines.delete(controller),
    stop: alarm.clear,
  };
}

/** A timer for the earliest of the moments that it is set for. */
function createAlarm(ring: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let due = Number.POSITIVE_INFINITY;
  return {
    setFor: (moment: number): void => {
      if (moment >= due) {
        return;
      }
      clearTimeout(timer);
      due = moment;
      timer = setTimeout(() => {
        due = Number.POSITIVE_INFINITY;
        ring();
      }, millisecondsUntil(moment));
    },
    clear: (): void => clearTimeout(timer),
  };
}

/** What a timer of Node has to be set to so that it is not early. */
function millisecondsUntil(moment: number): number {
  return Math.max(1, Math.ceil(moment - performance.now()));
}

/** First in, first out; what was removed is cut off from time to time, since to move the rest each time is slow. */
function createQueue<Item>() {
  const items: Item[] = [];
  let head = 0;
  return {
    push: (item: Item): void => void items.push(item),
    first: (): Item | undefined => items[head],
    removeFirst: (): void => {
      head += 1;
      if (head > 1_024 && head * 2 > items.length) {
        items.splice(0, head);
        head = 0;
      }
    },
    length: (): number => items.length - head,
    takeAll: (): readonly Item[] => items.splice(head),
  };
}

function handOn(
  { request, dueAt, listener, onEnd }: QueuedRequest,
  left: Departed | null,
  response: Omit<LoadResponse, 'request' | 'departure' | 'dueAt' | 'sentAt'>,
): void {
  const { departure, sentAt } = left ?? { departure: 0, sentAt: dueAt };
  listener.onResponse({ ...response, request, departure, dueAt, sentAt });
  onEnd?.();
}

function lose({ listener, onEnd }: QueuedRequest, loss: LoadLoss): void {
  listener.onLoss(loss);
  onEnd?.();
}

function lossOf({ request, dueAt }: QueuedRequest, left: Departed | null, cause: string): LoadLoss {
  const { departure, sentAt } = left ?? { departure: null, sentAt: null };
  return { request, departure, dueAt, sentAt, givenUpAt: performance.now(), cause };
}

/** The header fields of a request as they go out; built once for each request that is sent again and again. */
function fieldCache({ headers }: LoadTarget): (request: LoadRequest) => string[] {
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

function errorWithCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function causeOf(error: Error & { readonly code?: unknown }): string {
  if (typeof error.code === 'string') {
    return error.code === CONNECT_TIMEOUT ? TIMEOUT : error.code;
  }
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) {
    return causeOf(error.errors[0]);
  }
  return error.name;
}
