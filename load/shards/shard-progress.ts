import type { LoadSecond } from '../../contract/load-result.ts';
import { secondOf, type SecondRecording } from '../figures/recording.ts';
import type { OutcomeCounts } from '../judging/circuit-breaker.ts';
import type { ShardProgress } from './shard-run.ts';

/** What a shard says of itself now and then. */
export interface ShardReport {
  /** Counts its reports. */
  readonly beat: number;
  readonly progress: ShardProgress | null;
}

/** Follows the reports of shards. Moments are milliseconds of any clock that never goes back. */
export interface ShardTracker {
  /** Takes the last report of each shard. Returns what is new. */
  readonly look: (reports: readonly (ShardReport | undefined)[], now: number) => News;
  /** Shards that reported, and then not for too long, with the moment of the last report. */
  readonly silent: (now: number) => readonly { readonly shard: number; readonly heardAt: number }[];
}

interface News {
  /** How requests ended since the last look, all shards together. */
  readonly outcomes: OutcomeCounts;
  /** Seconds that every shard has reported, all shards together. */
  readonly seconds: readonly LoadSecond[];
}

interface Heard {
  beat: number;
  at: number;
  outcomes: OutcomeCounts;
}

const NONE: OutcomeCounts = { seen: 0, failed: 0, banned: 0, refused: 0 };

/** @param longestSilence milliseconds */
export function trackShards(of: number, longestSilence: number): ShardTracker {
  const heard = new Map<number, Heard>();
  const seconds = new Map<number, Map<number, SecondRecording>>();
  return {
    look: (reports, now) => {
      let outcomes = NONE;
      for (const [shard, report] of reports.entries()) {
        const known = heard.get(shard);
        if (report === undefined || report.beat === known?.beat) {
          continue;
        }
        const latest = report.progress?.outcomes ?? known?.outcomes ?? NONE;
        outcomes = combine(outcomes, latest, 1);
        outcomes = combine(outcomes, known?.outcomes ?? NONE, -1);
        heard.set(shard, { beat: report.beat, at: now, outcomes: latest });
        const second = report.progress?.latest ?? null;
        if (second !== null) {
          const parts = seconds.get(second.second) ?? new Map<number, SecondRecording>();
          parts.set(shard, second.recording);
          seconds.set(second.second, parts);
        }
      }
      return { outcomes, seconds: takeWhole() };
    },
    silent: (now) =>
      [...heard].flatMap(([shard, { at }]) => (now - at > longestSilence ? [{ shard, heardAt: at }] : [])),
  };

  function takeWhole(): readonly LoadSecond[] {
    const whole: LoadSecond[] = [];
    for (const [second, parts] of seconds) {
      if (parts.size === of) {
        whole.push(secondOf(second, [...parts.values()]));
        // Earlier seconds that a shard has not reported are dropped.
        for (const earlier of seconds.keys()) {
          if (earlier <= second) {
            seconds.delete(earlier);
          }
        }
      }
    }
    return whole;
  }
}

function combine(left: OutcomeCounts, right: OutcomeCounts, factor: 1 | -1): OutcomeCounts {
  return {
    seen: left.seen + factor * right.seen,
    failed: left.failed + factor * right.failed,
    banned: left.banned + factor * right.banned,
    refused: left.refused + factor * right.refused,
  };
}
