import { MINUTE_SECONDS } from '../../contract/plans.ts';
import { MARGIN_MILLISECONDS } from './limits/margin.ts';

/**
 * The most requests that a window which slides may have made room for since its limit began to be used up: a sliding
 * counter does that evenly from the end of a window on, which may have come at once.
 * @param limit requests a minute
 */
export function mostRoomMade(limit: number, seconds: number): number {
  return Math.floor(((seconds + MARGIN_MILLISECONDS / 1000) * limit) / MINUTE_SECONDS);
}
