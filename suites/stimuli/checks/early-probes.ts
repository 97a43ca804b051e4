import { isAccepted, type Exchange, type RequestMessage, type Key, type Span } from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import type { UsedUp } from '../provoking/use-up.ts';

/** A limit that is used up at one moment and tried again at a later one. */
export interface EarlyProbe {
  /** Seconds after the first probe of all. */
  readonly startsAt: number;
  /** Uses up the limit of a key; `null` if that is impossible. */
  readonly useUp: () => Promise<UsedUp | null>;
  /** Seconds from the moment before the limit was used up to the one request that is sent then. */
  readonly seconds: number;
}

/** What came of it; the span begins before the first request and ends with the answer to the last. */
export interface ProbeOutcome extends Span {
  readonly probe: EarlyProbe;
  readonly key: Key;
  readonly exchange: Exchange;
  readonly accepted: boolean;
  /** Its length by the suite's time, or by the server's if that certainly was longer. */
  readonly seconds: number;
  /** The requests that used the limit up. */
  readonly before: readonly Exchange[];
}

// Several probes may be under way at once.
const CONNECTIONS = 16;
// A moment that was slept for may be short of it by a fraction.
const ROUNDING_MILLISECONDS = 1;

/** Carries out all probes, each at its time. */
export async function probeEarly(
  context: CheckContext,
  probes: readonly EarlyProbe[],
  message: RequestMessage,
): Promise<readonly ProbeOutcome[]> {
  const outcomes: ProbeOutcome[] = [];
  const began = context.now();
  let due = probes.map((probe) => ({ at: began + probe.startsAt * 1000, act: () => start(probe) }));
  while (due.length > 0) {
    const seconds = (Math.min(...due.map(({ at }) => at)) - context.now()) / 1000;
    if (seconds > 0) {
      await context.sleep(seconds, 'the next moment of the window');
    }
    // A slow target has several come due meanwhile.
    const now = context.now() + ROUNDING_MILLISECONDS;
    const ripe = due.filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at);
    due = due.filter(({ at }) => at > now);
    await Promise.all(ripe.map(({ act }) => act()));
  }
  return outcomes;

  async function start(probe: EarlyProbe): Promise<void> {
    const from = context.now();
    const latest = context.clock.at(from)?.latest;
    const usedUp = await probe.useUp();
    if (usedUp === null) {
      return;
    }
    const { key } = usedUp;
    const act = async (): Promise<void> => {
      const [exchange] = await context.sendAll([message], key, CONNECTIONS);
      if (exchange === undefined) {
        return;
      }
      const to = exchange.receivedAt;
      const earliest = context.clock.at(to)?.earliest;
      const byServer = earliest === undefined || latest === undefined ? 0 : earliest - latest;
      outcomes.push({
        probe,
        key,
        exchange,
        from,
        to,
        accepted: isAccepted(exchange),
        seconds: Math.max((to - from) / 1000, byServer),
        before: usedUp.exchanges,
      });
    };
    due.push({ at: from + probe.seconds * 1000, act });
  }
}

/** Probes one key again and again, at other phases of the window each time. */
export function probesOfOneKey(
  useUp: () => Promise<UsedUp | null>,
  { count, spacing, seconds, windowSeconds }: ProbeSeries & { readonly windowSeconds: number },
): readonly EarlyProbe[] {
  // A sliding counter has to forget the probe before, too.
  return Array.from({ length: count }, (_, index) => ({
    startsAt: index * (3 * windowSeconds + spacing),
    seconds,
    useUp,
  }));
}

/** How many probes, how many seconds from one start to the next, and after how many seconds each is tried. */
export interface ProbeSeries {
  readonly count: number;
  readonly spacing: number;
  readonly seconds: number;
}
