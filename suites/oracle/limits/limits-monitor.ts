import { BAN_STATUSES } from '../../../contract/bans.ts';
import { isAccepted, rateLimitOf, type Exchange } from '../exchange.ts';
import { readRequest } from '../answers/permitted-answers.ts';
import { readRequestTarget } from '../answers/request-target.ts';
import type { HistoryContext, HistoryMonitor } from '../history-monitor.ts';
import type { HistoryEvent, SentRequest } from '../history.ts';
import { secondsToWait } from '../server-clock.ts';
import {
  blameBanAnswer,
  blameGrant,
  blameIntrusion,
  blameOtherRefusal,
  blameRefusal,
  blameRemaining,
  blameRemainingOfRefusal,
  blameWait,
  type Accusation,
  type Manner,
  type Suspects,
} from './blame.ts';
import { DAY_SECONDS, MINUTE_SECONDS, type Plan } from '../../../contract/plans.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { openKeyLimits, type CommonPhases, type DescribedWindow, type KeyLimits } from './key-limits.ts';
import { isGranted, labelOf, type Overlap } from './key-traffic.ts';
import type { Bursts } from './bursts.ts';
import { followCoincidences, type Coincidences } from './coincidences.ts';
import type { RoomSpan } from './timeline.ts';
import { countOperations, type OperationCounts } from './operation-counts.ts';
import { anyCounterPhase } from './phases.ts';
import { readRemaining } from './remaining.ts';
import type { KeptWait } from './waits.ts';
import { MARGIN_MILLISECONDS } from './margin.ts';
import type { LimitedRequest } from './window-model.ts';

const INSTANT_MILLISECONDS = 1e-6;
const WINDOWS = ['minute', 'day'] as const;
// So many right values of X-RateLimit-Remaining show that a key by itself is counted well.
const RIGHT_ENOUGH = 3;

type Received = Extract<HistoryEvent, { readonly type: 'response-received' }>;

/** Each key is granted what its plan says, under some window algorithm that the readings permit. */
export const limitsMonitor: HistoryMonitor = {
  id: 'limits',
  title: 'A key is granted its limit, no more and no fewer, and what it was told to wait for ends',
  judges: [
    'minute-limit-free',
    'minute-limit-pro',
    'minute-limit-business',
    'minute-limit-enterprise',
    'day-limit-free',
    'day-limit-pro',
    'day-limit-business',
    'day-limit-enterprise',
    'limit-renews',
    'ban-answer',
    'remaining-falls',
    'remaining-counts-operations',
    'limit-over-spellings',
    'limit-under-concurrency',
    'refusal-is-429',
    'keys-independent-at-limit',
    'keys-independent-in-ban',
    'retry-after-honoured',
    'ban-only-after-continued',
    'ban-ends',
  ],
  open: (context, report) => {
    const keys = new Map<string, KeyLimits>();
    const operations = countOperations();
    const findings = {
      phases: commonPhases(),
      coincidences: openCoincidences(context),
      keptBy: { minute: new Set<Plan>(), day: new Set<Plan>() },
      distrustsRemaining: false,
      answers: 0,
      rightAlone: 0,
    };
    const accuse = ({ id, message, proof }: Accusation): void =>
      report.judge(id, false, () => message, ...proof);
    const pass = (id: RequirementId): void => report.judge(id, true, () => '');
    const court: Court = { context, others: keys, accuse, pass, operations, findings };
    return (event) => {
      switch (event.type) {
        case 'key-known': {
          const traffic = context.trafficOf(event.key.label);
          const known = openKeyLimits(event.key, traffic, context.clock, findings.phases);
          if (known !== null) {
            keys.set(event.key.label, known);
          }
          return;
        }
        case 'key-forgotten':
          keys.delete(event.key);
          return;
        case 'gap':
          keys.forEach((key) => {
            forget(key, event.at);
            key.waits.forget();
          });
          return;
        case 'response-received': {
          const request = context.requestOf(event.id);
          const overlap = context.overlap();
          const key = request === undefined ? undefined : keys.get(labelOf(request) ?? '');
          if (request !== undefined && key !== undefined && overlap !== null) {
            judge(key, request, event, overlap, court);
          }
          return;
        }
        default:
      }
    };
  },
};

