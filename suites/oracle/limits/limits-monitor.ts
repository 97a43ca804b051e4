import { BAN_STATUSES } from '../../../contract/bans.ts';
import { DAY_LIMITS, MINUTE_LIMITS, type RequirementId } from '../../../contract/requirements/index.ts';
import { describeUnanswered } from '../answers/describe-demand.ts';
import { readToBeAnswered } from '../answers/permitted-answers.ts';
import { isAccepted, rateLimitOf, type Exchange } from '../exchange.ts';
import type { Accusation, HistoryMonitor } from '../history-monitor.ts';
import type { SentRequest } from '../history.ts';
import { followAftermath } from './explaining/aftermath.ts';
import { explainBanAnswer, explainWait } from './explaining/ban.ts';
import {
  type JudgedAnswer,
  type JudgingContext,
  type Findings,
  type Manner,
  forgetKey,
  openFindings,
} from './judging/judging-context.ts';
import { describedWindow, noteDescribed } from './judging/described-window.ts';
import { judgeGrant, passWait } from './judging/judge-grant.ts';
import { judgeBlock, judgeOtherRefusal, judgeRefusal } from './judging/judge-refusal.ts';
import { judgeRemaining, judgeRemainingOfRefused, settleTold } from './judging/judge-remaining.ts';
import { joinGroup, leaveGroup } from './judging/refused-together.ts';
import {
  askedOperation,
  formOf,
  isInventory,
  isSpelledOperation,
  servedStatuses,
} from './judging/request-form.ts';
import { openKeyLimits, type KeyLimits } from './key-limits.ts';
import { isGranted, labelOf } from './key-traffic.ts';
import { countOperations } from './operation-counts.ts';
import { INSTANT_MILLISECONDS } from './margin.ts';
import { readRemaining } from './remaining.ts';
import { isApart, lookBeside, passIndependence } from './judging/look-around.ts';
import { judgeSharedBan } from './judging/shared-ban.ts';
import { judgeSharedWindow } from './judging/shared-window.ts';
import { isAlone, type LimitedRequest } from './windows/counted-requests.ts';

// Fewer are hardly banned for.
const MANY_CONTINUED = 5;

const noMessage = (): string => '';

/** Each key is granted what its plan says, under some window algorithm that the readings permit. */
export const limitsMonitor: HistoryMonitor = {
  id: 'limits',
  title: 'A key is granted its limit, no more and no fewer, and what it was told to wait for ends',
  judges: [
    ...MINUTE_LIMITS,
    ...DAY_LIMITS,
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
    'retry-after-plausible',
    'ban-only-after-continued',
    'ban-ends',
  ],
  open: (context, report) => {
    const keys = new Map<string, KeyLimits>();
    const operations = { minute: countOperations(), day: countOperations() };
    const findings = openFindings(context.clock);
    const pass = (id: RequirementId): void => report.judge(id, true, noMessage);
    const withAftermath = followAftermath();
    const accuse = (accusation: Accusation): void => report.accuse(withAftermath(accusation));
    const ofAll: JudgingContext = { context, others: keys, accuse, pass, operations, findings };
    // What keys show that were given with limits which are not theirs is true of no other.
    const ofOne = new Map<string, JudgingContext>();
    return (event) => {
      switch (event.type) {
        case 'key-known': {
          const traffic = context.trafficOf(event.key.label);
          const known = openKeyLimits(event.key, traffic, context.clock, findings.kinds);
          if (known !== null) {
            keys.set(event.key.label, known);
            findings.shared.used(known, event.key.usedToday ?? 0, event.key.issuedAt ?? 0);
          }
          return;
        }
        case 'key-forgotten':
          keys.delete(event.key);
          ofOne.delete(event.key);
          return;
        case 'gap':
          keys.forEach((key) => {
            forgetKey(key, event.at);
            key.waits.forget();
            // What was not seen may have been a request that led to a ban.
            key.mayBeBanned = true;
            key.group = key.group === null ? null : { ...key.group, mayBeBanned: true };
          });
          return;
        case 'request-sent': {
          const key = keys.get(labelOf(event) ?? '');
          keys.get(heldBy(event) ?? '')?.heldElsewhere.add(event.id);
          if (key?.traffic.underWay === 1) {
            key.mayBeBanned = context.mayBeBanned(key.label);
          }
          return;
        }
        case 'response-received': {
          const request = context.requestOf(event.id);
          const held = request === undefined ? undefined : heldBy(request);
          if (held !== undefined) {
            noteUncertain(keys.get(held), event.id, event.exchange);
            return;
          }
          const overlap = context.overlap();
          const known = request === undefined ? undefined : keys.get(labelOf(request) ?? '');
          if (request !== undefined && known !== undefined && overlap !== null) {
            const { exchange } = event;
            let key = known;
            if (isGivenWrongly(known, exchange)) {
              key = openApart(known, ofAll, ofOne);
              keys.set(key.label, key);
            }
            const judging = ofOne.get(key.label) ?? ofAll;
            judge(key, { request, exchange, overlap }, judging);
            judging.findings.onlySliding.settle().forEach(accuse);
            settleTold(judging);
          }
          return;
        }
        case 'request-unanswered':
          if (context.isRefusalDue(event) && readToBeAnswered(event) !== null) {
            const message = `${describeUnanswered(event)} Its key had been told that nothing remains of its limit, so that 429 was due.`;
            report.accuse({ id: 'refusal-is-429', message, proof: [] });
          }
          return;
        default:
      }
    };
  },
};

