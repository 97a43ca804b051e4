import { isAccepted, type RequestMessage, type Key } from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';

/** A limit that is used up at one moment and tried again at a later one. */
export interface EarlyProbe {
  /** Seconds after the first probe of all. */
  readonly startsAt: number;
  /** Uses up the limit of a key, which it returns; `null` if that is impossible. */
  readonly useUp: () => Promise<Key | null>;
  /** Seconds from the moment before the limit was used up to the one request that is sent then. */
  readonly seconds: number;
}

/** What came of it. */
export interface ProbeOutcome {
  readonly probe: EarlyProbe;
  readonly accepted: boolean;
  /** From before the first request to the answer to the last, by the suite's time, or by the server's if that certainly was longer. */
  readonly seconds: number;
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
    const key = await probe.useUp();
    if (key === null) {
      return;
    }
    const act = async (): Promise<void> => {
      for (const exchange of await context.sendAll([message], key, CONNECTIONS)) {
        const to = exchange.receivedAt;
        const earliest = context.clock.at(to)?.earliest;
        const byServer = earliest === undefined || latest === undefined ? 0 : earliest - latest;
        const seconds = Math.max((to - from) / 1000, byServer);
        outcomes.push({ probe, accepted: isAccepted(exchange), seconds });
      }
    };
    due.push({ at: from + probe.seconds * 1000, act });
  }
}
