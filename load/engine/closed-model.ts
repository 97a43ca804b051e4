import type { EventEmitter } from 'node:events';

import autocannon from 'autocannon';

import { runLoops } from './closed-loops.ts';
import type { ConnectionBehaviour } from './connection-probe.ts';
import {
  TIMEOUT,
  type EngineEnd,
  type LoadListener,
  type LoadRequest,
  type LoadResponse,
  type LoadTarget,
} from './load-request.ts';
import { contentLengthOf, firstValueOf, isNamed, fieldNameOf } from './quick-headers.ts';

/** Each connection sends its next request when the last one is answered: as much as the target can take. */
export interface ClosedModel {
  readonly model: 'closed';
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second, all connections together, that are never exceeded; no limit by default. */
  readonly maxRate?: number;
  /** Moment of `performance.now()` before which nothing is sent, if the rate is bounded. */
  readonly firstSlotAt?: number;
  readonly source: RequestSource;
}

/** What is sent: the same few requests again and again, which autocannon does fastest, or each one made when it is due. */
type RequestSource =
  | {
      readonly kind: 'cycles';
      /** What a connection sends in turn; the connections are numbered from 0. */
      readonly requests: (connection: number) => readonly LoadRequest[];
      /** Autocannon can measure no target that closes connections, and keeps no body without a Content-Length. */
      readonly behaviour: ConnectionBehaviour;
    }
  | {
      readonly kind: 'each';
      /** The next request of all connections together, or `null` if there are no more. */
      readonly next: () => LoadRequest | null;
    };

// Autocannon cannot bound its rate, but it cannot reach this one either.
const OUT_OF_REACH = 60_000;

/** Runs the closed model: autocannon, or plain loops if the target closes connections or the rate is bounded. */
export function runClosedModel(
  target: LoadTarget,
  model: ClosedModel,
  listener: LoadListener,
  signal: AbortSignal,
): Promise<EngineEnd> {
  const { source, connections, seconds, maxRate = Number.POSITIVE_INFINITY } = model;
  // Autocannon sends the same bytes again and again.
  const canRepeat = target.sendsTraceparent !== true && maxRate >= OUT_OF_REACH;
  if (source.kind === 'cycles' && source.behaviour.keepsAlive && canRepeat) {
    const runCycles = source.behaviour.sendsContentLength ? runAutocannon : runSampled;
    return runCycles(target, { connections, seconds, requests: source.requests }, listener, signal);
  }
  const nextOf =
    source.kind === 'each' ? () => source.next : (connection: number) => cycleOf(source.requests(connection));
  const slot = model.firstSlotAt === undefined ? {} : { firstSlotAt: model.firstSlotAt };
  return runLoops(target, { connections, seconds, maxRate, nextOf, ...slot }, listener, signal);
}

interface Cycles {
  readonly connections: number;
  readonly seconds: number;
  readonly requests: (connection: number) => readonly LoadRequest[];
}

/** Autocannon, and one connection beside it that keeps bodies: without a length nobody knows where one begins. */
async function runSampled(
  target: LoadTarget,
  cycles: Cycles,
  listener: LoadListener,
  signal: AbortSignal,
): Promise<EngineEnd> {
  const { connections, seconds, requests } = cycles;
  if (connections === 1) {
    return runAutocannon(target, cycles, listener, signal);
  }
  const over = new AbortController();
  const sampled = runLoops(
    target,
    {
      connections: 1,
      seconds,
      maxRate: Number.POSITIVE_INFINITY,
      nextOf: () => cycleOf(requests(connections - 1)),
    },
    listener,
    AbortSignal.any([signal, over.signal]),
  );
  try {
    const end = await runAutocannon(target, { ...cycles, connections: connections - 1 }, listener, signal);
    over.abort();
    const { connectionsOpened } = await sampled;
    return { ...end, connectionsOpened: end.connectionsOpened + connectionsOpened };
  } finally {
    over.abort();
    await sampled;
  }
}

// Of 64 kB at most.
const MOST_CHUNKS = 1_024;

// How often it looks whether it should end.
const SAMPLE_MILLISECONDS = 100;