/** Whether the first answer of a configured key names a limit that is none of those which it was given with. */
function isGivenWrongly({ issuedAt, answersOfAll, limits }: KeyLimits, exchange: Exchange): boolean {
  if (issuedAt !== undefined || answersOfAll !== null || !isAccepted(exchange)) {
    return false;
  }
  const { limit = limits.perDay } = rateLimitOf(exchange) ?? {};
  return limit !== limits.perMinute && limit !== limits.perDay;
}

/** Begins a key anew whose answers tell nothing of other keys. */
function openApart(key: KeyLimits, ofAll: JudgingContext, ofOne: Map<string, JudgingContext>): KeyLimits {
  const findings = openFindings(ofAll.context.clock);
  ofOne.set(key.label, { ...ofAll, findings });
  return openKeyLimits(key, key.traffic, ofAll.context.clock, findings.kinds) ?? key;
}

/** A request that holds a key in a way that is refused may count on it all the same. */
function noteUncertain(key: KeyLimits | undefined, id: number, { sentAt, receivedAt }: Exchange): void {
  const decided = { from: sentAt, to: receivedAt };
  const request = { decided, underWay: 0, overlapsFrom: sentAt, after: receivedAt, lost: 0, isAllSeen: true };
  key?.minute.mayCountElsewhere(request);
  key?.day.mayCountElsewhere(request);
  if (key !== undefined) {
    key.heldElsewhere.delete(id);
    key.fewestTold = null;
  }
}

/** The good key that a request holds in a way that is refused. */
function heldBy({ credential }: SentRequest): string | undefined {
  return credential.kind === 'invalid' ? credential.holds : undefined;
}

