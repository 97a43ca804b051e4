import { countText } from '../../contract/words/enumeration.ts';
import { judgePassing } from './judge-passing.ts';
import type { TrafficFindings, TrafficOptions } from './judge-recordings.ts';
import type { PassingListener } from './proxy/forward.ts';
import { openProxy, type ProxyOptions } from './proxy/open-proxy.ts';
import { pathBelow } from './traffic/base-address.ts';

type PlaceOptions = Omit<ProxyOptions, 'recorderFor' | 'onTunnel' | 'onRefused' | 'unanswered' | 'upstream'>;

export interface WatchOptions extends TrafficOptions, PlaceOptions {
  /** Share of the exchanges that are judged, above 0 and up to 1. */
  readonly sample: number;
}

export type Watch = Awaited<ReturnType<typeof watchTraffic>>;

/** Passes traffic on to a service and judges it. @throws if the port cannot be had */
export async function watchTraffic(options: WatchOptions) {
  const { base, sample } = options;
  const { origin } = new URL(base);
  const judge = judgePassing(options);
  /** What passed and was not judged. */
  const unseen = {
    notSampled: 0,
    /** Connections that were upgraded to another protocol. */
    upgraded: 0,
    /** Requests that the proxy itself refused. */
    refused: 0,
    /** Exchanges that were under way when the watch ended. */
    cutOff: 0,
  };
  let [others, unanswered, reason, isClosing] = [0, 0, '', false];
  const listener: PassingListener = (request) => {
    const { bodyPassed, ended } = judge.began(request);
    return {
      bodyPassed,
      ended: (response, endedAt) => {
        if (isClosing && response === null) {
          // The proxy itself has cut it off, so nothing is said of the service.
          unseen.cutOff += 1;
        } else {
          ended(response, endedAt);
        }
      },
    };
  };
  const proxy = await openProxy({
    ...options,
    upstream: new URL(base),
    recorderFor: (target) => {
      if (pathBelow(base, origin + target) === null) {
        others += 1;
        return null;
      }
      if (Math.random() < sample) {
        return listener;
      }
      unseen.notSampled += 1;
      judge.missed(1, 1);
      return null;
    },
    onTunnel: () => {
      unseen.upgraded += 1;
      judge.missed(1, 0);
      return () => judge.missed(0, 1);
    },
    onRefused: () => void (unseen.refused += 1),
    unanswered: (why) => {
      unanswered += 1;
      reason = why;
      return `The upstream ${base} did not answer: ${why}`;
    },
  });
  return {
    /** Where clients reach the service through the proxy. */
    url: proxy.url,
    /**
     * What was judged so far. In sentences, `problem`: why not all was judged that could have been, and `silence`: that the
     * service left requests unanswered, and why; `null` if neither is so.
     */
    findings: () => {
      const findings: TrafficFindings = { ...judge.judged(), others };
      const silence =
        unanswered === 0
          ? null
          : `The upstream ${base} did not answer ${countText(unanswered, 'request')}, which got a 502 instead. Reason of the last: ${reason}. Check --upstream, and that the service runs.`;
      return { ...findings, unseen: { ...unseen }, silence, problem: judge.problem() };
    },
    /** Frees the port. */
    close: async (): Promise<void> => {
      isClosing = true;
      await proxy.close();
      judge.close();
    },
  };
}
