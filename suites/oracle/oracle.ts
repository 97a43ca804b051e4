import type { RequirementId } from '../../contract/requirements/index.ts';
import { quantityBoundMonitor } from './answers/quantity-bound.ts';
import { returningKeysMonitor } from './answers/returning-keys.ts';
import { schemeLettersMonitor } from './answers/scheme-letters.ts';
import { spoiltConnectionsMonitor } from './answers/spoilt-connections.ts';
import { wrongMethodsMonitor } from './answers/wrong-methods.ts';
import {
  NOTHING_STRANGE,
  type HistoryContext,
  type HistoryMonitor,
  type HistoryReporter,
  type OracleJudgement,
  type StrangeChanges,
} from './history-monitor.ts';
import type { HistoryEvent, KnownKey, SentRequest } from './history.ts';
import { inventoryMonitor } from './inventory/inventory-monitor.ts';
import { hiddenPetsMonitor, namedPetsMonitor } from './inventory/left-out-pets.ts';
import {
  type Departure,
  earlyRenewalsMonitor,
  followBans,
  followTraffic,
  labelOf,
  limitsMonitor,
  type Overlap,
} from './limits/index.ts';
import { COUNTED_BY_KEY } from './judgements/requirement-evidence.ts';
import type { ServerClock } from './server-clock.ts';

/** A request whose response is still to come, and the key that it counts on. */
interface UnderWay {
  readonly request: SentRequest;
  readonly label: string | null;
  readonly departure: Departure | null;
}

// Of most events there is nothing to say.
const NOTHING: OracleJudgement[] = [];

/** All monitors of histories; a new one is added here. */
export const HISTORY_MONITORS: readonly HistoryMonitor[] = [
  inventoryMonitor,
  limitsMonitor,
  earlyRenewalsMonitor,
  namedPetsMonitor,
  hiddenPetsMonitor,
  quantityBoundMonitor,
  wrongMethodsMonitor,
  returningKeysMonitor,
  schemeLettersMonitor,
  spoiltConnectionsMonitor,
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

/** Collects what monitors report. */
function collectReports() {
  let said = NOTHING;
  let strange = NOTHING_STRANGE;
  const say = (judgement: OracleJudgement): void => {
    if (said.length === 0) {
      said = [judgement];
    } else {
      said.push(judgement);
    }
  };
  return {
    of: (by: string): HistoryReporter => {
      const passOf = passesOf(by);
      return {
        judge: (id, holds, message, ...proof) => {
          const isPlain = holds && proof.length === 0;
          say(isPlain ? passOf(id) : { by, id, holds, message: holds ? '' : message(), proof });
        },
        accuse: (accusation) => say({ by, holds: false, ...accusation }),
        noteStrange: ({ idle, unexplained }) => {
          if (idle.length > 0 || unexplained > 0) {
            strange = { idle: [...strange.idle, ...idle], unexplained: strange.unexplained + unexplained };
          }
        },
      };
    },
    /** From now on, only what is said of another event counts. */
    begin: (): void => {
      said = NOTHING;
    },
    said: (): readonly OracleJudgement[] => said,
    strange: (): StrangeChanges => strange,
  };
}

/** Follows which keys a target was shown to count wrongly. */
function followMiscounts() {
  const miscounted = new Set<string | null>();
  let isRemainingWrong = false;
  return {
    note: ({ id, holds, proof, others = [] }: OracleJudgement): void => {
      if (!holds && COUNTED_BY_KEY.has(id)) {
        miscounted.add(proof.at(-1)?.key ?? null);
        isRemainingWrong ||= [id, ...others.map((one) => one.id)].includes('remaining-falls');
      }
    },
    /** Whether a key is one of them, or X-RateLimit-Remaining is wrong, whatever the key. */
    isMiscounted: (label: string): boolean => isRemainingWrong || miscounted.has(label),
  };
}

/**
 * Judges a history of exchanges, whoever made it, of which nothing is known at first. It accuses only what no target that
 * keeps the specification could have answered.
 */
export function openOracle(clock: ServerClock, monitors: readonly HistoryMonitor[] = HISTORY_MONITORS) {
  const keys = new Map<string, KnownKey>();
  const underWay = new Map<number, UnderWay>();
  const traffic = followTraffic();
  const bans = followBans(clock, traffic);
  let overlap: Overlap | null = null;
  const context: HistoryContext = {
    clock,
    keyOf: (label) => keys.get(label),
    requestOf: (id) => underWay.get(id)?.request,
    trafficOf: traffic.of,
    overlap: () => overlap,
    mayBeBanned: bans.mayBeBanned,
    isRefusalDue: ({ credential, since }) =>
      since === 'others answered' && credential.kind === 'valid' && traffic.of(credential.key).hasUsedUp,
  };
  const reports = collectReports();
  const miscounts = followMiscounts();
  const opened = monitors.map(({ id, open }) => open(context, reports.of(id)));
  const follow = (event: HistoryEvent): void => {
    overlap = null;
    switch (event.type) {
      case 'key-known':
        keys.set(event.key.label, event.key);
        if (event.key.isExclusive && event.key.usedToday === null) {
          traffic.beginInMiddle(event.key.label, event.key.exclusiveSince);
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
        const label = labelOf(event);
        const departure = label === null ? null : traffic.enter(label, event);
        underWay.set(event.id, { request: event, label, departure });
        if (label !== null) {
          bans.sent(label, event);
        }
        break;
      }
      case 'response-received':
      case 'response-lost': {
        const { label = null, departure = null } = underWay.get(event.id) ?? {};
        if (label !== null && departure !== null) {
          overlap = traffic.leave(departure, event);
          bans.ended(label, event, overlap);
        }
        break;
      }
      default:
    }
  };
  return {
    /** Takes the next event. @returns what it shows */
    accept: (event: HistoryEvent): readonly OracleJudgement[] => {
      reports.begin();
      follow(event);
      opened.forEach((take) => take(event));
      if (event.type === 'response-received' || event.type === 'response-lost') {
        underWay.delete(event.id);
      }
      reports.said().forEach(miscounts.note);
      return reports.said();
    },
    isMiscounted: miscounts.isMiscounted,
    mayBeBanned: bans.mayBeBanned,
    mayOtherBeBanned: bans.mayOtherBeBanned,
    mostEndured: bans.mostEndured,
    strangeChanges: reports.strange,
  };
}
