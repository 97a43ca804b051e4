import { readInventoryItem } from '../../../contract/inventory.ts';
import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import { accusationOf } from '../accusation.ts';
import {
  demandsOn,
  readRequest,
  readToBeAnswered,
  type Demand,
  type Presence,
  type RequestReading,
} from '../answers/permitted-answers.ts';
import { describeDemand, describeUnanswered } from '../answers/describe-demand.ts';
import { isAccepted, jsonOf, listOf, type Exchange, type RequestMessage } from '../exchange.ts';
import type { HistoryEvent, UnansweredRequest } from '../history.ts';
import type { HistoryContext, HistoryMonitor } from '../history-monitor.ts';
import { endOverdue, followWrites, type Flight } from './follow-writes.ts';
import { judgeUpdateAnswer, type AnsweredUpdate } from './judge-answer.ts';
import { judgeList } from './judge-list.ts';
import {
  beginReplacement,
  endReplacement,
  forget,
  presenceDuring,
  unknownStore,
  type KnownStore,
} from './known-store.ts';
import type { InventoryList } from '../inventory-list.ts';
import type { ReadSpan } from './possible-entries.ts';
import { judgeSpelledLists } from './spelled-lists.ts';
import { keepTaggedLists } from './tagged-lists.ts';
import { keepWriteRecords, type WriteRecord, type WriteRecords } from './write-record.ts';

type Report = Parameters<HistoryMonitor['open']>[1];

/** Answers that no permitted server gives, and lists that no permitted store shows. */
export const inventoryMonitor: HistoryMonitor = {
  id: 'inventory-history',
  title: 'Each request is answered as documented, and updates alone change the inventory',
  judges: [
    'list-succeeds',
    'update-succeeds',
    'update-missing-quantity',
    'update-invalid-quantity',
    'update-malformed-body',
    'update-unknown-pet',
    'update-exact-pet',
    'missing-key',
    'unknown-key',
    'altered-key',
    'revoked-key',
    'bearer-scheme',
    'every-operation-authenticates',
    'authentication-first',
    'item-pet-id',
    'update-sets',
    'update-persists',
    'update-touches-one-entry',
    'refused-changes-nothing',
    'list-complete',
    'valid-key-accepted',
  ],
  open: (context, report) => {
    const store = unknownStore();
    const records = keepWriteRecords();
    const writes = followWrites(store, records);
    const judge = openJudge(store, records, context, report);
    const lost: { readonly flight: Flight; readonly at: number }[] = [];
    const readAgain = readWithRepetitions();
    let now = 0;
    return (event) => {
      now += 1;
      switch (event.type) {
        case 'request-sent':
          while (lost[0] !== undefined && lost[0].at + LATEST_MILLISECONDS < event.at) {
            endOverdue(store, lost[0].flight, now - 1);
            lost.shift();
          }
          writes.sent(event, readAgain(event.request), now);
          break;
        case 'response-received': {
          const flight = writes.flightOf(event.id);
          if (flight !== undefined) {
            judge.answer(flight, event.exchange);
            writes.answered(flight, event.exchange, now);
            judge.heldBack();
            judge.list(flight, event.exchange, now);
          }
          break;
        }
        case 'response-lost': {
          const flight = writes.flightOf(event.id);
          if (flight !== undefined) {
            writes.lost(flight, now);
            lost.push({ flight, at: event.at });
            judge.heldBack();
          }
          break;
        }
        case 'request-unanswered':
          judgeUnanswered(
            event,
            lost.find(({ flight }) => flight.sent.request === event.request)?.flight.presence ?? 'unknown',
            { report, context },
          );
          break;
        default:
          followStore(store, event, now);
          if (event.type === 'inventory-replacement-begun') {
            writes.disturb(now);
          }
      }
    };
  },
};

// Servers that know such keys keep them for a day or so.
const MOST_IDEMPOTENCY_KEYS = 10_000;

