import type { Exchange } from '../../exchange.ts';
import { blameGrant, blameIntrusion, blameRemaining, type Manner } from '../blame.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import type { Overlap } from '../key-traffic.ts';
import { anyCounterPhase } from '../phases.ts';
import { isSentAfter, mostSince, readRemaining, type RemainingReading } from '../remaining.ts';
import type { LimitedRequest } from '../window-model.ts';
import type { Court } from './court.ts';
import { describedWindow } from './described-window.ts';
import { lookAround } from './look-around.ts';

// So many right values of X-RateLimit-Remaining show that a key by itself is counted well.
const RIGHT_ENOUGH = 3;

export function judgeRemaining(
  key: KeyLimits,
  exchange: Exchange,
  described: DescribedWindow | null,
  limited: LimitedRequest,
  overlap: Overlap,
  { manner, isAmid }: { readonly manner: () => Manner; readonly isAmid: boolean },
  { accuse, pass, operations, findings, others, context }: Court,
): void {
  if (described === null || !key.isExclusive || findings.distrustsRemaining) {
    return;
  }
  const { window, remaining } = described;
  const operation = exchange.request.operation ?? '';
  const model = window === 'minute' ? key.minute : key.day;
  const { limit } = model;
  const reading = readRemaining(described, limited.decided, overlap, key.traffic);
  const { used } = reading;
  if (findings.beginnings.explains(window, reading)) {
    return;
  }
  const isRight = model.couldTell(limited, reading);
  if (isRight === true) {
    pass('remaining-falls');
    judgeToldRefused(key, window, reading, { accuse, findings });
  }
  key.toldRefused = null;
  const { lastUsed } = key;
  const isSame = lastUsed?.window === window;
  if (isSame && lastUsed.answered === overlap.sent.answered) {
    operations.note(operation, used, lastUsed.used);
    if (lastUsed.operation !== operation && used === lastUsed.used + 1) {
      pass('remaining-counts-operations');
    }
    findings.rightAlone += isRight === true && !isAmid ? 1 : 0;
  }
  if (isRight === false) {
    // Nothing remained before: what is wrong is that the request was granted.
    const isBeyond = remaining === 0 && isSame && lastUsed.used === limit;
    if (isBeyond) {
      accuse(blameGrant(key, window, exchange, manner(), operations.leftOut()));
      key[window].forget(exchange.receivedAt);
    } else {
      const most = model.atMostUsed(limited) + 1;
      accuse(blameRemaining(key, exchange, { used, most }, operation, operations));
      // What stands still was moved by nobody.
      const hasMoved = isSame && used !== lastUsed.used && used !== lastUsed.used + 1;
      // At its own limit, what is wrong is that it was granted.
      const isAtLimit = key.atLimitSince > -Infinity;
      if (isAmid && hasMoved && !isAtLimit && findings.rightAlone >= RIGHT_ENOUGH) {
        blameIntrusion(key, exchange, lookAround(key, exchange, others, context)).forEach(accuse);
      }
      findings.distrustsRemaining = true;
      Object.assign(findings.phases[window], anyCounterPhase());
      key[window].mistrustTold();
    }
  }
  key.usedByOperation.set(operation, used);
  noteUsed(key, window, operation, used);
}

// Answers to a documented request that no limit and no ban refused.
const REFUSED_FOR_CONTENT = new Set([400, 404]);

/** A request that is refused for what it asks may count or not; what remains is no less for that. */
export function judgeRemainingOfRefused(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  overlap: Overlap,
  { accuse, findings }: Court,
): void {
  const described = describedWindow(key, exchange);
  const { status } = exchange.response;
  key.toldRefused = null;
  if (described === null || findings.distrustsRemaining || !REFUSED_FOR_CONTENT.has(status)) {
    return;
  }
  const { window, limit, remaining } = described;
  if (!key[window].couldShow(limited, limit - remaining)) {
    const most = key[window].atMostUsed(limited) + 1;
    accuse({
      id: 'remaining-falls',
      message: `X-RateLimit-Remaining of ${key.label} is ${remaining} of ${limit} in an answer ${status}, when at most ${most} requests had counted.`,
      proof: [exchange],
    });
    findings.distrustsRemaining = true;
    return;
  }
  const reading = readRemaining(described, limited.decided, overlap, key.traffic);
  key.toldRefused = { window, reading, exchange };
}

// The refused request itself may count once its answer is written, and a sliding counter may round what it weighs up.
const REFUSED_SLACK = 2;

/** Under every window algorithm, what is used grows by no more than the requests since. */
function judgeToldRefused(
  { label, toldRefused }: KeyLimits,
  window: 'minute' | 'day',
  reading: RemainingReading,
  { accuse, findings }: Pick<Court, 'accuse' | 'findings'>,
): void {
  if (toldRefused?.window !== window || !isSentAfter(toldRefused.reading, reading)) {
    return;
  }
  const { exchange, reading: told } = toldRefused;
  if (reading.used > told.used + mostSince(told, reading) + REFUSED_SLACK) {
    accuse({
      id: 'remaining-falls',
      message: `X-RateLimit-Remaining of ${label} said that ${told.used} requests were used in an answer ${exchange.response.status}, and soon after that ${reading.used} were.`,
      proof: [exchange],
    });
    findings.distrustsRemaining = true;
  }
}

function noteUsed(key: KeyLimits, window: 'minute' | 'day', operation: string, used: number): void {
  const { lastUsed } = key;
  const { answered } = key.traffic;
  if (lastUsed === null) {
    key.lastUsed = { window, operation, used, answered };
    return;
  }
  lastUsed.window = window;
  lastUsed.operation = operation;
  lastUsed.used = used;
  lastUsed.answered = answered;
}
