import { BAN_STATUSES } from '../../../contract/bans.ts';
import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import { isAccepted, type Exchange } from '../exchange.ts';
import type { HistoryContext } from '../history-monitor.ts';
import type { HistoryEvent, KnownKey, SentRequest } from '../history.ts';
import { secondsToWait, type ServerClock } from '../server-clock.ts';
import { enter, labelOf, leave, newTraffic, type KeyTraffic } from './key-traffic.ts';
import { openTimeline, type Timeline } from './timeline.ts';
import { MARGIN_MILLISECONDS } from './window-model.ts';

/** Which keys may be banned: those whose client went on after a 429 (specification, section "Behaviour at the limit"). */
export interface Bans {
  readonly accept: (event: HistoryEvent, context: Pick<HistoryContext, 'requestOf' | 'keyOf'>) => void;
  readonly mayBeBanned: (label: string, exchange: Exchange) => boolean;
}

/** How the client of a key behaves. */
interface Conduct {
  readonly traffic: KeyTraffic;
  /** What was sent within a minute. */
  readonly sent: Timeline;
  sentInAll: number;
  /** Refusals, and lost responses that may have been one. */
  refusals: number;
  readonly refusalsBefore: Map<number, number>;
  /** Before this moment a patient client sends nothing. */
  retryAt: number;
  /** Whether a request may have been decided after a 429 and before its Retry-After had passed. */
  continued: boolean;
}

const MINUTE_MILLISECONDS = MINUTE_SECONDS * 1000;

/**
 * A target sees a request as continued that was under way already when the client got the 429. What was sent too early
 * is forgiven once a request is accepted that had waited, with no other under way.
 */
export function followBans(clock: ServerClock): Bans {
  const conducts = new Map<string, Conduct>();
  // What held when an exchange was decided.
  const decided = new WeakMap<Exchange, { readonly label: string; readonly mayBeBanned: boolean }>();
  const conductOf = (label: string): Conduct => {
    let conduct = conducts.get(label);
    if (conduct === undefined) {
      conduct = {
        traffic: newTraffic(),
        sent: openTimeline(MINUTE_MILLISECONDS + 2 * MARGIN_MILLISECONDS),
        sentInAll: 0,
        refusals: 0,
        refusalsBefore: new Map(),
        retryAt: Number.NEGATIVE_INFINITY,
        continued: false,
      };
      conducts.set(label, conduct);
    }
    return conduct;
  };
  return {
    accept: (event, { requestOf, keyOf }) => {
      // What was sent before nobody knows.
      if (event.type === 'gap') {
        conducts.forEach(distrust);
        return;
      }
      if (event.type === 'key-known') {
        const conduct = conductOf(event.key.label);
        if (event.key.usedToday === null) {
          distrust(conduct);
        }
        return;
      }
      if (event.type === 'key-forgotten') {
        conducts.delete(event.key);
        return;
      }
      if (event.type === 'request-sent') {
        const label = labelOf(event);
        if (label !== null) {
          send(conductOf(label), event);
        }
        return;
      }
      if (event.type !== 'response-received' && event.type !== 'response-lost') {
        return;
      }
      const request = requestOf(event.id);
      const label = request === undefined ? null : labelOf(request);
      if (label === null) {
        return;
      }
      const conduct = conductOf(label);
      if (event.type === 'response-lost') {
        leave(conduct.traffic, event);
        conduct.refusalsBefore.delete(event.id);
        // It may have been a 429 that asked for any wait.
        conduct.refusals += 1;
        conduct.retryAt = Infinity;
        conduct.continued ||= conduct.traffic.underWay.size > 0;
      } else {
        const mayBeBanned = receive(conduct, event, keyOf(label), clock);
        decided.set(event.exchange, { label, mayBeBanned });
      }
    },
    mayBeBanned: (label, exchange) => {
      const own = decided.get(exchange);
      return own?.label === label ? own.mayBeBanned : conducts.get(label)?.continued === true;
    },
  };
}

/** Until a request is accepted, the key may be banned for what nobody saw. */
function distrust(conduct: Conduct): void {
  conduct.refusals += 1;
  conduct.retryAt = Infinity;
  conduct.continued = true;
}

function send(conduct: Conduct, event: SentRequest): void {
  enter(conduct.traffic, event);
  conduct.sent.add({ from: event.at, to: event.at }, 'perhaps');
  conduct.sentInAll += 1;
  conduct.refusalsBefore.set(event.id, conduct.refusals);
  conduct.continued ||= event.at < conduct.retryAt;
}

/** @returns whether the key may have been banned when this was decided */
function receive(
  conduct: Conduct,
  { id, exchange }: Extract<HistoryEvent, { readonly type: 'response-received' }>,
  key: KnownKey | undefined,
  clock: ServerClock,
): boolean {
  const { underWay, answeredMeanwhile } = leave(conduct.traffic, { type: 'response-received', id, exchange });
  const isAmongOthers = underWay > 0 || answeredMeanwhile > 0;
  // Of requests that were under way together, the target may have answered another with the first 429.
  const mayBeBanned = conduct.continued || (isAmongOthers && mayReachLimit(conduct, key, exchange));
  const { status } = exchange.response;
  const before = conduct.refusalsBefore.get(id);
  conduct.refusalsBefore.delete(id);
  if (isAccepted(exchange)) {
    const hasWaited = before === conduct.refusals && exchange.sentAt >= conduct.retryAt;
    const isAfterLoss = conduct.retryAt === Infinity && before === conduct.refusals;
    if (underWay === 0 && (hasWaited || isAfterLoss)) {
      conduct.continued = false;
      conduct.retryAt = Number.NEGATIVE_INFINITY;
    }
  } else if (BAN_STATUSES.has(status)) {
    // Nobody knows how long a Retry-After that cannot be read asks for; a minute is patient.
    const wait = secondsToWait(exchange, clock) ?? (status === 429 ? MINUTE_SECONDS : undefined);
    if (wait !== undefined) {
      conduct.retryAt = Math.max(conduct.retryAt, exchange.receivedAt + wait * 1000);
    }
    if (status === 429) {
      conduct.refusals += 1;
      conduct.continued ||= isAmongOthers;
    }
  }
  return mayBeBanned;
}

/** Whether so many requests left that one of them may have gone beyond a limit. */
function mayReachLimit(
  conduct: Conduct,
  key: KnownKey | undefined,
  { sentAt, receivedAt }: Exchange,
): boolean {
  if (key === undefined || key.limits === null || !key.isExclusive) {
    return true;
  }
  const { perMinute, perDay } = key.limits;
  const since = sentAt - MINUTE_MILLISECONDS - MARGIN_MILLISECONDS;
  return (
    conduct.sent.atMost(since, receivedAt) > perMinute || conduct.sentInAll + (key.usedToday ?? 0) > perDay
  );
}
