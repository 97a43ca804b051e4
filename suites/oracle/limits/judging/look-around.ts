import { LONGEST_TEMPORARY_SECONDS } from '../../../../contract/bans.ts';
import type { Plan } from '../../../../contract/plans.ts';
import type { Exchange } from '../../exchange.ts';
import { TWO_WINDOWS_SECONDS } from '../../keys.ts';
import { secondsToWait } from '../../server-clock.ts';
import type { Suspects } from '../explaining/refusal.ts';
import { MANY_A_DAY } from '../bans.ts';
import type { DescribedWindow, KeyLimits, ToldRemaining } from '../key-limits.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import { describedWindow } from './described-window.ts';
import type { JudgedAnswer, JudgingContext } from './judging-context.ts';

type Around = Pick<Suspects, 'atLimit' | 'banned' | 'wait'>;

/**
 * What of the other keys may have to do with what a key was answered: it was served until another was refused by a limit
 * of its own, and not since, or never. Only one that shows a ban is called banned.
 */
export function lookAround(
  key: Pick<KeyLimits, 'label' | 'grantedAt'>,
  exchange: Exchange,
  { others, context: { clock, mayBeBanned } }: JudgingContext,
): Around {
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
    ({ waits, atLimitSince }) =>
      !waits.showsBan() && (key.grantedAt === Infinity || atLimitSince >= key.grantedAt),
  );
  const banned = waiting.find(
    ({ label, waits }) =>
      waits.showsBan() && refusedLastAt(waits) >= key.grantedAt && mayBeBanned(label, exchange),
  );
  return {
    atLimit: atLimit?.label ?? null,
    banned: banned?.label ?? null,
    wait,
  };
}

function refusedLastAt(waits: KeyLimits['waits']): number {
  return waits.refusedLast()?.sentAt ?? Number.NEGATIVE_INFINITY;
}

/** Two plans, and whether a key of the second was answered on the connection on which one of the first was refused. */
function pairOf({ plan, waits }: KeyLimits, other: Plan, { response: { connection } }: Exchange): string {
  return `${plan} ${other} ${connection !== undefined && connection === waits.refusedLast()?.response.connection}`;
}

/** Other keys that are told to wait, unless keys of these plans are known to keep apart. */
export function lookBeside(
  { label, plan }: KeyLimits,
  exchange: Exchange,
  { others, context, findings }: JudgingContext,
): Suspects['beside'] {
  const beside = [...others.values()].filter((other) => other.label !== label);
  const waiting = beside.filter(({ waits }) => waits.until() > exchange.sentAt);
  // A ban may last though nobody told until when.
  const banned = [...waiting, ...beside.filter(({ continued }) => continued > 0)].find(
    ({ label, waits }) => waits.showsBan() && context.mayBeBanned(label, exchange),
  );
  const atLimit = waiting.find(
    ({ waits, atLimitSince }) => atLimitSince > Number.NEGATIVE_INFINITY && !waits.showsBan(),
  );
  const unless = (
    other: KeyLimits | undefined,
    served: ReadonlySet<string>,
  ): Suspects['beside']['banned'] => {
    if (other === undefined) {
      return null;
    }
    const pair = pairOf(other, plan, exchange);
    return { label: other.label, isRuledOut: () => served.has(pair) };
  };
  return {
    banned: unless(banned, findings.servedInBan),
    atLimit: unless(atLimit, findings.servedAtLimit),
  };
}

/** Whether keys turned out to be counted apart, if a limit of this one may be reached because of what others used. */
export function isApart(
  key: KeyLimits,
  exchange: Exchange,
  { findings: { shared }, context: { clock } }: JudgingContext,
): Suspects['isApart'] {
  const around = { wait: secondsToWait(exchange, clock), banned: null };
  const isMinute = isHardlyOfDay(key, describedWindow(key, exchange), around);
  const reached = (isMinute ? (['minute'] as const) : (['minute', 'day'] as const))
    .map((window) => shared.reach(key, window, exchange.receivedAt))
    .filter((isRuledOut) => isRuledOut !== null);
  return reached.length === 0 ? null : () => reached.every((isRuledOut) => isRuledOut());
}

