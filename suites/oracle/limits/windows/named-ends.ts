import type { ServerClock } from '../../server-clock.ts';
import { holdsEdge, MARGIN_MILLISECONDS } from '../margin.ts';
import type { RemainingReading } from '../remaining.ts';

// Days are those of some time zone.
const QUARTER_SECONDS = 900;
// More than a named end may be rounded, or put off for clocks that go wrongly.
const EARLY_SECONDS = 5;
// Whole seconds may be rounded up.
const ROUNDED_SECONDS = 1;

const NOTHING_NAMED = { reset: Number.NEGATIVE_INFINITY, since: 0, last: 0 };
const NOTHING_SEEN = { fixed: false, kept: true, apart: false, unkept: false, amidMinute: false };

/**
 * Follows the ends that X-RateLimit-Reset names of one window after another. Those of windows that are aligned to a clock lie
 * whole windows apart, if each is the same for some time, and no window begins before it. Whoever counts by the minutes of the
 * clock may name a later end, of a whole window; such a window ends with a minute all the same.
 * @param length of a window, in milliseconds
 */
export function followNamedEnds(length: number, clock: Pick<ServerClock, 'at' | 'source'>) {
  const edges = Math.min(length / 1000, QUARTER_SECONDS);
  let first: number | null = null;
  let named = NOTHING_NAMED;
  let are = NOTHING_SEEN;
  const refused = ({ reset, decided }: Pick<RemainingReading, 'reset' | 'decided'>): void => {
    if (named.reset === reset) {
      are = { ...are, fixed: are.fixed || decided.from - named.since > MARGIN_MILLISECONDS };
      named = { ...named, last: decided.from };
    }
  };
  return {
    /** Whether windows could have ended as they were named that begin with a request. */
    couldBeFromRequest: (): boolean => !are.unkept,
    couldBeAligned: (): boolean => !are.amidMinute && (!are.fixed || !are.kept || !are.apart),
    refused,
    granted: (reading: Pick<RemainingReading, 'reset' | 'decided'>): void => {
      const { reset, decided } = reading;
      if (reset <= named.reset) {
        refused(reading);
        return;
      }
      const latest = clock.at(decided.to)?.latest ?? Infinity;
      const isKept =
        first === null ||
        (clock.at(decided.from)?.latest ?? Number.NEGATIVE_INFINITY) >= named.reset - ROUNDED_SECONDS;
      const wasFixed = named.last - named.since > MARGIN_MILLISECONDS;
      const isEarly = first !== null && wasFixed && latest < named.reset - EARLY_SECONDS;
      first ??= reset;
      const apart = ((reset - first) * 1000) % length;
      are = {
        ...are,
        kept: are.kept && isKept,
        apart: are.apart || Math.min(apart, length - apart) > MARGIN_MILLISECONDS,
        unkept: are.unkept || isEarly,
        amidMinute:
          are.amidMinute || (isEarly && !holdsEdge(clock, { from: named.last, to: decided.to }, edges)),
      };
      named = { reset, since: decided.to, last: decided.to };
    },
    forget: (): void => {
      first = null;
      named = NOTHING_NAMED;
      are = NOTHING_SEEN;
    },
  };
}