/** A server may answer what comes again with the same Idempotency-Key as it did before, and change nothing. */
function readWithRepetitions(): (request: RequestMessage) => RequestReading {
  const seen = new Set<string>();
  return (request) => {
    const reading = readRequest(request);
    const key = request.headers.find(([name]) => /idempotency-key$/i.test(name))?.[1];
    if (key === undefined) {
      return reading;
    }
    const isAgain = seen.has(key);
    const [oldest = ''] = seen.size < MOST_IDEMPOTENCY_KEYS ? [] : seen;
    seen.delete(oldest);
    seen.add(key);
    return isAgain ? { ...reading, fields: 'open', body: 'unasked' } : reading;
  };
}

// What a target carries out so late after its connection broke hardly exists.
const LATEST_MILLISECONDS = 60_000;

/** What happens to the store beside requests. */
function followStore(store: KnownStore, event: HistoryEvent, now: number): void {
  if (event.type === 'gap') {
    forget(store, false, now);
  } else if (event.type === 'inventory-ours') {
    store.claimed = null;
    forget(store, true, now);
  } else if (event.type === 'pets-ours') {
    store.claimed = event.petIds;
    forget(store, true, now);
  } else if (event.type === 'inventory-replacement-begun') {
    beginReplacement(store, now);
  } else if (event.type === 'inventory-replaced') {
    endReplacement(store, event.items, now);
  }
}

/** Judges what answers show, by what is known of the store before they change it. */
function openJudge(
  store: KnownStore,
  records: WriteRecords,
  { mayBeBanned }: HistoryContext,
  report: Report,
) {
  const judgeForm = openFormJudge(report);
  const proven = new Set<RequirementId>();
  const lists = openListJudge(store, records, report, proven);
  let answersHeldBack: (() => void)[] = [];
  // Whether an update was granted that changed something.
  let hasChanged = false;
  const judgeAnswered = (update: AnsweredUpdate): void => {
    for (const { requirement, holds, message } of judgeUpdateAnswer(update)) {
      report.judge(requirement, holds, () => message, update.exchange);
      if (!holds && requirement === 'update-sets') {
        proven.add(requirement);
      }
    }
  };
  return {
    answer: (flight: Flight, exchange: Exchange): void => {
      const { sent, reading, writes, sentAt } = flight;
      const { status } = exchange.response;
      const { credential } = sent;
      const label = 'key' in credential ? credential.key : null;
      const isRefusedForKey =
        status === 429 ||
        (credential.kind === 'valid' && (status === 401 || status === 403)) ||
        (label !== null && (status === 401 || status === 403) && mayBeBanned(label, exchange));
      if (isRefusedForKey) {
        return;
      }
      const petWrite = writes === null || writes === 'any pet' ? null : writes;
      const presence = petWrite === null ? 'unknown' : presenceDuring(store, petWrite.petId, sentAt);
      const changesNothing = petWrite?.before.length === 1 && petWrite.before[0] === petWrite.quantity;
      const demands = demandsOn(reading, credential, presence);
      hasChanged ||= petWrite !== null && status === 200 && !changesNothing;
      const why = hasChanged ? '; the pet stood at that already' : '';
      const due = changesNothing ? ofNoChange(demands, why) : demands;
      judgeDemands(report, due, reading.refusals, exchange);
      judgeForm(flight, exchange);
      if (
        petWrite !== null &&
        status === 200 &&
        !exchange.response.isBodyOmitted &&
        credential.kind !== 'missing' &&
        credential.kind !== 'invalid'
      ) {
        const judgeIt = (): void => judgeAnswered({ ...petWrite, rivals: petWrite.rivals(), exchange });
        if (store.wild.size === 0 || answersHeldBack.length >= MOST_HELD_BACK) {
          judgeIt();
        } else {
          answersHeldBack.push(judgeIt);
        }
      }
    },
    list: lists.list,
    heldBack: (): void => {
      if (store.wild.size > 0) {
        return;
      }
      const answers = answersHeldBack;
      answersHeldBack = [];
      answers.forEach((judgeIt) => judgeIt());
      lists.heldBack();
    },
  };
}

