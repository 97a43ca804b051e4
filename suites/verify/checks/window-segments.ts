import type { Span } from '../../oracle/index.ts';

const MOST_SEGMENTS = 120;

/**
 * Whether a window that is counted in equal segments of the clock could have ended within every one of these spans,
 * each from before the first request to a later one that was granted. One segment is a window aligned to the clock;
 * sixty to a minute are a clock of whole seconds.
 * @param marginSeconds what the ends of segments may differ by
 * @param leastSegments if fewer are ruled out already
 */
export function segmentsExplain(
  spans: readonly Span[],
  windowSeconds: number,
  marginSeconds: number,
  leastSegments = 1,
): boolean {
  for (let segments = leastSegments; segments <= MOST_SEGMENTS; segments += 1) {
    if (haveCommonEnd(spans, windowSeconds, windowSeconds / segments, marginSeconds)) {
      return true;
    }
  }
  return false;
}

/** The segment of the first request has to end early enough for the others to end within the span, too. */
function haveCommonEnd(
  spans: readonly Span[],
  windowSeconds: number,
  segmentSeconds: number,
  marginSeconds: number,
): boolean {
  const others = windowSeconds - segmentSeconds;
  return spans.length === 0 || spans.some(({ from }) => spans.every((span) => contains(span, from)));

  function contains({ from, to }: Span, moment: number): boolean {
    const length = (to - from) / 1000 - others + 2 * marginSeconds;
    const offset = ((moment - from) / 1000) % segmentSeconds;
    return length >= 0 && (length >= segmentSeconds || (offset + segmentSeconds) % segmentSeconds <= length);
  }
}
