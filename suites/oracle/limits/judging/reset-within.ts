import type { ServerClock } from '../../server-clock.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';

/**
 * Whether the limit may have been reset while something happened.
 * @param reset Unix seconds of the server
 * @param span milliseconds of the timekeeper
 */
export function isResetWithin(
  reset: number,
  { from, to }: { readonly from: number; readonly to: number },
  clock: Pick<ServerClock, 'at'>,
): boolean {
  const [earliest, latest] = [clock.at(from)?.earliest, clock.at(to)?.latest];
  const margin = MARGIN_MILLISECONDS / 1000;
  return (
    earliest !== undefined && latest !== undefined && reset >= earliest - margin && reset <= latest + margin
  );
}
