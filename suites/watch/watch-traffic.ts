import { SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { collectJudgements, type Judgements } from '../oracle/index.ts';
import { judgeStream, type StreamJudge } from './judge-stream.ts';
import { lacksBody, type TrafficFindings, type TrafficOptions } from './judge-recordings.ts';
import type { PassedExchange, PassedRequest, PassingListener } from './proxy/forward.ts';
import { decodeKept } from './proxy/kept-body.ts';
import { openProxy, type ProxyOptions } from './proxy/open-proxy.ts';
import { pathBelow } from './traffic/base-address.ts';
import type { TrafficExchange, TrafficRequest } from './traffic/traffic-exchange.ts';

export interface WatchOptions extends TrafficOptions, Omit<ProxyOptions, 'recorderFor' | 'now' | 'upstream'> {
  /** Share of the exchanges that are judged, above 0 and up to 1. */
  readonly sample: number;
}

/** A service watched from a proxy in front of it. */
export interface Watch {
  /** Where clients reach the service through the proxy. */
  readonly url: string;
  /** What was seen so far. */
  readonly findings: () => WatchFindings;
  readonly close: () => Promise<void>;
}

interface WatchFindings extends TrafficFindings {
  /** Exchanges that passed and were not judged: not sampled, or too many at once. */
  readonly unseen: { readonly notSampled: number; readonly overload: number };
}

// Judged one by one while nothing passes; beyond that number they are let go, so that traffic is not held up.
const MOST_WAITING = 2_000;
const AT_ONCE = 8;

/** Passes traffic on to a service and judges it. @throws if the port cannot be had */
export async function watchTraffic(options: WatchOptions): Promise<Watch> {
  const judgements = collectJudgements();
  const judge = judgeStream({ ...options, judgements, withoutAuthorization: false });
  const counts = { exchanges: 0, others: 0, withoutBody: 0, unanswered: 0, notSampled: 0, overload: 0 };
  const queue = openQueue();
  const listener = listen(options, judge, counts, queue);
  const proxy = await openProxy({
    ...options,
    upstream: new URL(options.base),
    now: Date.now,
    recorderFor: () => {
      if (Math.random() < options.sample) {
        return listener;
      }
      counts.notSampled += 1;
      queue.add(() => judge.missed(Date.now()));
      return null;
    },
  });
  return {
    url: proxy.url,
    findings: () => findingsOf(judgements, counts),
    close: async () => {
      await proxy.close();
      queue.drain();
    },
  };
}

type Counts = { -readonly [Name in 'exchanges' | 'others' | 'withoutBody' | 'unanswered']: number } & {
  notSampled: number;
  overload: number;
};

function findingsOf(judgements: Judgements, { notSampled, overload, ...seen }: Counts): WatchFindings {
  return {
    judgements: SERVER_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id)),
    observations: judgements.observations(),
    ...seen,
    unseen: { notSampled, overload },
  };
}

/** Has what passes judged, in the order in which it happened. */
function listen({ base }: WatchOptions, judge: StreamJudge, counts: Counts, queue: Queue): PassingListener {
  const { origin } = new URL(base);
  return {
    onRequest: (passed) => {
      const request = requestOf(passed, origin);
      if (pathBelow(base, request.url) === null) {
        counts.others += 1;
        return () => {};
      }
      let take: ((exchange: TrafficExchange) => void) | null = null;
      const isTold = queue.add(() => {
        take = judge.began(request);
      });
      return (exchange) => {
        const isJudged =
          isTold &&
          queue.add(() => {
            const whole = exchangeOf(exchange, request);
            counts.exchanges += 1;
            counts.unanswered += whole.response === null ? 1 : 0;
            counts.withoutBody += lacksBody(whole) ? 1 : 0;
            take?.(whole);
          });
        if (!isJudged) {
          counts.overload += 1;
          queue.addAlways(() => judge.missed(exchange.endedAt));
        }
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

interface Queue {
  /** @returns whether there was room */
  readonly add: (task: () => void) => boolean;
  readonly addAlways: (task: () => void) => void;
  /** Works off what waits. */
  readonly drain: () => void;
}

/** Tasks are worked off between the events of connections, a few at a time. */
function openQueue(): Queue {
  const tasks: (() => void)[] = [];
  let isScheduled = false;
  const work = (most: number): void => {
    for (const task of tasks.splice(0, most)) {
      task();
    }
  };
  const schedule = (): void => {
    if (!isScheduled && tasks.length > 0) {
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        work(AT_ONCE);
        schedule();
      });
    }
  };
  const addAlways = (task: () => void): void => {
    tasks.push(task);
    schedule();
  };
  return {
    add: (task) => {
      if (tasks.length >= MOST_WAITING) {
        return false;
      }
      addAlways(task);
      return true;
    },
    addAlways,
    drain: () => work(tasks.length),
  };
}
