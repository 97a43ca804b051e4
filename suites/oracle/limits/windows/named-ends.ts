import type { ServerClock } from '../../server-clock.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import type { RemainingReading } from '../remaining.ts';

// Whole seconds may be rounded up.
const ROUNDED_SECONDS = 1;

/**
 * Follows the ends that X-RateLimit-Reset names of one window after another. Those of windows that are aligned to a clock lie
 * whole windows apart, if each is the same for some time, and no window begins before it.
 * @param length of a window, in milliseconds
 */
export function followNamedEnds(length: number, clock: Pick<ServerClock, 'at'>) {
  let first: number | null = null;
  let named = { reset: Number.NEGATIVE_INFINITY, since: 0 };
  let are = { fixed: false, kept: true, apart: false };
  const refused = ({ reset, decided }: Pick<RemainingReading, 'reset' | 'decided'>): void => {
    are.fixed ||= named.reset === reset && decided.from - named.since > MARGIN_MILLISECONDS;
  };
  return {
    couldBeAligned: (): boolean => !are.fixed || !are.kept || !are.apart,
    refused,
    granted: (reading: Pick<RemainingReading, 'reset' | 'decided'>): void => {
      const { reset, decided } = reading;
      if (reset <= named.reset) {
        refused(reading);
        return;
      }
      const latest = clock.at(decided.from)?.latest ?? Number.NEGATIVE_INFINITY;
      are.kept &&= first === null || latest >= named.reset - ROUNDED_SECONDS;
      first ??= reset;
      named = { reset, since: decided.to };
      const apart = ((reset - first) * 1000) % length;
      are.apart ||= Math.min(apart, length - apart) > MARGIN_MILLISECONDS;
    },
    forget: (): void => {
      first = null;
      named = { reset: Number.NEGATIVE_INFINITY, since: 0 };
      are = { fixed: false, kept: true, apart: false };
    },
  };
}
