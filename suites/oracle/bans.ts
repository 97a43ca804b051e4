import { MINUTE_SECONDS } from '../../contract/plans.ts';
import { isAccepted, type Exchange } from './exchange.ts';
import type { HistoryContext } from './history-monitor.ts';
import type { HistoryEvent } from './history.ts';
import { secondsToWait, type ServerClock } from './server-clock.ts';

/** Which keys may be banned: those whose client went on after a 429 (specification, section "Behaviour at the limit"). */
export interface Bans {
  readonly accept: (event: HistoryEvent, context: Pick<HistoryContext, 'requestOf'>) => void;
  readonly mayBeBanned: (label: string, exchange: Exchange) => boolean;
}

interface Patience {
  /** When the last 429 came in. */
  refusedAt: number;
  /** Before this moment a patient client sends nothing. */
  retryAt: number;
  /** Whether something was sent before that. */
  isImpatient: boolean;
}

export function followBans(clock: ServerClock): Bans {
  const patience = new Map<string, Patience>();
  return {
    accept: (event, { requestOf }) => {
      if (event.type === 'request-sent' && event.credential.kind !== 'missing') {
        const label = 'key' in event.credential ? event.credential.key : null;
        const known = label === null ? undefined : patience.get(label);
        if (known !== undefined && event.at < known.retryAt) {
          known.isImpatient = true;
        }
      }
      if (event.type !== 'response-received') {
        return;
      }
      const credential = requestOf(event.id)?.credential;
      const label = credential !== undefined && 'key' in credential ? credential.key : null;
      if (label === null) {
        return;
      }
      const { exchange } = event;
      if (exchange.response.status === 429) {
        const wait = secondsToWait(exchange, clock) ?? MINUTE_SECONDS;
        const known = patience.get(label);
        patience.set(label, {
          refusedAt: exchange.receivedAt,
          retryAt: Math.max(known?.retryAt ?? 0, exchange.receivedAt + wait * 1000),
          isImpatient: known?.isImpatient === true || exchange.lostResponses > 0,
        });
      } else if (isAccepted(exchange) && exchange.sentAt > (patience.get(label)?.refusedAt ?? 0)) {
        patience.delete(label);
      }
    },
    mayBeBanned: (label) => patience.get(label)?.isImpatient === true,
  };
}