// While one request is under way.
const MOST_HELD_BACK = 64;

/** A list, and the updates that were answered since the one before. */
interface ListSeen {
  readonly exchange: Exchange;
  readonly list: InventoryList;
  readonly span: ReadSpan;
  readonly records: readonly WriteRecord[];
  /** Whether it came before, and 304 to its tag says that the list is still that one. */
  readonly isTold: boolean;
}

/** Compares lists with the store, and says what they show. */
function openListJudge(store: KnownStore, records: WriteRecords, report: Report, proven: Set<RequirementId>) {
  const judgeSpelled = judgeSpelledLists(store);
  let heldBack: ListSeen[] = [];
  let lastList = -Infinity;
  const tagged = keepTaggedLists();
  const compare = ({ exchange, list, span, records: since, isTold }: ListSeen): void => {
    const isFirst = store.entries === null;
    const { sentAt, receivedAt } = exchange;
    const moment = { records: since, span, at: receivedAt, before: lastList, took: receivedAt - sentAt };
    const { accusations, isWhole, isDoubtful, strange } = judgeList(store, list, moment, proven);
    report.noteStrange(strange);
    for (const { requirement, message, cause } of accusations) {
      const words = isTold ? `${message} It was answered 304 to the tag of an earlier list.` : message;
      report.judge(requirement, false, () => words, ...(cause === undefined ? [] : [cause]), exchange);
    }
    if (isWhole || isFirst) {
      lastList = exchange.sentAt;
    }
    if (isWhole && !isDoubtful) {
      passRest(new Set(accusations.map(({ requirement }) => requirement)), since, report, exchange);
    }
    if (isWhole) {
      records.settle(span.sentAt);
    }
  };
  return {
    list: ({ sent, reading: { target, fields }, sentAt }: Flight, exchange: Exchange, now: number): void => {
      const isList = target.kind !== 'undocumented' && target.operation === 'listInventory';
      const { status } = exchange.response;
      const told = isList && status === 304 ? tagged.toldOf(sent) : undefined;
      const list = isList && status === 200 ? listOf(exchange) : told;
      if (list === undefined) {
        return;
      }
      const span = { sentAt, now };
      const isTold = told !== undefined;
      if (target.kind === 'spelled' || (fields !== 'plain' && !isTold)) {
        const accusation = fields === 'plain' ? judgeSpelled(sent.request.path, list, span) : undefined;
        if (accusation !== undefined) {
          report.judge(accusation.requirement, false, () => accusation.message, exchange);
        }
        return;
      }
      if (!isTold) {
        tagged.keep(exchange, list);
      }
      const seen = { exchange, list, span, records: records.all(), isTold };
      if (store.wild.size === 0) {
        compare(seen);
      } else if (store.isOurs && heldBack.length < MOST_HELD_BACK) {
        heldBack.push({ ...seen, records: [...seen.records] });
        store.heldBackSince = Math.min(store.heldBackSince, sentAt);
      }
    },
    /** Compares what could not be compared before. */
    heldBack: (): void => {
      if (heldBack.length > 0) {
        const lists = heldBack;
        heldBack = [];
        store.heldBackSince = Number.POSITIVE_INFINITY;
        lists.forEach(compare);
      }
    },
  };
}

/**
 * What is refused of an update to the quantity at which its pet stands is hardly a matter of which pet it is.
 * @param why what the messages say of it
 */
function ofNoChange(demands: readonly Demand[], why: string): readonly Demand[] {
  const own = demands.find(({ requirement: id }) => id === 'update-succeeds');
  return own === undefined
    ? demands
    : [{ ...own, wanted: `${own.wanted}${why}` }, ...demands.filter((one) => one !== own)];
}

const DECIDES = ['must', 'should'] as const;

/**
 * Of several demands that one answer does not meet, each explains it, the first above all.
 * @param refusals statuses that the header fields of the request may be the reason of
 */