/** Whether just so many are used of the minute of a key if requests of other keys count on it as well. */
function isUsedByOthers(
  key: KeyLimits,
  { receivedAt }: Exchange,
  used: number,
  judging: JudgingContext,
): boolean {
  return judging.findings.shared.explain(key, receivedAt, used, underWayOfAll(judging));
}

/** Whether so many can be used of a window of a key, and just so many are, if requests of other keys count on it as well. */
export function usedByOthers(
  key: KeyLimits,
  { window, reading: { used }, exchange }: ToldRemaining,
  judging: JudgingContext,
): Pick<Suspects, 'isApart' | 'isUsedByOthers'> {
  const { findings } = judging;
  return {
    isApart:
      findings.answers > key.traffic.answered
        ? findings.shared.reach(key, window, exchange.receivedAt, used - 1 - underWayOfAll(judging))
        : null,
    isUsedByOthers: window === 'minute' && isUsedByOthers(key, exchange, used - 1, judging),
  };
}

/** Requests of all keys that are under way. */
export function underWayOfAll({ others }: JudgingContext): number {
  return [...others.values()].reduce((sum, { traffic }) => sum + traffic.underWay, 0);
}

/** Whatever may have refused a request beside its own limits. */
export function suspectsOf(
  key: KeyLimits,
  { exchange, manner }: Pick<JudgedAnswer, 'exchange' | 'manner'>,
  around: Around,
  judging: JudgingContext,
): Omit<Suspects, 'isKept'> {
  return {
    ...around,
    isApart: isApart(key, exchange, judging),
    isUsedByOthers: isUsedByOthers(key, exchange, key.limits.perMinute, judging),
    beside: lookBeside(key, exchange, judging),
    fellByMore: judging.operations.minute.fellByMore,
    manner: manner(),
  };
}

/** A key that was served before is served still, though another was refused by its limit or banned since. */
export function passIndependence(
  key: KeyLimits,
  exchange: Exchange,
  { others, pass, findings }: JudgingContext,
): void {
  const waiting = [...others.values()].filter(
    ({ label, waits }) => label !== key.label && waits.until() > exchange.receivedAt,
  );
  const banned = waiting.find(({ waits }) => waits.showsBan() && refusedLastAt(waits) >= key.grantedAt);
  if (banned !== undefined) {
    const { waits } = banned;
    // A ban of which nobody told the end may be over.
    if (waits.until() < refusedLastAt(waits) + LONGEST_TEMPORARY_SECONDS * 1000) {
      findings.servedInBan.add(pairOf(banned, key.plan, exchange));
    }
    pass('keys-independent-in-ban');
  }
  const atLimit = waiting.find(
    ({ waits, atLimitSince }) => !waits.showsBan() && atLimitSince >= key.grantedAt,
  );
  if (atLimit !== undefined) {
    findings.servedAtLimit.add(pairOf(atLimit, key.plan, exchange));
    pass('keys-independent-at-limit');
  }
}

/** Whether a refusal says that a minute was used up. */
export function speaksOfMinute(described: DescribedWindow | null): boolean {
  return described?.window === 'minute' && described.remaining === 0;
}

export const HOUR_SECONDS = 3_600;

/**
 * Where nobody knows what counted in the day before: whether a refusal says that a minute was used up, or a day that ends
 * within minutes, or within the hour while another key is banned, would be a strange accident.
 */
export function isHardlyOfDay(
  { limits, hasUsedUpDay }: KeyLimits,
  described: DescribedWindow | null,
  { wait, banned }: Pick<Around, 'wait' | 'banned'>,
): boolean {
  const longest = banned === null ? TWO_WINDOWS_SECONDS : HOUR_SECONDS;
  const isMany = limits.perDay >= MANY_A_DAY;
  return (
    wait !== undefined &&
    !hasUsedUpDay &&
    (isMany ? wait <= longest : wait <= TWO_WINDOWS_SECONDS && speaksOfMinute(described))
  );
}