/** Judges an answer by itself, and with those that were under way together. */
function judge(
  key: KeyLimits,
  { request, exchange, overlap }: Pick<JudgedAnswer, 'request' | 'exchange' | 'overlap'>,
  judging: JudgingContext,
): void {
  const { lost, unseenUntil } = key.traffic;
  const limited: LimitedRequest = {
    decided: { from: exchange.sentAt, to: exchange.receivedAt },
    underWay: overlap.underWay,
    overlapsFrom: Math.min(exchange.sentAt, overlap.overlapsFrom),
    // Of moments that are the same, nobody knows which came first.
    after: overlap.answeredMeanwhile === 0 ? exchange.receivedAt : exchange.sentAt - INSTANT_MILLISECONDS,
    lost,
    isAllSeen: exchange.sentAt >= unseenUntil && key.heldElsewhere.size === 0,
  };
  const isAmongOthers = overlap.underWay > 0 || overlap.answeredMeanwhile > 0;
  noteConnection(key, exchange, isAmongOthers, judging.findings);
  const manner = (): Manner => ({
    form: formOf(request),
    isOnlyConcurrent: isAmongOthers && judging.findings.keptBy.minute.has(key.plan),
    isAmongOthers,
  });
  const group = joinGroup(key, exchange, overlap);
  const isFirstRefused = !group.mayBeBanned && group.refusals.length === 0 && lost === 0;
  const described = describedWindow(key, exchange);
  const mayBeBanned = judging.context.mayBeBanned(key.label, exchange);
  const seen = { described, mayBeBanned, isAmongOthers, isFirstRefused };
  const operation = askedOperation(request);
  const answer = { request, exchange, overlap, operation, limited, manner, ...seen };
  const answersBetween = noteAnswer(key, judging.findings);
  if (isGranted(exchange) || (isAccepted(exchange) && isCounted(key, answer, judging))) {
    judgeAccepted(key, answer, answersBetween, judging);
  } else {
    judgeNotAccepted(key, answer, judging);
  }
  if (request.credential.kind === 'valid' && BAN_STATUSES.has(exchange.response.status)) {
    group.refusals.push(exchange);
  }
  leaveGroup(key, group, answer, judging);
}

// A target answers few spellings.
const MOST_FORMS = 64;

/** Whether it surely counted: by its spelling, or as one like it that was sent alone took one off what a granted one left. */
function isCounted(key: KeyLimits, answer: JudgedAnswer, { findings }: JudgingContext): boolean {
  const { request, overlap, limited, described } = answer;
  if (isSpelledOperation(request)) {
    return true;
  }
  const { countedForms, distrustsRemaining } = findings;
  const form = `${request.request.method} ${request.request.path.replaceAll(/\d+/g, '0')}`;
  const before = key.lastDescribed;
  if (
    key.isExclusive &&
    before?.isOfGrant === true &&
    before.answered === overlap.sent.answered &&
    before.window === described?.window &&
    before.remaining === described.remaining + 1 &&
    isAlone(limited) &&
    countedForms.size < MOST_FORMS
  ) {
    countedForms.add(form);
  }
  return countedForms.has(form) && !distrustsRemaining;
}

// What comes on more of them is hardly kept by the server.
const MOST_CONNECTIONS = 4_096;

function noteConnection(
  key: KeyLimits,
  { response: { connection } }: Exchange,
  isAmongOthers: boolean,
  { connections }: Findings,
): void {
  key.connection ??= connection ?? null;
  key.hasSeveralConnections ||= isAmongOthers || (connection !== undefined && connection !== key.connection);
  const isTold = connection !== undefined && connections.size < MOST_CONNECTIONS;
  key.isOnNewConnection = isTold && !connections.has(connection) && !isAmongOthers;
  if (isTold) {
    connections.add(connection);
  }
}

function judgeAccepted(
  key: KeyLimits,
  answer: JudgedAnswer,
  answersBetween: number,
  judging: JudgingContext,
): void {
  const { request, exchange, overlap, isAmongOthers, limited, described } = answer;
  const kept = key.waits.grant(exchange, overlap, key.traffic);
  passWait(kept, described, judging);
  if (kept !== null) {
    // What is accepted from now on shows nothing of what was refused before that wait.
    key.refusedForms.clear();
    key.waitedAt = exchange.receivedAt;
    key.banEndedAt = kept.wasBanned ? exchange.receivedAt : key.banEndedAt;
  }
  const refusal = key.isExclusive ? key.refusals.grant(limited) : null;
  if (refusal !== null) {
    key.minute.wasRefused(refusal);
  }
  const burst = key.isExclusive ? key.bursts.grant(limited) : null;
  const amid = isAmongOthers ? 0 : answersBetween;
  judgeRemaining(key, answer, amid, judging);
  if (amid > 0 && isGranted(exchange)) {
    passIndependence(key, exchange, judging);
  }
  judgeGrant(key, answer, burst, judging);
  key.grantedForms.set(formOf(request), exchange.receivedAt);
  key.grantedAt = exchange.receivedAt;
  key.firstGrantedAt = Math.min(key.firstGrantedAt, exchange.receivedAt);
  key.atLimitSince = Number.NEGATIVE_INFINITY;
  noteDescribed(key, described, true);
}