function judgeDemands(
  report: Report,
  demands: readonly Demand[],
  refusals: RequestReading['refusals'],
  exchange: Exchange,
): void {
  const { status } = exchange.response;
  const isMet = ({ permits }: Demand): boolean => permits(status);
  for (const { requirement: id, onlyExplains } of demands.filter(isMet)) {
    if (onlyExplains !== true) {
      report.judge(id, true, () => '', exchange);
    }
  }
  const unmet = refusals.includes(status) ? [] : demands.filter((demand) => !isMet(demand));
  for (const level of unmet.length === 0 ? [] : DECIDES) {
    const [likeliest, ...others] = unmet
      .filter(({ requirement: id }) => requirement(id).level === level)
      .map((demand) => ({ id: demand.requirement, message: describeDemand(demand, exchange) }));
    if (likeliest !== undefined) {
      report.accuse(accusationOf([exchange], likeliest, ...others));
    }
  }
}

const NO_STATUS = 0;

/**
 * Breaks what the answer of a documented request would have shown, if it is not left open how that is answered.
 * @param presence of its pet when it was sent
 */
function judgeUnanswered(
  unanswered: UnansweredRequest,
  presence: Presence,
  { report, context }: { readonly report: Report; readonly context: HistoryContext },
): void {
  const reading = readToBeAnswered(unanswered);
  if (reading === null || context.isRefusalDue(unanswered)) {
    return;
  }
  const { body } = reading;
  const demand = demandsOn(reading, unanswered.credential, presence).find(
    ({ permits }) => !permits(NO_STATUS),
  );
  const isNumber = typeof body === 'object' && body.kind === 'open';
  const id = isNumber ? 'update-succeeds' : (demand?.requirement ?? 'valid-key-accepted');
  // Whether it should have been carried out or answered 404 is not known then.
  if (id !== 'update-succeeds' || presence === 'present') {
    report.accuse({ id, message: describeUnanswered(unanswered), proof: [] });
  }
}

/** What a list that was compared with the whole store bears out. */
function passRest(
  broken: ReadonlySet<string>,
  all: readonly WriteRecord[],
  report: Report,
  exchange: Exchange,
): void {
  const pass = (...ids: readonly HistoryMonitor['judges'][number][]): void => {
    for (const id of ids.filter((one) => !broken.has(one))) {
      report.judge(id, true, () => '', exchange);
    }
  };
  pass('list-complete');
  if (all.some(({ isAccepted: accepted }) => accepted)) {
    pass('update-persists', 'update-sets', 'update-touches-one-entry', 'update-exact-pet');
  }
  if (all.some(({ isAccepted: accepted }) => !accepted)) {
    pass('refused-changes-nothing');
  }
}

const MOST_FORMS = 1_000;

/** A spelling of a path that reaches an operation with a key does not reach it without one. */
function openFormJudge(report: Report): (flight: Flight, exchange: Exchange) => void {
  const accepted = new Set<string>();
  return ({ sent, reading: { target } }, exchange) => {
    if (target.kind !== 'spelled') {
      return;
    }
    const { method, path } = sent.request;
    const form = `${method} ${path}`;
    const { kind } = sent.credential;
    if (kind === 'valid' && isAccepted(exchange) && accepted.size < MOST_FORMS) {
      accepted.add(form);
    } else if ((kind === 'missing' || kind === 'invalid') && (accepted.has(form) || showsItems(exchange))) {
      const { credential } = sent;
      const own = credential.kind === 'invalid' ? credential.requirement : 'missing-key';
      for (const id of ['every-operation-authenticates', own] as const) {
        report.judge(
          id,
          !isAccepted(exchange),
          () => `${form} without a valid key was answered ${exchange.response.status}.`,
          exchange,
        );
      }
    }
  };
}

function showsItems(exchange: Exchange): boolean {
  return (
    isAccepted(exchange) &&
    ((listOf(exchange)?.items.size ?? 0) > 0 || 'item' in readInventoryItem(jsonOf(exchange)))
  );
}
