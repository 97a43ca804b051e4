import type { EventEmitter } from 'node:events';

import type { Client } from 'autocannon';

import {
  isOwnCause,
  TIMEOUT,
  type LoadListener,
  type LoadRequest,
  type LoadResponse,
} from './load-request.ts';
import { contentLengthOf, firstValueOf, isNamed } from './quick-headers.ts';

// Of 64 kB at most.
const MOST_CHUNKS = 1_024;

// A timer may be a little early.
const TIMER_MILLISECONDS = 5;

/** The cause of a loss if more than one response came to the request before. */
const UNASKED = 'HPE_UNASKED_RESPONSE';

interface Tracking {
  readonly timeoutMilliseconds: number;
  /** Whether nothing more is to be sent. */
  readonly isOver: () => boolean;
  /** The connection is given up. */
  readonly onLost: (cause: string) => void;
  /** The target announces that it closes the connection. */
  readonly onClosing: () => void;
}

/**
 * Matches the answers of one connection with what it sent, and gives it up when it breaks down. What is under way when all
 * is over is still waited for.
 * @returns gives up what is under way
 */
export function trackClient(
  client: Client,
  cycle: readonly LoadRequest[],
  listener: LoadListener,
  { timeoutMilliseconds, isOver, onLost, onClosing }: Tracking,
): (cause: string) => void {
  let sent = 0;
  let answered = 0;
  let sentAt = 0;
  let departure = 0;
  let answeredAt = 0;
  const response = collectResponse(listener, onClosing);
  let ended = false;
  const requestAt = (index: number): LoadRequest | undefined => cycle[index % cycle.length];
  const end = (): void => {
    ended = true;
    destroy(client);
  };
  const tellLoss = (cause: string): void => {
    const request = requestAt(answered);
    const givenUpAt = performance.now();
    const at = sent > answered ? sentAt : givenUpAt;
    if (sent <= answered) {
      listener.onDue(givenUpAt, 0);
    }
    if (request !== undefined) {
      listener.onLoss({ request, departure, dueAt: at, sentAt: leftAt(at, cause), givenUpAt, cause });
    }
  };
  const lose = (cause: string): void => {
    if (!ended) {
      onLost(cause);
      tellLoss(cause);
    }
    end();
  };
  const onRequest = (): void => {
    if (ended) {
      return;
    }
    // It sends again although the last answer is missing: it has given that up, or the connection was closed.
    if (sent > answered) {
      const isTimeout = performance.now() - sentAt >= timeoutMilliseconds - TIMER_MILLISECONDS;
      if (!isTimeout || isOver() || response.hasBegun()) {
        lose(isTimeout ? TIMEOUT : 'ECONNRESET');
        return;
      }
      tellLoss(TIMEOUT);
      answered += 1;
      answeredAt = performance.now();
    }
    response.expect();
    // It sends right after it has reported an answer.
    sentAt = sent === 0 ? performance.now() : answeredAt;
    const request = requestAt(sent);
    listener.onDue(sentAt, 0);
    departure = request === undefined ? 0 : listener.onLeaving(request, sentAt);
    sent += 1;
  };
  const onResponse = (status: number): void => {
    if (response.isUnasked()) {
      lose(UNASKED);
      return;
    }
    const request = requestAt(answered);
    answered += 1;
    answeredAt = performance.now();
    if (request === undefined || ended) {
      return;
    }
    const times = { dueAt: sentAt, sentAt, answeredAt };
    listener.onResponse({ request, departure, status, ...response.parts(), ...times });
    if (isOver()) {
      end();
    }
  };
  followEvents(client, { ...response, onRequest, onResponse, onError: lose });
  return lose;
}

/** Autocannon says that it sends before it is connected. */
function leftAt(sentAt: number, cause: string): number | null {
  return isOwnCause(cause) || cause === 'ECONNREFUSED' ? null : sentAt;
}

function destroy(client: Client): void {
  // Its types do not know that it can be.
  if ('destroy' in client && typeof client.destroy === 'function') {
    client.destroy();
  }
}

/** Collects the response to one request after the other. */
function collectResponse(listener: LoadListener, onClosing: () => void) {
  let rawHeaders: LoadResponse['rawHeaders'] = [];
  let chunks: Buffer[] | null = null;
  let isUnasked = false;
  const settle = (): void => {
    isUnasked = false;
  };
  return {
    /** A request leaves. What comes until all is read that came with the response before cannot be that to it. */
    expect: (): void => {
      rawHeaders = [];
      isUnasked = true;
      queueMicrotask(settle);
    },
    isUnasked: (): boolean => isUnasked,
    hasBegun: (): boolean => rawHeaders.length > 0,
    onHeaders: (head: unknown): void => {
      rawHeaders = rawHeadersOf(head);
      chunks = listener.wantsBody() ? [] : null;
      if (isClosing(rawHeaders)) {
        onClosing();
      }
    },
    onBody: (chunk: unknown): void => {
      if (chunks === null || !Buffer.isBuffer(chunk)) {
        return;
      }
      chunks.push(chunk);
      // A body that is not kept is judged by its headers alone.
      chunks = chunks.length > MOST_CHUNKS ? null : chunks;
    },
    parts: (): Pick<LoadResponse, 'rawHeaders' | 'body'> => ({
      rawHeaders,
      body: chunks === null ? null : bodyOf(chunks, contentLengthOf(rawHeaders)),
    }),
  };
}

interface EventListener {
  readonly onRequest: () => void;
  readonly onHeaders: (head: unknown) => void;
  readonly onBody: (chunk: unknown) => void;
  readonly onResponse: (status: number) => void;
  readonly onError: (cause: string) => void;
}

/** Takes the events of a connection. Autocannon would take figures of its own from some, which nobody reads. */
function followEvents(
  client: Client,
  { onRequest, onHeaders, onBody, onResponse, onError }: EventListener,
): void {
  // Its types know only some of its events.
  const events: EventEmitter = client;
  const emit = events.emit.bind(events);
  // Several of them come with each response.
  events.emit = (name: string | symbol, ...values: readonly unknown[]) => {
    switch (name) {
      case 'request':
        onRequest();
        return true;
      case 'headers':
        onHeaders(values[0]);
        return true;
      case 'body':
        onBody(values[0]);
        return true;
      case 'response':
        onResponse(Number(values[0]));
        return true;
      default:
        return emit(name, ...values);
    }
  };
  events.on('connError', (error: unknown) =>
    onError(error instanceof Error && 'code' in error ? String(error.code) : 'connection error'),
  );
}

/** What autocannon calls a body is all that was read along with it, the header section included. */
function bodyOf(chunks: readonly Buffer[], length: number | undefined): Buffer | null {
  const read = Buffer.concat(chunks);
  return length === undefined || length > read.length ? null : read.subarray(read.length - length);
}

const CONNECTION = 'connection';
const CLOSE = 'close';

/** Whether the connection ends with this response. */
function isClosing(rawHeaders: LoadResponse['rawHeaders']): boolean {
  const value = firstValueOf(rawHeaders, CONNECTION);
  return value?.length === CLOSE.length && isNamed(value, CLOSE);
}

function rawHeadersOf(head: unknown): LoadResponse['rawHeaders'] {
  return typeof head === 'object' && head !== null && 'headers' in head && Array.isArray(head.headers)
    ? head.headers
    : [];
}
