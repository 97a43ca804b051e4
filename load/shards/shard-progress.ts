import type { LoadSecond } from '../../contract/load-result.ts';
import { secondOf, type SecondRecording } from '../figures/recording.ts';
import { addOutcomes, noOutcomes, type OutcomeCounts } from '../judging/circuit-breaker.ts';
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

export function trackShards(of: number): ShardTracker {
  let before = noOutcomes();
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
      const all = noOutcomes();
      progress.forEach((one) => one !== null && addOutcomes(all, one.outcomes));
      const outcomes = { ...all };
      addOutcomes(outcomes, before, -1);
      before = all;
      return { outcomes, seconds: takeWhole() };
    },
  };
}
