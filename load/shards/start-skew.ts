import type { ShardOutcome } from './shard-run.ts';

/** How far apart shards began, and by how much that may be wrong; in milliseconds. */
export interface StartSkew {
  readonly milliseconds: number;
  readonly uncertainty: number;
}

// Shards that start farther apart do not follow the requested schedule.
const LARGEST_MILLISECONDS = 20;

/** `null` if there is no shard. */
export function skewOf(shards: readonly Pick<ShardOutcome, 'beganAt' | 'uncertainty'>[]): StartSkew | null {
  const beginnings = shards.map(({ beganAt }) => beganAt);
  const [worst = 0, second = 0] = shards
    .map(({ uncertainty }) => uncertainty)
    .toSorted((left, right) => right - left);
  return shards.length === 0
    ? null
    : {
        milliseconds: Math.max(...beginnings) - Math.min(...beginnings),
        // Two clocks are compared; their uncertainties add up.
        uncertainty: worst + second,
      };
}

/** @param who began, such as `workers` */
export function problemOfSkew(skew: StartSkew | null, who: string): readonly string[] {
  return skew === null || skew.milliseconds <= LARGEST_MILLISECONDS
    ? []
    : [`The ${who} began ${skew.milliseconds.toFixed(0)} ms apart, so this is not the requested schedule.`];
}

export function describeSkew(workers: readonly string[], { milliseconds, uncertainty }: StartSkew): string {
  const names = workers.toSorted().join(', ');
  return workers.length === 1
    ? `The fleet was one worker (${names}).`
    : `${workers.length} workers (${names}) began within ${milliseconds.toFixed(2)} ms of each other by Redis time, give or take ${uncertainty.toFixed(2)} ms.`;
}