/** A client that waited as it was told was let in. */
function passWait(kept: KeptWait | null, { pass }: Court): void {
  if (kept !== null) {
    pass(kept.wasBanned ? 'ban-ends' : 'retry-after-honoured');
  }
  if (kept?.isFirst === true) {
    pass('ban-only-after-continued');
  }
}

/** What was found out of the target, whichever key showed it. */
interface Findings {
  readonly phases: CommonPhases;
  readonly coincidences: Readonly<Record<'minute' | 'day', Coincidences>>;
  /** Plans of which a key was refused after exactly as many requests as its limit, sent one by one. */
  readonly keptBy: Readonly<Record<'minute' | 'day', Set<Plan>>>;
  /** Whether X-RateLimit-Remaining is wrong, so that nothing is built on it. */
  distrustsRemaining: boolean;
  /** Responses of all keys. */
  answers: number;
  /** How often X-RateLimit-Remaining was right when no other key was used since the response before. */
  rightAlone: number;
}

// Days are counted from the midnight of some time zone, which is a whole quarter of an hour away from that of UTC.
const QUARTER_SECONDS = 900;

function openCoincidences({ clock }: HistoryContext): Findings['coincidences'] {
  return {
    minute: followCoincidences(clock, {
      length: MINUTE_SECONDS * 1000,
      edges: MINUTE_SECONDS,
      // Minutes are used up again and again.
      leastLikely: 1e-9,
    }),
    day: followCoincidences(clock, { length: DAY_SECONDS * 1000, edges: QUARTER_SECONDS, leastLikely: 5e-6 }),
  };
}

function commonPhases(): CommonPhases {
  return { minute: anyCounterPhase(), day: anyCounterPhase() };
}

interface Court {
  readonly context: HistoryContext;
  readonly others: ReadonlyMap<string, KeyLimits>;
  readonly accuse: (accusation: Accusation) => void;
  readonly pass: (id: RequirementId) => void;
  readonly operations: OperationCounts;
  readonly findings: Findings;
}

function judge(key: KeyLimits, request: SentRequest, event: Received, overlap: Overlap, court: Court): void {
  const { exchange } = event;
  const { lost } = key.traffic;
  const limited: LimitedRequest = {
    decided: { from: exchange.sentAt, to: exchange.receivedAt },
    underWay: overlap.underWay,
    overlapsFrom: Math.min(exchange.sentAt, overlap.overlapsFrom),
    // Of moments that are the same, nobody knows which came first.
    after: overlap.answeredMeanwhile === 0 ? exchange.receivedAt : exchange.sentAt - INSTANT_MILLISECONDS,
    lost,
  };
  const isAmongOthers = overlap.underWay > 0 || overlap.answeredMeanwhile > 0;
  const manner = (): Manner => ({
    form: formOf(request),
    isOnlyConcurrent: isAmongOthers && court.findings.keptBy.minute.has(key.plan),
    isAmongOthers,
  });
  const isAmidOthers = noteAnswer(key, court.findings);
  const isDocumented = isGranted(exchange);
  if (isDocumented || (isAccepted(exchange) && isSpelledOperation(request))) {
    passWait(key.waits.grant(exchange, overlap, key.traffic), court);
    const described = describedWindow(key, exchange);
    const burst = key.isExclusive ? key.bursts.grant(limited) : null;
    if (isDocumented) {
      const isAmid = isAmidOthers && !isAmongOthers;
      judgeRemaining(key, exchange, described, limited, overlap, { manner, isAmid }, court);
    }
    judgeGrant(key, exchange, limited, burst, manner, court);
    noteDescribed(key, described);
    return;
  }
  const { status } = exchange.response;
  const mayBeBanned = court.context.mayBeBanned(key.label, exchange);
  const isJudged = request.credential.kind === 'valid' && key.isExclusive;
  const isRefusal = isJudged && (status === 429 || (BAN_STATUSES.has(status) && isInventory(exchange)));
  if (!isRefusal) {
    key.waits.end(overlap);
  }
  if (isJudged && mayBeBanned) {
    blameBanAnswer(key, exchange, servedStatuses(request)).forEach(court.accuse);
  }
  const broken = isRefusal ? key.waits.refuse(exchange, overlap, key.traffic) : null;
  if (broken !== null) {
    blameWait(key.label, exchange, broken, mayBeBanned).forEach(court.accuse);
    if (status === 429) {
      // Beside the broken word, the window itself may not have ended.
      judgeRefusal(key, exchange, limited, manner, mayBeBanned, court);
    }
    forget(key, exchange.receivedAt);
    return;
  }
  if (isJudged && status === 429) {
    judgeRefusal(key, exchange, limited, manner, mayBeBanned, court);
  } else if (isJudged && exchange.request.operation !== null) {
    judgeOtherRefusal(key, exchange, limited, overlap, mayBeBanned, court);
  }
  noteDescribed(key, describedWindow(key, exchange));
  if (status !== 429) {
    key.bursts.interrupt();
  }
  key.minute.mayCount(limited);
  key.day.mayCount(limited);
}