async function runAutocannon(
  { origin, basePath, headers, timeoutMilliseconds }: LoadTarget,
  { connections, seconds, requests }: Cycles,
  listener: LoadListener,
  signal: AbortSignal,
): Promise<EngineEnd> {
  let opened = 0;
  let lost = 0;
  let closes = false;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const setupClient = (client: autocannon.Client): void => {
    const cycle = requests(opened);
    opened += 1;
    client.setRequests(
      cycle.map(({ message, authorization }) => ({
        method: methodOf(message.method),
        path: basePath + message.path,
        headers: Object.fromEntries([
          ...authorization.map((value) => ['Authorization', value] as const),
          ...message.headers,
          ...headers,
        ]),
        ...(message.body === null ? {} : { body: Buffer.from(message.body) }),
      })),
    );
    trackClient(client, cycle, listener, {
      onLost: () => {
        lost += 1;
      },
      onClosing: () => {
        closes = true;
        instance.stop?.();
      },
    });
  };
  const instance = autocannon(
    {
      url: origin,
      connections,
      duration: seconds,
      timeout: Math.ceil(timeoutMilliseconds / 1000),
      sampleInt: SAMPLE_MILLISECONDS,
      excludeErrorStats: true,
      setupClient,
    },
    (error: unknown) => (error === null || error === undefined ? resolve() : reject(error)),
  );
  const onAbort = (): void => instance.stop?.();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) {
    onAbort();
  }
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  const invalid =
    lost === 0
      ? []
      : [
          `${lost === 1 ? 'A connection was' : `${lost} connections were`} lost and not opened again, so fewer connections than announced sent the load.`,
        ];
  return { connectionsOpened: opened, invalid, ...(closes || lost > 0 ? { closesConnections: true } : {}) };
}

/** Matches the answers of one connection with what it sent, and gives it up when an answer is lost. */
function trackClient(
  client: autocannon.Client,
  cycle: readonly LoadRequest[],
  listener: LoadListener,
  { onLost, onClosing }: { readonly onLost: () => void; readonly onClosing: () => void },
): void {
  let sent = 0;
  let answered = 0;
  let sentAt = 0;
  let departure = 0;
  let answeredAt = 0;
  let rawHeaders: LoadResponse['rawHeaders'] = [];
  let chunks: Buffer[] | null = null;
  let ended = false;
  const requestAt = (index: number): LoadRequest | undefined => cycle[index % cycle.length];
  const lose = (cause: string): void => {
    const request = requestAt(answered);
    if (!ended && request !== undefined) {
      ended = true;
      onLost();
      listener.onDue(sentAt, 0);
      listener.onLoss({ request, departure, dueAt: sentAt, sentAt, givenUpAt: performance.now(), cause });
    }
    if ('destroy' in client && typeof client.destroy === 'function') {
      client.destroy();
    }
  };
  // Its types know only some of its events.
  const events: EventEmitter = client;
  events.on('request', () => {
    // It sends again although the last answer is missing: the connection was closed in between.
    if (sent > answered) {
      lose('ECONNRESET');
      return;
    }
    // It sends right after it has reported an answer.
    sentAt = sent === 0 ? performance.now() : answeredAt;
    const request = requestAt(sent);
    departure = request === undefined ? 0 : listener.onLeaving(request, sentAt);
    sent += 1;
  });
  events.on('headers', (head: unknown) => {
    rawHeaders = rawHeadersOf(head);
    chunks = listener.wantsBody() ? [] : null;
    if (isClosing(rawHeaders)) {
      onClosing();
    }
  });
  client.on('body', (chunk) => {
    chunks?.push(chunk);
    // A body that is not kept is judged by its headers alone.
    if (chunks !== null && chunks.length > MOST_CHUNKS) {
      chunks = null;
    }
  });
  client.on('response', (status) => {
    const request = requestAt(answered);
    answered += 1;
    answeredAt = performance.now();
    if (request !== undefined && !ended) {
      listener.onDue(sentAt, 0);
      listener.onSent(sentAt);
      const body = chunks === null ? null : bodyOf(chunks, contentLengthOf(rawHeaders));
      listener.onResponse({
        request,
        departure,
        status,
        rawHeaders,
        body,
        dueAt: sentAt,
        sentAt,
        answeredAt,
      });
    }
  });
  events.on('timeout', () => lose(TIMEOUT));
  events.on('connError', (error: unknown) =>
    lose(error instanceof Error && 'code' in error ? String(error.code) : 'connection error'),
  );
}

/** What autocannon calls a body is all that was read along with it, the header section included. */
function bodyOf(chunks: readonly Buffer[], length: number | undefined): Buffer | null {
  const read = Buffer.concat(chunks);
  return length === undefined || length > read.length ? null : read.subarray(read.length - length);
}

const CONNECTION = fieldNameOf('connection');
const CLOSE = fieldNameOf('close');

/** Whether the connection ends with this response. */
function isClosing(rawHeaders: LoadResponse['rawHeaders']): boolean {
  const value = firstValueOf(rawHeaders, CONNECTION);
  return value?.length === CLOSE.lowerCase.length && isNamed(value, CLOSE);
}

function rawHeadersOf(head: unknown): LoadResponse['rawHeaders'] {
  return typeof head === 'object' && head !== null && 'headers' in head && Array.isArray(head.headers)
    ? head.headers
    : [];
}

const METHODS = ['GET', 'PATCH', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'] as const;

function methodOf(method: string): (typeof METHODS)[number] {
  const found = METHODS.find((known) => known === method);
  if (found === undefined) {
    throw new Error(`The closed model cannot send ${method}`);
  }
  return found;
}

function cycleOf(requests: readonly LoadRequest[]): () => LoadRequest | null {
  let index = 0;
  return () => {
    index += 1;
    return requests[(index - 1) % requests.length] ?? null;
  };
}
