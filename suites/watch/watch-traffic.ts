import { SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { collectJudgements } from '../oracle/index.ts';
import { judgeStream, type StreamJudge } from './judge-stream.ts';
import { openJudgingQueue, type JudgingQueue } from './judging-queue.ts';
import { lacksBody, type TrafficFindings, type TrafficOptions } from './judge-recordings.ts';
import type { PassedExchange, PassedRequest, PassingListener } from './proxy/forward.ts';
import { decodeKept } from './proxy/kept-body.ts';
import { openProxy, type ProxyOptions } from './proxy/open-proxy.ts';
import { pathBelow } from './traffic/base-address.ts';
import type { SeenKey } from './traffic/callers.ts';
import type { TrafficExchange, TrafficRequest } from './traffic/traffic-exchange.ts';

type PlaceOptions = Omit<ProxyOptions, 'recorderFor' | 'onTunnel' | 'now' | 'upstream'>;

export interface WatchOptions extends TrafficOptions, PlaceOptions {
  /** Share of the exchanges that are judged, above 0 and up to 1. */
  readonly sample: number;
  /** Unix milliseconds; those of this machine if it is not given. */
  readonly now?: () => number;
  /** Takes each exchange with the service that was judged. */
  readonly onExchange?: (exchange: TrafficExchange) => void;
}

/** A service watched from a proxy in front of it. */
export interface Watch {
  /** Where clients reach the service through the proxy. */
  readonly url: string;
  /** What was seen so far. */
  readonly findings: () => WatchFindings;
  /** The keys that were seen and are remembered; the one that was presented last comes last. */
  readonly keys: () => readonly SeenKey[];
  readonly close: () => Promise<void>;
}

interface WatchFindings extends TrafficFindings {
  readonly unseen: UnseenTraffic;
}

/** What passed and was not judged. */
interface UnseenTraffic {
  /** Exchanges. */
  readonly notSampled: number;
  /** Exchanges that came when too many waited to be judged. */
  readonly overload: number;
  /** Connections that were upgraded to another protocol. */
  readonly upgraded: number;
  /** Exchanges that were under way when the watch ended. */
  readonly cutOff: number;
}

type Counts = { -readonly [Name in keyof UnseenTraffic]: number } & {
  -readonly [Name in 'exchanges' | 'others' | 'withoutBody' | 'unanswered']: number;
};

/** Passes traffic on to a service and judges it. @throws if the port cannot be had */
export async function watchTraffic(options: WatchOptions): Promise<Watch> {
  const { base, sample, now = Date.now } = options;
  const judgements = collectJudgements();
  const judge = judgeStream({ ...options, judgements, withoutAuthorization: false });
  const queue = openJudgingQueue((begun, ended) => judge.missed(now(), begun, ended));
  const counts: Counts = {
    exchanges: 0,
    others: 0,
    withoutBody: 0,
    unanswered: 0,
    notSampled: 0,
    overload: 0,
    upgraded: 0,
    cutOff: 0,
  };
  const state = { isClosing: false };
  const listener = listen(options, judge, counts, queue, state);
  const { origin } = new URL(base);
  const proxy = await openProxy({
    ...options,
    upstream: new URL(base),
    now,
    recorderFor: (target) => {
      if (pathBelow(base, origin + target) === null) {
        counts.others += 1;
        return null;
      }
      if (Math.random() < sample) {
        return listener;
      }
      counts.notSampled += 1;
      queue.miss(1, 1);
      return null;
    },
    onTunnel: () => {
      counts.upgraded += 1;
      queue.miss(1, 0);
      return () => queue.miss(0, 1);
    },
  });
  return {
    url: proxy.url,
    keys: judge.callers.keys,
    findings: () => {
      const { notSampled, overload, upgraded, cutOff, ...seen } = counts;
      return {
        judgements: SERVER_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id)),
        observations: judgements.observations(),
        ...seen,
        unseen: { notSampled, overload, upgraded, cutOff },
      };
    },
    close: async () => {
      state.isClosing = true;
      await proxy.close();
      queue.drain();
    },
  };
}

/** Has what passes judged, in the order in which it happened. */
function listen(
  { base, onExchange }: WatchOptions,
  judge: StreamJudge,
  counts: Counts,
  queue: JudgingQueue,
  state: { readonly isClosing: boolean },
): PassingListener {
  const { origin } = new URL(base);
  return {
    onRequest: (passed) => {
      let take: ((exchange: TrafficExchange) => void) | null = null;
      let request: TrafficRequest | null = null;
      const isTold = queue.add(() => {
        request = requestOf(passed, origin);
        take = judge.began(request);
      }, passed.requestBody?.length ?? 0);
      if (!isTold) {
        counts.overload += 1;
        queue.miss(1, 0);
      }
      return (exchange) => {
        if (!isTold) {
          queue.miss(0, 1);
          return;
        }
        // The proxy itself has cut it off, so nothing is said of the service.
        if (state.isClosing && exchange.response === null) {
          counts.cutOff += 1;
          return;
        }
        queue.follow(() => {
          const whole = exchangeOf(exchange, request ?? requestOf(passed, origin));
          counts.exchanges += 1;
          counts.unanswered += whole.response === null ? 1 : 0;
          counts.withoutBody += lacksBody(whole) ? 1 : 0;
          take?.(whole);
          onExchange?.(whole);
        }, exchange.response?.body?.length ?? 0);
      };
    },
  };
}

function requestOf(
  { method, target, requestHeaders, requestBody, sentAt }: PassedRequest,
  origin: string,
): TrafficRequest {
  const body = decodeKept(requestBody, requestHeaders);
  const hasBody = requestHeaders.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  return {
    method,
    url: origin + target,
    headers: requestHeaders,
    body: body?.length === 0 && !hasBody ? null : body,
    sentAt,
  };
}

function exchangeOf({ response, endedAt }: PassedExchange, request: TrafficRequest): TrafficExchange {
  return {
    request,
    response: response === null ? null : { ...response, body: decodeKept(response.body, response.headers) },
    endedAt,
  };
}
