import type { Exchange } from '../../exchange.ts';
import type { HistoryContext } from '../../history-monitor.ts';
import { TWO_WINDOWS_SECONDS } from '../../keys.ts';
import { secondsToWait } from '../../server-clock.ts';
import type { Suspects } from '../blame.ts';
import { MANY_A_DAY } from '../bans.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import type { Court } from './court.ts';

/**
 * What of the other keys may have to do with what a key was answered: it was served until another was refused by a limit
 * of its own, and not since.
 */
export function lookAround(
  key: Pick<KeyLimits, 'label' | 'grantedAt'>,
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

/** A key that was served before is served still, though another was refused by its limit or banned since. */
export function passIndependence(key: KeyLimits, exchange: Exchange, { others, pass }: Court): void {
  const waiting = [...others.values()].filter(
    ({ label, waits }) => label !== key.label && waits.until() > exchange.receivedAt,
  );
  if (waiting.some(({ waits }) => waits.showsBan() && waits.refusedLast() >= key.grantedAt)) {
    pass('keys-independent-in-ban');
  }
  if (waiting.some(({ waits, atLimitSince }) => !waits.showsBan() && atLimitSince >= key.grantedAt)) {
    pass('keys-independent-at-limit');
  }
}

/** Whether a refusal says that a minute was used up. */
export function speaksOfMinute(described: DescribedWindow | null): boolean {
  return described?.window === 'minute' && described.remaining === 0;
}

const HOUR_SECONDS = 3_600;

/**
 * Where nobody knows what counted in the day before: whether a refusal says that a minute was used up, or a day that ends
 * within minutes, or within the hour while another key is banned, would be a strange accident.
 */
export function isHardlyOfDay(
  { limits }: KeyLimits,
  described: DescribedWindow | null,
  { wait, banned }: ReturnType<typeof lookAround>,
): boolean {
  const longest = banned === null ? TWO_WINDOWS_SECONDS : HOUR_SECONDS;
  const isMany = limits.perDay >= MANY_A_DAY;
  return (
    wait !== undefined &&
    (isMany ? wait <= longest : wait <= TWO_WINDOWS_SECONDS && speaksOfMinute(described))
  );
}
