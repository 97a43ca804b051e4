import { countText } from '../../contract/words/enumeration.ts';
import type { TrafficFindings, TrafficOptions } from './judge-recordings.ts';
import { startTrafficJudge, type TrafficJudge } from './judging/start-traffic-judge.ts';
import type { PassingListener } from './proxy/forward.ts';
import { openProxy, type Proxy, type ProxyOptions } from './proxy/open-proxy.ts';
import { pathBelow } from './traffic/base-address.ts';

type PlaceOptions = Omit<ProxyOptions, 'recorderFor' | 'onTunnel' | 'unanswered' | 'now' | 'upstream'>;

export interface WatchOptions extends TrafficOptions, PlaceOptions {
  /** Share of the exchanges that are judged, above 0 and up to 1. */
  readonly sample: number;
  /** Unix milliseconds; those of this machine if it is not given. */
  readonly now?: () => number;
  /** What runs in the thread that judges, if it is not its own module. */
  readonly judgingScript?: URL;
}

/** A service watched from a proxy in front of it. */
export interface Watch {
  /** Where clients reach the service through the proxy. */
  readonly url: string;
  /** What was judged until a moment ago; after `close`, all of it. */
  readonly findings: () => WatchFindings;
  /** Frees the port, and has judged what waits. */
  readonly close: () => Promise<void>;
}

interface WatchFindings extends TrafficFindings {
  readonly unseen: UnseenTraffic;
  /** Why not all was judged that could have been, in sentences; `null` if nothing went wrong. */
  readonly problem: string | null;
  /** That the service left requests unanswered, and why, in sentences; `null` if it did not. */
  readonly silence: string | null;
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

/** What the proxy itself counts. */
type Counts = {
  -readonly [Name in keyof UnseenTraffic | 'others' | 'told' | 'untold' | 'unanswered']: number;
};

/** Passes traffic on to a service and judges it. @throws if the port cannot be had */
export async function watchTraffic(options: WatchOptions): Promise<Watch> {
  const { base, keys, redactor, isExclusive, now = Date.now } = options;
  const secrets = redactor.secrets();
  const judge = await startTrafficJudge({ base, keys, isExclusive, secrets }, options.judgingScript);
  const counts: Counts = {
    others: 0,
    told: 0,
    untold: 0,
    unanswered: 0,
    notSampled: 0,
    overload: 0,
    upgraded: 0,
    cutOff: 0,
  };
  const state = { isClosing: false };
  const told = tellJudge(judge, counts, state, { ...options, now });
  let reason = '';
  const unanswered = (why: string): string => {
    counts.unanswered += 1;
    reason = why;
    return `The upstream ${base} did not answer: ${why}`;
  };
  let proxy: Proxy;
  try {
    proxy = await openProxy({ ...options, ...told, unanswered, upstream: new URL(base), now });
  } catch (error) {
    await judge.end();
    throw error;
  }
  return {
    url: proxy.url,
    findings: () => {
      const { others, notSampled, overload, upgraded, cutOff } = counts;
      const judged = judge.judged();
      const unseen = { notSampled, overload, upgraded, cutOff };
      const silence =
        counts.unanswered === 0
          ? null
          : `The upstream ${base} did not answer ${countText(counts.unanswered, 'request')}, which got a 502 instead. Reason of the last: ${reason}. Check --upstream, and that the service runs.`;
      return { ...judged, others, unseen, silence, problem: problemOf(judge, counts) };
    },
    close: async () => {
      state.isClosing = true;
      await proxy.close();
      for (const [secret, label] of await judge.end()) {
        redactor.hide(secret, label);
      }
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
  { base, sample, now }: Pick<WatchOptions, 'base' | 'sample'> & Pick<ProxyOptions, 'now'>,
): Pick<ProxyOptions, 'recorderFor' | 'onTunnel'> {
  const { origin } = new URL(base);
  let requests = 0;
  const listener: PassingListener = (request) => {
    requests += 1;
    const id = requests;
    const isTold = judge.add({ step: 'began', id, request }, request.body?.length ?? 0);
    if (!isTold) {
      counts[judge.loss() === null ? 'overload' : 'untold'] += 1;
      judge.miss(now(), 1, 0);
    }
    return (response, endedAt) => {
      if (!isTold) {
        judge.miss(now(), 0, 1);
      } else if (state.isClosing && response === null) {
        // The proxy itself has cut it off, so nothing is said of the service.
        counts.cutOff += 1;
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
      counts.notSampled += 1;
      judge.miss(now(), 1, 1);
      return null;
    },
    onTunnel: () => {
      counts.upgraded += 1;
      judge.miss(now(), 1, 0);
      return () => judge.miss(now(), 0, 1);
    },
  };
}
