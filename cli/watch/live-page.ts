import { requirement } from '../../contract/requirements/index.ts';
import { LIVE_SECONDS, renderWatchPage, type LiveTraffic, type LiveWatchEvent } from '../../reports/index.ts';
import type { PassedExchange, Watch } from '../../suites/watch/index.ts';
import { openLiveServer, type LiveServer } from '../shared/live/open-live-server.ts';

/** A page that follows a watch. */
export interface WatchPage extends Pick<LiveServer<LiveWatchEvent>, 'url' | 'close'> {
  /** Takes an exchange that is judged. */
  readonly note: (exchange: Pick<PassedExchange, 'sentAt' | 'response' | 'endedAt'>) => void;
  /** Tells the page of the second that has passed, and of what was seen so far. */
  readonly tick: (watch: Watch) => void;
}

// At more than so many exchanges a second the percentiles are those of the first ones.
const MOST_TIMES = 10_000;

/**
 * @param port 0 for any that is free
 * @throws {ConfigurationError} if the port cannot be listened on
 */
export async function openWatchPage(port: number, base: string): Promise<WatchPage> {
  const { url, tell, close } = await openLiveServer<LiveWatchEvent>({
    port,
    page: renderWatchPage(base),
    keep: (past, { kind }) =>
      (kind === 'traffic' ? past.filter((event) => event.kind !== 'traffic') : past).slice(-LIVE_SECONDS),
  });
  let second = emptySecond();
  return {
    url,
    close,
    note: ({ sentAt, response, endedAt }) => {
      if (response === null) {
        second.lost += 1;
        return;
      }
      second.answered += 1;
      const family = `${Math.floor(response.status / 100)}xx`;
      second.statuses[family] = (second.statuses[family] ?? 0) + 1;
      if (second.times.length < MOST_TIMES) {
        second.times.push(endedAt - sentAt);
      }
    },
    tick: (watch) => {
      const { times, ...counts } = second;
      second = emptySecond();
      times.sort((a, b) => a - b);
      tell({ kind: 'second', ...counts, p50: at(times, 0.5), p99: at(times, 0.99) });
      tell(shownOf(watch));
    },
  };
}

function emptySecond() {
  const statuses: Record<string, number> = {};
  const times: number[] = [];
  return { answered: 0, lost: 0, statuses, times };
}

/** @param sorted in ascending order */
function at(sorted: readonly number[], share: number): number | null {
  return sorted[Math.ceil(share * sorted.length) - 1] ?? null;
}

function shownOf(watch: Watch): LiveTraffic {
  const { judgements, exchanges, unseen } = watch.findings();
  const musts = judgements.filter(({ id }) => requirement(id).level === 'must');
  return {
    kind: 'traffic',
    exchanges,
    unseen: unseen.notSampled + unseen.overload,
    judged: musts.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail').length,
    musts: musts.length,
    keys: watch
      .keys()
      .toReversed()
      .map(({ label, activity: { requests, lastStatus } }) => ({ label, requests, lastStatus })),
    violations: judgements
      .filter(({ outcome }) => outcome === 'fail')
      .map(({ id, findings, tallies }) => ({
        id,
        level: requirement(id).level,
        message: findings[0]?.message ?? '',
        times: tallies.reduce((sum, { failed }) => sum + failed, 0),
      })),
  };
}