/** @returns whether another key was answered since the last answer of this one */
function noteAnswer(key: KeyLimits, findings: Findings): boolean {
  const isAmid = key.answersOfAll !== null && key.answersOfAll !== findings.answers;
  findings.answers += 1;
  key.answersOfAll = findings.answers;
  return isAmid;
}

/** How a faultless request may be answered of a key that is not refused; `null` if it is none. */
function servedStatuses({ request }: SentRequest): readonly number[] | null {
  const { target, fields, body } = readRequest(request);
  if (target.kind !== 'documented' || fields !== 'plain') {
    return null;
  }
  if (target.operation === 'listInventory') {
    return body === 'none' ? [200] : null;
  }
  // Whether the pet is in the store is not known here.
  return typeof body === 'object' && body.kind === 'plain' ? [200, 404] : null;
}

/** Whether it is a documented operation in a spelling that makes no difference to a limit. */
function isSpelledOperation({ request: { method, path } }: SentRequest): boolean {
  return readRequestTarget({ method, path: plainPath(path) }).kind === 'documented';
}

/** Without a query, a trailing slash, and percent-encoded letters and digits. */
function plainPath(path: string): string {
  return path
    .replace(/\?.*$/s, '')
    .replace(/(?<=.)\/$/, '')
    .replaceAll(/%(?:3\d|[46][1-9a-f]|[57][\da])/gi, (code) => decodeURIComponent(code));
}

function judgeRemaining(
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
  const { answered } = key.traffic;
  const operation = exchange.request.operation ?? '';
  const { limit } = key[window];
  const reading = readRemaining(described, exchange, overlap, key.traffic);
  const { used } = reading;
  const isRight = key[window].couldTell(limited, reading);
  if (isRight === true) {
    pass('remaining-falls');
  }
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
      accuse(blameGrant(key, window, exchange, manner()));
      key[window].forget(exchange.receivedAt);
    } else {
      accuse(blameRemaining(key, exchange, used, operation, operations));
      if (isAmid && findings.rightAlone >= RIGHT_ENOUGH) {
        accuse(blameIntrusion(key, exchange, lookAround(key, exchange, others, context).banned));
      }
      findings.distrustsRemaining = true;
      Object.assign(findings.phases[window], anyCounterPhase());
      key[window].mistrustTold();
    }
  }
  key.usedByOperation.set(operation, used);
  key.lastUsed = { window, operation, used, answered };
}

/** The window that the headers describe, and what remains of it, if they tell. */
function describedWindow({ limits }: KeyLimits, exchange: Exchange): DescribedWindow | null {
  const reading = rateLimitOf(exchange);
  if (reading === undefined || limits.perMinute === limits.perDay) {
    return null;
  }
  const { limit, remaining, reset } = reading;
  return limit === limits.perMinute
    ? { window: 'minute', limit, remaining, reset }
    : limit === limits.perDay
      ? { window: 'day', limit, remaining, reset }
      : null;
}

function judgeGrant(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  burst: ReturnType<Bursts['grant']>,
  manner: () => Manner,
  court: Court,
): void {
  const { accuse } = court;
  for (const window of WINDOWS) {
    if (!key[window].grant(limited)) {
      accuse(blameGrant(key, window, exchange, manner()));
      key[window].forget(exchange.receivedAt);
    }
  }
  judgeCoincidences(key, exchange, limited, burst, manner, court);
}

