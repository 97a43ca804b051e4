import { MINUTE_SECONDS } from '../../contract/plans.ts';

/** A stretch of time; milliseconds of the timekeeper. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

// What two clocks may differ by.
const MARGIN_SECONDS = 0.5;

/**
 * Whether one boundary a window, always at the same second of it, could lie in every one of these spans. Windows
 * that are aligned to a clock have such boundaries; if none fits, what the spans show is no window's end.
 */
export function haveCommonBoundary(spans: readonly Span[], windowSeconds = MINUTE_SECONDS): boolean {
  // If spans have a moment of the window in common, one of them begins at such a moment.
  return spans.length === 0 || spans.some(({ from }) => spans.every((span) => contains(span, from)));

  function contains(span: Span, moment: number): boolean {
    const length = (span.to - span.from) / 1000 + 2 * MARGIN_SECONDS;
    const offset = ((moment - span.from) / 1000) % windowSeconds;
    return length >= windowSeconds || (offset + windowSeconds) % windowSeconds <= length;
  }
}
