import { MINUTE_SECONDS } from '../contract/plans.ts';

/** A stretch of time; milliseconds of the timekeeper. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

// Resolution at which phases of the minute are told apart, and what two clocks may differ by.
const STEP_SECONDS = 0.5;
const MARGIN_SECONDS = 0.5;

/**
 * Whether one boundary a minute, always at the same second of it, could lie in every one of these spans. Windows
 * that are aligned to a clock have such boundaries; where none fits, what the spans show is no window's end.
 */
export function haveCommonBoundary(spans: readonly Span[]): boolean {
  for (let phase = 0; phase < MINUTE_SECONDS; phase += STEP_SECONDS) {
    if (spans.every((span) => contains(span, phase))) {
      return true;
    }
  }
  return false;
}

function contains({ from, to }: Span, phase: number): boolean {
  const start = from / 1000 - MARGIN_SECONDS;
  const length = (to - from) / 1000 + 2 * MARGIN_SECONDS;
  const offset = (((phase - start) % MINUTE_SECONDS) + MINUTE_SECONDS) % MINUTE_SECONDS;
  return offset <= length;
}