/** What windows may have made room for once, they do not make room for again and again. */
function judgeCoincidences(
  key: KeyLimits,
  exchange: Exchange,
  { decided }: LimitedRequest,
  burst: ReturnType<Bursts['grant']>,
  manner: () => Manner,
  { accuse, context, findings: { coincidences } }: Court,
): void {
  const end = key.firstDay?.grant(decided) ?? null;
  if (end !== null) {
    coincidences.day.note(blameGrant(key, 'day', exchange, manner()), end, 1).forEach(accuse);
  }
  if (burst === null || key.minute.mayMakeRoom(burst.stretch) || isNearReset(key, burst.stretch, context)) {
    return;
  }
  const accusation = blameGrant(key, 'minute', exchange, manner());
  coincidences.minute.note(accusation, burst.stretch, burst.places).forEach(accuse);
}

/** Who waits for the moment that was told may come at the very end of a window. */
function isNearReset({ lastReset }: KeyLimits, { from, to }: RoomSpan, { clock }: HistoryContext): boolean {
  const [earliest, latest] = [clock.at(from)?.earliest, clock.at(to)?.latest];
  const margin = MARGIN_MILLISECONDS / 1000;
  return (
    lastReset !== null &&
    earliest !== undefined &&
    latest !== undefined &&
    lastReset >= earliest - margin &&
    lastReset <= latest + margin
  );
}

function judgeRefusal(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  manner: () => Manner,
  mayBeBanned: boolean,
  court: Court,
): void {
  const { accuse, others, context, findings } = court;
  const { minute, day } = key;
  const used = { minute: minute.atMostUsed(limited), day: day.atMostUsed(limited) };
  // If something remains of the window that the headers describe, it is not what refuses.
  const described = describedWindow(key, exchange);
  const hasRoom =
    described !== null && described.remaining > 0 && !findings.distrustsRemaining ? described.window : null;
  const byMinute = hasRoom !== 'minute' && minute.couldRefuse(limited);
  const byDay = hasRoom !== 'day' && day.couldRefuse(limited);
  if (byMinute !== byDay) {
    passLimit(key, exchange, byDay ? 'day' : 'minute', manner(), court);
    if (!mayBeBanned) {
      court.pass('refusal-is-429');
    }
  }
  if (byMinute) {
    const { form, isAmongOthers } = manner();
    key.refusedForms.set(form, exchange.receivedAt);
    key.refusedSince = Math.min(key.refusedSince, exchange.receivedAt);
    if (used.minute === minute.limit) {
      key.keptAt = exchange.receivedAt;
      if (!isAmongOthers) {
        findings.keptBy.minute.add(key.plan);
      }
    }
  }
  if (byMinute || mayBeBanned || byDay) {
    noteFullWindow(key, limited, manner(), { byMinute, byDay, mayBeBanned, usedToday: used.day }, findings);
    return;
  }
  const isFull =
    (hasRoom === 'minute' && minute.atLeastGranted(exchange.receivedAt) >= minute.limit) ||
    (hasRoom === 'day' && used.day === day.limit);
  if (described !== null && isFull) {
    // As the refusal says.
    accuse(blameRemainingOfRefusal(key, exchange, described.remaining));
    findings.distrustsRemaining = true;
    return;
  }
  const suspects = lookAround(key, exchange, others, context);
  const { isAmongOthers } = manner();
  blameRefusal(key, exchange, used, {
    ...suspects,
    manner: manner(),
    isKept: {
      minute: !isAmongOthers && findings.keptBy.minute.has(key.plan),
      day: !isAmongOthers && findings.keptBy.day.has(key.plan),
    },
  }).forEach(accuse);
  forget(key, exchange.receivedAt);
}

/** A key was granted exactly its limit before it was refused. */
function passLimit(
  key: KeyLimits,
  { sentAt, receivedAt }: Exchange,
  window: 'minute' | 'day',
  { isAmongOthers }: Manner,
  { pass }: Court,
): void {
  if (key[window].atLeastGranted(receivedAt) !== key[window].limit) {
    return;
  }
  pass(`${window}-limit-${key.plan}`);
  if (window === 'minute' && isAmongOthers) {
    pass('limit-under-concurrency');
  }
  if (window === 'minute' && key.keptAt < sentAt - MINUTE_SECONDS * 1000 && key.keptAt > -Infinity) {
    pass('limit-renews');
  }
}

