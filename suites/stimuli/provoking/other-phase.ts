import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import type { Exchange, Span } from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';

/** From the first request to the last answer of a series; at least one exchange. */
export function spanOfSeries(exchanges: readonly Pick<Exchange, 'sentAt' | 'receivedAt'>[]): Span {
  return {
    from: Math.min(...exchanges.map(({ sentAt }) => sentAt)),
    to: Math.max(...exchanges.map(({ receivedAt }) => receivedAt)),
  };
}

// What two clocks may differ by.
const MARGIN_SECONDS = 0.5;

// A burst keeps this distance to where a boundary may lie, if there is room for it.
const DISTANCE_SECONDS = 13;
const LEAST_DISTANCE_SECONDS = 2;

/**
 * Seconds until a burst may begin that lies, if it is as long as the last span, where no boundary does that all the
 * spans have in common. If a boundary explains the spans, that burst shows a whole window; if it deviates as well, none
 * explains it.
 * @param now milliseconds of the timekeeper, as those of the spans
 * @param windows how many have to pass at least, until what was sent is forgotten
 */
export function secondsUntilOtherPhase(spans: readonly Span[], now: number, windows: number): number {
  const least = windows * (MINUTE_SECONDS + 1);
  const boundary = commonBoundary(spans);
  const last = spans.at(-1);
  if (boundary === null || last === undefined) {
    return least + DISTANCE_SECONDS;
  }
  const room = MINUTE_SECONDS - secondsOf(boundary) - secondsOf(last);
  const distance = Math.max(LEAST_DISTANCE_SECONDS, Math.min(DISTANCE_SECONDS, room / 2));
  const wait = (boundary.to - now) / 1000 + distance - least;
  return least + (((wait % MINUTE_SECONDS) + MINUTE_SECONDS) % MINUTE_SECONDS);
}

/** Where in a window a boundary could lie that is in all the spans: the longest stretch, somewhere in time. */
function commonBoundary(spans: readonly Span[]): Span | null {
  // If spans have a moment of the window in common, one of them begins at such a moment.
  const common = spans
    .map(({ from }) => {
      const left = Math.min(...spans.map((span) => secondsLeft(span, from)));
      return { from, to: from + left * 1000 };
    })
    .filter(({ from, to }) => to >= from);
  return common.toSorted((a, b) => secondsOf(b) - secondsOf(a))[0] ?? null;
}

/** Seconds that the span goes on after this second of the window; below zero if it does not have it. */
function secondsLeft(span: Span, moment: number): number {
  const length = secondsOf(span) + 2 * MARGIN_SECONDS;
  const offset = ((moment - span.from) / 1000) % MINUTE_SECONDS;
  return length >= MINUTE_SECONDS ? MINUTE_SECONDS : length - ((offset + MINUTE_SECONDS) % MINUTE_SECONDS);
}

function secondsOf({ from, to }: Span): number {
  return (to - from) / 1000;
}

/**
 * Plays something, and once more after a while if more was granted than its limit.
 * @param seconds after which no end of a day explains it that explained it before
 */
export async function againLater(
  context: CheckContext,
  seconds: number,
  play: (isAgain: boolean) => Promise<boolean>,
): Promise<void> {
  if (await play(false)) {
    await restOfDay(context, seconds);
    await play(true);
  }
}

/**
 * Plays something, and once more at another phase of the minute if more was granted than its limit: a window that ended
 * meanwhile explains that once. In real time there is no room for a second play.
 * @param play sends what fits into one minute; resolves to whether more was granted
 */
export async function againAtOtherPhase(context: CheckContext, play: () => Promise<boolean>): Promise<void> {
  const from = context.now();
  if ((await play()) && context.virtualTime) {
    const seconds = secondsUntilOtherPhase([{ from, to: context.now() }], context.now(), 2);
    await context.sleep(seconds, 'another phase of the minute');
    await play();
  }
}

/** Another time of the day, if a clock can be moved. In real time another key may be tried at once. */
export async function restOfDay(context: CheckContext, seconds: number): Promise<void> {
  if (context.virtualTime) {
    await context.sleep(seconds, 'another time of the day');
  }
}