function judgeNotAccepted(key: KeyLimits, answer: JudgedAnswer, judging: JudgingContext): void {
  const { request, exchange, overlap, limited, described, mayBeBanned } = answer;
  const { status } = exchange.response;
  // What was under way together was not sent after the refusals among it.
  key.continued += mayBeBanned && key.mayBeBanned ? 1 : 0;
  key.hasGoneOn ||= key.continued >= MANY_CONTINUED;
  const isJudged = request.credential.kind === 'valid' && key.isExclusive;
  const isRefusal = isJudged && (status === 429 || (BAN_STATUSES.has(status) && isInventory(exchange)));
  if (isJudged && mayBeBanned) {
    judgeBanAnswer(key, request, exchange, judging);
  }
  if (isJudged) {
    judgeSharedBan(key, answer, judging);
  }
  if (!isRefusal) {
    key.waits.end(exchange, overlap);
  }
  const first = key.waits.onlyRefusal();
  key.toldUntil = key.waits.until();
  const mayBeFull = (): boolean => key.minute.couldRefuse(limited) || key.day.couldRefuse(limited);
  const broken = isRefusal ? key.waits.refuse(exchange, overlap, key.traffic, mayBeFull) : null;
  if (broken !== null) {
    judging.accuse(
      explainWait(key, exchange, {
        ...broken,
        hadContinued: mayBeBanned,
        window: described?.window ?? 'minute',
        isApart: isApart(key, exchange, judging),
        beside: lookBeside(key, exchange, judging),
      }),
    );
    if (status === 429) {
      // Beside the broken word, the window itself may not have ended.
      judgeRefusal(key, answer, judging);
    }
    forgetKey(key, exchange.receivedAt);
    return;
  }
  let isByMinute = false;
  if (described !== null) {
    key[described.window].tellsRefused(readRemaining(described, limited.decided, overlap, key.traffic));
    if (status === 429 && !mayBeBanned) {
      judgeSharedWindow(key, answer, described, judging);
    }
  }
  if (isJudged && status === 429) {
    judgeBlock(key, answer, first, judging);
    const isOfBan = mayBeBanned && !answer.isFirstRefused;
    isByMinute = judgeRefusal(key, { ...answer, mayBeBanned: isOfBan }, judging);
    key.refusals.refuse(limited, !isByMinute);
  } else if (isJudged && exchange.request.operation !== null) {
    judgeOtherRefusal(key, answer, judging);
    if (!mayBeBanned) {
      judgeRemainingOfRefused(key, answer, judging);
    }
  }
  noteDescribed(key, described, false);
  if (!BAN_STATUSES.has(status)) {
    judging.findings.shared.mayCount(key, exchange.receivedAt);
  }
  if (status !== 429) {
    key.otherwiseAt = exchange.request.operation === null ? key.otherwiseAt : exchange.receivedAt;
    key.bursts.interrupt();
    key.refusals.interrupt();
  }
  if (isByMinute && !mayBeBanned) {
    key.minute.refuse(limited);
  } else {
    key.minute.mayCount(limited);
  }
  key.day.mayCount(limited);
}

function judgeBanAnswer(
  key: KeyLimits,
  request: SentRequest,
  exchange: Exchange,
  judging: JudgingContext,
): void {
  const accusations = explainBanAnswer(key, exchange, servedStatuses(request));
  accusations.forEach(judging.accuse);
  if (accusations.length === 0 && key.waits.showsBan() && BAN_STATUSES.has(exchange.response.status)) {
    judging.pass('ban-answer');
  }
}

/** @returns how many answers other keys got since the last one of this key */
function noteAnswer(key: KeyLimits, findings: Findings): number {
  const between = findings.answers - (key.answersOfAll ?? findings.answers);
  findings.answers += 1;
  key.answersOfAll = findings.answers;
  return between;
}
