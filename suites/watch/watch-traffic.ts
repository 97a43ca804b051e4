import { countText } from '../../contract/words/enumeration.ts';
import type { TrafficFindings, TrafficOptions } from './judge-recordings.ts';
import { startTrafficJudge, type TrafficJudge } from './judging/start-traffic-judge.ts';
import type { PassingListener } from './proxy/forward.ts';
import { openProxy, type Proxy, type ProxyOptions } from './proxy/open-proxy.ts';
import { pathBelow } from './traffic/base-address.ts';

type PlaceOptions = Omit<ProxyOptions, 'recorderFor' | 'onTunnel' | 'unanswered' | 'upstream'>;

export interface WatchOptions extends TrafficOptions, PlaceOptions {
  /** Share of the exchanges that are judged, above 0 and up to 1. */
  readonly sample: number;
  /** What runs in the thread that judges, if it is not its own module. */
  readonly judgingScript?: URL;
}

export type Watch = Awaited<ReturnType<typeof watchTraffic>>;

/** Passes traffic on to a service and judges it. @throws if the port cannot be had */
export async function watchTraffic(options: WatchOptions) {
  const { base, keys, redactor, isExclusive } = options;
  const secrets = redactor.secrets();
  const judge = await startTrafficJudge({ base, keys, isExclusive, secrets }, options.judgingScript);
  const counts = newCounts();
  const state = { isClosing: false };
  const told = tellJudge(judge, counts, state, options);
  let reason = '';
  const unanswered = (why: string): string => {
    counts.unanswered += 1;
    reason = why;
    return `The upstream ${base} did not answer: ${why}`;
  };
  let proxy: Proxy;
  try {
    proxy = await openProxy({ ...options, ...told, unanswered, upstream: new URL(base) });
  } catch (error) {
    await judge.end();
    throw error;
  }
  return {
    /** Where clients reach the service through the proxy. */
    url: proxy.url,
    /**
     * What was judged until a moment ago; after `close`, all of it. In sentences, `problem`: why not all was judged that could
     * have been, and `silence`: that the service left requests unanswered, and why; `null` if neither is so.
     */
    findings: () => {
      const { others, unseen } = counts;
      const findings: TrafficFindings = { ...judge.judged(), others };
      const silence =
        counts.unanswered === 0
          ? null
          : `The upstream ${base} did not answer ${countText(counts.unanswered, 'request')}, which got a 502 instead. Reason of the last: ${reason}. Check --upstream, and that the service runs.`;
      return { ...findings, unseen: { ...unseen }, silence, problem: problemOf(judge, counts) };
    },
    /** Frees the port, and has judged what waits. */
    close: async (): Promise<void> => {
      state.isClosing = true;
      await proxy.close();
      for (const [secret, label] of await judge.end()) {
        redactor.hide(secret, label);
      }
    },
  };
}

type Counts = ReturnType<typeof newCounts>;

/** What the proxy itself counts. */
function newCounts() {
  return {
    others: 0,
    told: 0,
    untold: 0,
    unanswered: 0,
    /** What passed and was not judged. */
    unseen: {
      notSampled: 0,
      /** Exchanges that came when too many waited to be judged. */
      overload: 0,
      /** Connections that were upgraded to another protocol. */
      upgraded: 0,
      /** Exchanges that were under way when the watch ended. */
      cutOff: 0,
    },
  };
}

function problemOf(judge: TrafficJudge, { told, untold }: Counts): string | null {
  const loss = judge.loss();
  const unjudged = told - judge.judged().exchanges + untold;
  return loss === null
    ? null
    : `Judging ended before the traffic did (${loss}), so that ${countText(unjudged, 'exchange')} passed unjudged.`;
}

/** Has what passes judged, in the order in which it happened. */
function tellJudge(
  judge: TrafficJudge,
  counts: Counts,
  state: { readonly isClosing: boolean },
  { base, sample }: Pick<WatchOptions, 'base' | 'sample'>,
): Pick<ProxyOptions, 'recorderFor' | 'onTunnel'> {
  const { origin } = new URL(base);
  let requests = 0;
  const listener: PassingListener = (request) => {
    requests += 1;
    const id = requests;
    const isTold = judge.add({ step: 'began', id, request }, request.body?.length ?? 0);
    if (!isTold) {
      if (judge.loss() === null) {
        counts.unseen.overload += 1;
      } else {
        counts.untold += 1;
      }
      judge.miss(Date.now(), 1, 0);
    }
    return (response, endedAt) => {
      if (!isTold) {
        judge.miss(Date.now(), 0, 1);
      } else if (state.isClosing && response === null) {
        // The proxy itself has cut it off, so nothing is said of the service.
        counts.unseen.cutOff += 1;
      } else {
        counts.told += 1;
        judge.follow({ step: 'ended', id, response, endedAt }, response?.body?.length ?? 0);
      }
    };
  };
  return {
    recorderFor: (target) => {
      if (pathBelow(base, origin + target) === null) {
        counts.others += 1;
        return null;
      }
      if (Math.random() < sample) {
        return listener;
      }
      counts.unseen.notSampled += 1;
      judge.miss(Date.now(), 1, 1);
      return null;
    },
    onTunnel: () => {
      counts.unseen.upgraded += 1;
      judge.miss(Date.now(), 1, 0);
      return () => judge.miss(Date.now(), 0, 1);
    },
  };
}
