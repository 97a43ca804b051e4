import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { addressOf, listInventory } from '../../suites/target/index.ts';
import type { LoadListener, LoadLoss, LoadRequest, LoadResponse, LoadTarget } from './load-request.ts';
import type { HeaderField } from '../../contract/verdict.ts';
import { newUsage, type Key } from '../../suites/oracle/index.ts';
import { keyed } from '../measuring/load-mix.ts';

export const REQUEST: LoadRequest = sampleRequest();

export function loadTargetAt(url: string, timeoutMilliseconds = 60_000): LoadTarget {
  return {
    ...addressOf(url),
    headers: [],
    timeoutMilliseconds,
    insecure: false,
    certificateAuthority: null,
  };
}

/** Everything that an engine tells, in its order. */
export interface Told {
  readonly listener: LoadListener;
  readonly due: number[];
  readonly sent: number[];
  readonly repeats: LoadLoss[];
  readonly responses: LoadResponse[];
  readonly losses: LoadLoss[];
  readonly lags: number[];
}

/** @param onResponse called after each response is kept */
export function tellEngine(onResponse: (count: number) => void = () => {}): Told {
  const told = {
    due: new Array<number>(),
    sent: new Array<number>(),
    repeats: new Array<LoadLoss>(),
    responses: new Array<LoadResponse>(),
    losses: new Array<LoadLoss>(),
    lags: new Array<number>(),
  };
  let departures = 0;
  return {
    ...told,
    listener: {
      onDue: (dueAt, lag) => {
        told.due.push(dueAt);
        told.lags.push(lag);
      },
      onLeaving: () => {
        departures += 1;
        return departures;
      },
      onSent: (sentAt) => told.sent.push(sentAt),
      onRepeat: (loss) => told.repeats.push(loss) > 0,
      onResponse: (response) => {
        told.responses.push(response);
        onResponse(told.responses.length);
      },
      onLoss: (loss) => told.losses.push(loss),
      wantsBody: () => true,
    },
  };
}

/** Starts a server that answers 40 requests; then it hangs, and would for an hour, and the signal comes. */
export async function startHanging(): Promise<{
  readonly target: LoadTarget;
  readonly signal: AbortSignal;
  readonly openConnections: () => number;
}> {
  const stop = new AbortController();
  const open = new Set<unknown>();
  let answered = 0;
  const url = await startHttpServer(
    (_incoming, outgoing) => {
      answered += 1;
      if (answered <= 40) {
        outgoing.end('[]');
      } else {
        stop.abort();
      }
    },
    (server) =>
      server.on('connection', (socket) => {
        open.add(socket);
        socket.on('close', () => open.delete(socket));
      }),
  );
  return { target: loadTargetAt(url, 3_600_000), signal: stop.signal, openConnections: () => open.size };
}

/** A signal that is never given. */
export function never(): AbortSignal {
  return new AbortController().signal;
}

/** A key that nobody has used, issued for a load. */
export function sampleKey(changes: Partial<Key> = {}): Key {
  return {
    label: 'enterprise#load1',
    secret: 'secret',
    plan: 'enterprise',
    limits: null,
    issued: true,
    usedToday: 0,
    usage: newUsage(),
    ...changes,
  };
}

/** A request for the list. */
export function sampleRequest(key: Key = sampleKey()): LoadRequest {
  return keyed(listInventory(), key);
}

/** A response 200 without fields or body to a request that took no time. */
export function sampleResponse(changes: Partial<LoadResponse> = {}): LoadResponse {
  const { sentAt = 0 } = changes;
  return {
    request: sampleRequest(),
    departure: 0,
    status: 200,
    rawHeaders: [],
    body: null,
    dueAt: sentAt,
    sentAt,
    answeredAt: sentAt,
    ...changes,
  };
}

/** Fields as they stand on the wire. */
export function rawHeadersOf(fields: readonly HeaderField[]): readonly string[] {
  return fields.flat();
}
