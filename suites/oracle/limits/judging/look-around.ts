import type { Exchange } from '../../exchange.ts';
import type { HistoryContext } from '../../history-monitor.ts';
import { secondsToWait } from '../../server-clock.ts';
import type { Suspects } from '../blame.ts';
import type { KeyLimits } from '../key-limits.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';

/**
 * What of the other keys may have to do with what a key was answered: it was served until another was refused by a limit
 * of its own, and not since.
 */
export function lookAround(
  key: KeyLimits,
  exchange: Exchange,
  others: ReadonlyMap<string, KeyLimits>,
  { clock, mayBeBanned }: HistoryContext,
): Omit<Suspects, 'manner' | 'isKept'> {
  const wait = secondsToWait(exchange, clock);
  // What lasts longer than the wait of another key does not come from that.
  const until = exchange.receivedAt + (wait ?? 0) * 1000 - MARGIN_MILLISECONDS;
  const waiting = [...others.values()].filter(
    ({ label, waits, atLimitSince }) =>
      label !== key.label &&
      waits.until() > Math.max(exchange.sentAt, until) &&
      atLimitSince > Number.NEGATIVE_INFINITY,
  );
  const atLimit = waiting.find(
    ({ waits, atLimitSince }) => !waits.showsBan() && atLimitSince >= key.grantedAt,
  );
  const banned = waiting.find(
    ({ label, waits }) => waits.refusedLast() >= key.grantedAt && mayBeBanned(label, exchange),
  );
  return {
    atLimit: atLimit?.label ?? null,
    banned: banned?.label ?? null,
    wait,
  };
}
