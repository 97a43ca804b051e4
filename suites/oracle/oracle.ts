import type { Exchange } from './exchange.ts';
import type { HistoryContext, HistoryMonitor, OracleJudgement } from './history-monitor.ts';
import type { HistoryEvent, KnownKey, SentRequest } from './history.ts';
import { inventoryMonitor } from './inventory/inventory-monitor.ts';
import { followBans, limitsMonitor } from './limits/index.ts';
import type { ServerClock } from './server-clock.ts';

/**
 * Judges a history of exchanges, whoever made it. It accuses only what no target that keeps the specification could
 * have answered.
 */
export interface Oracle {
  /** Takes the next event. @returns what it shows */
  accept(event: HistoryEvent): readonly OracleJudgement[];
  /** Whether the key may be banned when this exchange's request is decided, because its client went on after a 429. */
  mayBeBanned(key: string, exchange: Exchange): boolean;
}

/** All monitors of histories; a new one is added here. */
export const HISTORY_MONITORS: readonly HistoryMonitor[] = [inventoryMonitor, limitsMonitor];

/** Begins a history of which nothing is known. */
export function openOracle(
  clock: ServerClock,
  monitors: readonly HistoryMonitor[] = HISTORY_MONITORS,
): Oracle {
  const keys = new Map<string, KnownKey>();
  const underWay = new Map<number, SentRequest>();
  const bans = followBans(clock);
  const context: HistoryContext = {
    clock,
    keyOf: (label) => keys.get(label),
    requestOf: (id) => underWay.get(id),
    mayBeBanned: bans.mayBeBanned,
  };
  let said: OracleJudgement[] = [];
  const opened = monitors.map(({ id: by, open }) =>
    open(context, {
      judge: (id, holds, message, ...proof) =>
        said.push({ by, id, holds, message: holds ? '' : message(), proof }),
    }),
  );
  return {
    accept: (event) => {
      said = [];
      if (event.type === 'key-known') {
        keys.set(event.key.label, event.key);
      } else if (event.type === 'key-forgotten') {
        keys.delete(event.key);
      } else if (event.type === 'request-sent') {
        underWay.set(event.id, event);
      }
      bans.accept(event, context);
      for (const take of opened) {
        take(event);
      }
      if (event.type === 'response-received' || event.type === 'response-lost') {
        underWay.delete(event.id);
      }
      return said;
    },
    mayBeBanned: bans.mayBeBanned,
  };
}