/** Takes note of a refusal that one window alone explains. */
function noteFullWindow(
  key: KeyLimits,
  limited: LimitedRequest,
  { isAmongOthers }: Manner,
  by: {
    readonly byMinute: boolean;
    readonly byDay: boolean;
    readonly mayBeBanned: boolean;
    readonly usedToday: number;
  },
  { keptBy }: Findings,
): void {
  if (by.byMinute && !by.byDay) {
    // A ban does not end as soon as it is told either.
    key.bursts.refuse(limited);
  }
  if (by.mayBeBanned) {
    return;
  }
  if (!by.byMinute) {
    const { answered, underWay } = key.traffic;
    key.wasDayFull = true;
    if (answered + underWay.size < key.day.limit) {
      key.firstDay?.refuse(limited.decided);
    }
    if (by.usedToday === key.day.limit && !isAmongOthers) {
      keptBy.day.add(key.plan);
    }
  }
}

/** A 403 is no answer to a valid key that is not banned, and neither is a 503 at its limit. */
function judgeOtherRefusal(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  overlap: Overlap,
  mayBeBanned: boolean,
  { accuse, context }: Court,
): void {
  const { status } = exchange.response;
  const isBeyond = status >= 500 && isBeyondLimit(key, exchange, limited, overlap);
  if (!isBeyond && (mayBeBanned || status !== 403 || !isInventory(exchange))) {
    return;
  }
  const by = {
    minute: isBeyond || key.minute.couldRefuse(limited),
    day: key.day.couldRefuse(limited),
  };
  accuse(blameOtherRefusal(key.label, exchange, by, secondsToWait(exchange, context.clock)));
  forget(key, exchange.receivedAt);
}

/** Whether nothing remained of a window before a request, and nothing remains after it. */
function isBeyondLimit(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  { sent }: Overlap,
): boolean {
  const described = describedWindow(key, exchange);
  const before = key.lastDescribed;
  return (
    described?.remaining === 0 &&
    before?.remaining === 0 &&
    before.window === described.window &&
    key.describedAt === sent.answered &&
    // A window of one request shows the same in every request.
    key[described.window].limit > 1 &&
    key[described.window].isFullUnlessEnded(limited)
  );
}

function noteDescribed(key: KeyLimits, described: DescribedWindow | null): void {
  key.lastReset = described?.reset ?? key.lastReset;
  key.lastDescribed = described;
  key.describedAt = key.traffic.answered;
}

/** After what cannot be explained, nothing is known of the key. */
function forget(key: KeyLimits, now: number): void {
  key.minute.forget(now);
  key.day.forget(now);
  key.firstDay?.forget();
}

function lookAround(
  key: KeyLimits,
  exchange: Exchange,
  others: ReadonlyMap<string, KeyLimits>,
  { clock, mayBeBanned }: HistoryContext,
): Omit<Suspects, 'manner' | 'isKept'> {
  const waiting = [...others.values()].filter(
    (other) => other !== key && other.waits.until() > exchange.sentAt,
  );
  const banned = waiting.find(({ label }) => mayBeBanned(label, exchange));
  return {
    atLimit: waiting.find(({ waits }) => !waits.showsBan())?.label ?? null,
    banned: banned?.label ?? null,
    wait: secondsToWait(exchange, clock),
  };
}

function isInventory({ request: { operation } }: Exchange): boolean {
  return operation === 'listInventory' || operation === 'updateInventory';
}

const SPELLINGS = [
  [/^[^?]*\/(?:\?|$)/, 'a trailing slash'],
  [/\?/, 'a query string'],
  [/%/, 'percent-encoding'],
] as const;

/** What a request asks for, and in which spelling; a memory of them stays small. */
function formOf({ request: { operation, method, path }, credential }: SentRequest): string {
  const spelled = SPELLINGS.filter(([sign]) => sign.test(path)).map(([, name]) => name);
  const key = credential.kind === 'open' ? ['another spelling of the key'] : [];
  const what = operation ?? method;
  const signsOf = [...spelled, ...key];
  return signsOf.length === 0 ? what : `${what} with ${signsOf.join(' and ')}`;
}
