import type { Exchange } from '../../exchange.ts';
import type { HistoryContext } from '../../history-monitor.ts';
import { secondsToWait } from '../../server-clock.ts';
import type { Suspects } from '../blame.ts';
import type { KeyLimits } from '../key-limits.ts';

/** What of the other keys may have to do with what a key was answered. */
export function lookAround(
  key: KeyLimits,
  exchange: Exchange,
  others: ReadonlyMap<string, KeyLimits>,
  { clock, mayBeBanned }: HistoryContext,
): Omit<Suspects, 'manner' | 'isKept'> {
  const waiting = [...others.values()].filter(
    (other) => other !== key && other.waits.until() > exchange.sentAt,
  );
  const banned = waiting.find(({ label }) => mayBeBanned(label, exchange));
  return {
    atLimit: waiting.find(({ waits }) => !waits.showsBan())?.label ?? null,
    banned: banned?.label ?? null,
    wait: secondsToWait(exchange, clock),
  };
}
