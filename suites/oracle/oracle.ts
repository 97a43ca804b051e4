import type { RequirementId } from '../../contract/requirements/index.ts';
import { wrongMethodsMonitor } from './answers/wrong-methods.ts';
import type { Exchange } from './exchange.ts';
import type { HistoryContext, HistoryMonitor, OracleJudgement } from './history-monitor.ts';
import type { HistoryEvent, KnownKey, SentRequest } from './history.ts';
import { inventoryMonitor } from './inventory/inventory-monitor.ts';
import { followBans, followTraffic, labelOf, limitsMonitor, type Overlap } from './limits/index.ts';
import type { ServerClock } from './server-clock.ts';

/**
 * Judges a history of exchanges, whoever made it. It accuses only what no target that keeps the specification could
 * have answered.
 */
export interface Oracle {
  /** Takes the next event. @returns what it shows */
  accept(event: HistoryEvent): readonly OracleJudgement[];
  /**
   * Whether the key may be banned because its client went on after a 429: when this exchange's request was decided, or
   * by now.
   */
  readonly mayBeBanned: (key: string, exchange?: Exchange) => boolean;
}

/** All monitors of histories; a new one is added here. */
export const HISTORY_MONITORS: readonly HistoryMonitor[] = [
  inventoryMonitor,
  limitsMonitor,
  wrongMethodsMonitor,
];

/** What holds without more to say is said again and again, so that it is one value. */
function passesOf(by: string): (id: RequirementId) => OracleJudgement {
  const passes = new Map<RequirementId, OracleJudgement>();
  return (id) => {
    let pass = passes.get(id);
    if (pass === undefined) {
      pass = { by, id, holds: true, message: '', proof: [] };
      passes.set(id, pass);
    }
    return pass;
  };
}

/** Begins a history of which nothing is known. */
export function openOracle(
  clock: ServerClock,
  monitors: readonly HistoryMonitor[] = HISTORY_MONITORS,
): Oracle {
  const keys = new Map<string, KnownKey>();
  const underWay = new Map<number, SentRequest>();
  const traffic = followTraffic();
  const bans = followBans(clock, traffic);
  let overlap: Overlap | null = null;
  const context: HistoryContext = {
    clock,
    keyOf: (label) => keys.get(label),
    requestOf: (id) => underWay.get(id),
    trafficOf: traffic.of,
    overlap: () => overlap,
    mayBeBanned: bans.mayBeBanned,
  };
  let said: OracleJudgement[] = [];
  const opened = monitors.map(({ id: by, open }) => {
    const passOf = passesOf(by);
    return open(context, {
      judge: (id, holds, message, ...proof) => {
        const isPlain = holds && proof.length === 0;
        said.push(isPlain ? passOf(id) : { by, id, holds, message: holds ? '' : message(), proof });
      },
    });
  });
  const follow = (event: HistoryEvent): void => {
    overlap = null;
    switch (event.type) {
      case 'key-known':
        keys.set(event.key.label, event.key);
        if (event.key.isExclusive && event.key.usedToday === null) {
          traffic.beginInMiddle(event.key.label);
        }
        bans.known(event.key);
        break;
      case 'key-forgotten':
        keys.delete(event.key);
        traffic.forget(event.key);
        bans.forget(event.key);
        break;
      case 'gap':
        traffic.miss(event.at);
        bans.missed();
        break;
      case 'request-sent': {
        underWay.set(event.id, event);
        const label = labelOf(event);
        if (label !== null) {
          traffic.enter(label, event);
          bans.sent(label, event);
        }
        break;
      }
      case 'response-received':
      case 'response-lost': {
        const request = underWay.get(event.id);
        const label = request === undefined ? null : labelOf(request);
        if (label !== null) {
          overlap = traffic.leave(label, event);
          bans.ended(label, event, overlap);
        }
        break;
      }
      default:
    }
  };
  return {
    accept: (event) => {
      said = [];
      follow(event);
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
