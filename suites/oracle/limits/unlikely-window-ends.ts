import type { ServerClock } from '../server-clock.ts';
import type { Accusation } from '../history-monitor.ts';
import { holdsEdge } from './margin.ts';
import type { Span } from './timeline.ts';

interface WindowEndOptions {
  /** Of a window, in milliseconds. */
  readonly length: number;
  /** Windows that are aligned to a clock end at multiples of this; seconds. */
  readonly edges: number;
  /** What is less likely than this is no coincidence. */
  readonly leastLikely: number;
}

// What is likelier tells nothing.
const MOST_LIKELY = 0.05;
// The first ones tell enough.
const MOST_SEEN = 12;

/**
 * Keeps what only a window explains that made room within a moment. Windows may end at any time, but not again and again at
 * those at which it is asked. Nothing is noted unless it is known when minutes and hours begin for the server.
 */
export function followUnlikelyWindowEnds(clock: ServerClock, options: WindowEndOptions) {
  const { length, edges, leastLikely } = options;
  let seen: { readonly accusation: Accusation; readonly stretch: Span; readonly chance: number }[] = [];
  return {
    /**
     * @param accusation what is to be said if it is none
     * @param places how many moments within a window would explain it
     * @returns all that no coincidence explains any more
     */
    note: (accusation: Accusation, stretch: Span, places: number): readonly Accusation[] => {
      if (holdsEdge(clock, stretch, edges)) {
        return [];
      }
      const chance = (places * Math.max(0, stretch.to - stretch.from)) / length;
      if (chance > MOST_LIKELY) {
        return [];
      }
      const rivals = seen.filter((other) => overlap(other.stretch, stretch, length));
      // Windows of the same phase explain both, so that one of the two tells as much.
      if (rivals.some((rival) => rival.chance <= chance) || seen.length >= MOST_SEEN) {
        return isBeyond(seen, leastLikely) ? [accusation] : [];
      }
      seen = [...seen.filter((other) => !rivals.includes(other)), { accusation, stretch, chance }];
      return isBeyond(seen, leastLikely) ? seen.map((one) => one.accusation) : [];
    },
  };
}

function isBeyond(seen: readonly { readonly chance: number }[], leastLikely: number): boolean {
  return seen.length > 0 && seen.reduce((product, { chance }) => product * chance, 1) < leastLikely;
}

/** Whether windows of one phase may end in both. */
function overlap(one: Span, other: Span, length: number): boolean {
  const shift = (((other.from - one.from) % length) + length) % length;
  return shift <= one.to - one.from || length - shift <= other.to - other.from;
}
