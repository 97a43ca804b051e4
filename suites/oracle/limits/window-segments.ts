import type { Span } from './timeline.ts';

const MOST_SEGMENTS = 120;

/** A limit that was used up and asked for again before its window was over. */
export interface AskedEarly {
  /** From before the first request to a later one that was granted. */
  readonly letIn: readonly Span[];
  /** From after the first request to a later one that was refused. */
  readonly refused: readonly Span[];
}

/**
 * Whether a window that is counted in equal segments of the clock could have ended within every span of those that were
 * let in, and within none of those that were refused. One segment is a window aligned to the clock; sixty to a minute are
 * a clock of whole seconds.
 * @param marginSeconds what the ends of segments may differ by
 */
export function segmentsExplain(
  { letIn, refused }: AskedEarly,
  windowSeconds: number,
  marginSeconds: number,
): boolean {
  for (let segments = 1; segments <= MOST_SEGMENTS; segments += 1) {
    const length = windowSeconds / segments;
    const arcOf = ({ from, to }: Span, margin: number): Arc => ({
      from: from / 1000 - margin,
      length: (to - from) / 1000 - (windowSeconds - length) + 2 * margin,
    });
    const within = letIn.map((span) => arcOf(span, marginSeconds));
    const outside = refused.map((span) => arcOf(span, -marginSeconds));
    if (haveCommonEnd(within, outside, length)) {
      return true;
    }
  }
  return false;
}

/** When the segment of the first request has to end for the others to end in time, too; in seconds. */
interface Arc {
  readonly from: number;
  /** Below zero if no segment can. */
  readonly length: number;
}

function haveCommonEnd(within: readonly Arc[], outside: readonly Arc[], segment: number): boolean {
  // If there is such a moment, there is one where an arc begins, or just after one ends.
  const moments = [
    ...within.map(({ from }) => from),
    ...outside.map(({ from, length }) => from + Math.max(0, length) + JUST_AFTER),
  ];
  return (
    moments.length === 0 ||
    moments.some(
      (moment) =>
        within.every((arc) => contains(arc, moment, segment)) &&
        !outside.some((arc) => contains(arc, moment, segment)),
    )
  );
}

const JUST_AFTER = 1e-6;

function contains({ from, length }: Arc, moment: number, segment: number): boolean {
  const offset = (((moment - from) % segment) + segment) % segment;
  return length >= segment || (length >= 0 && offset <= length);
}
