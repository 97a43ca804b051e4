import type { LoadSecond } from '../../contract/load-result.ts';
import { secondOf, type SecondRecording } from '../figures/recording.ts';
import type { OutcomeCounts } from '../judging/circuit-breaker.ts';
import type { ShardProgress } from './shard-run.ts';

/** Follows how far shards are. */
export interface ShardTracker {
  /** Takes what each shard last said of itself. Returns what is new. */
  readonly look: (progress: readonly (ShardProgress | null)[]) => {
    /** How requests ended since the last look, all shards together. */
    readonly outcomes: OutcomeCounts;
    /** Seconds that every shard has reported, all shards together. */
    readonly seconds: readonly LoadSecond[];
  };
}

const NONE: OutcomeCounts = { seen: 0, failed: 0, banned: 0, refused: 0 };

export function trackShards(of: number): ShardTracker {
  let before = NONE;
  const open = new Map<number, Map<number, SecondRecording>>();
  let told = -1;
  const takeWhole = (): readonly LoadSecond[] => {
    const whole = [...open].filter(([second, parts]) => second > told && parts.size === of);
    told = Math.max(told, ...whole.map(([second]) => second));
    // Earlier seconds that a shard has not reported are dropped.
    [...open.keys()].filter((second) => second <= told).forEach((second) => open.delete(second));
    return whole.map(([second, parts]) => secondOf(second, [...parts.values()]));
  };
  return {
    look: (progress) => {
      for (const [shard, latest] of progress.map((one) => one?.latest).entries()) {
        if (latest !== undefined && latest !== null && latest.second > told) {
          const parts = open.get(latest.second) ?? new Map<number, SecondRecording>();
          open.set(latest.second, parts.set(shard, latest.recording));
        }
      }
      const all = progress.reduce((sum, one) => combine(sum, one?.outcomes ?? NONE, 1), NONE);
      const outcomes = combine(all, before, -1);
      before = all;
      return { outcomes, seconds: takeWhole() };
    },
  };
}

function combine(left: OutcomeCounts, right: OutcomeCounts, factor: 1 | -1): OutcomeCounts {
  return {
    seen: left.seen + factor * right.seen,
    failed: left.failed + factor * right.failed,
    banned: left.banned + factor * right.banned,
    refused: left.refused + factor * right.refused,
  };
}
