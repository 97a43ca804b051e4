import { BAN_STATUSES } from '../../../contract/bans.ts';
import { isAccepted, rateLimitOf, type Exchange } from '../exchange.ts';
import type { HistoryContext, HistoryMonitor } from '../history-monitor.ts';
import type { HistoryEvent, SentRequest } from '../history.ts';
import { secondsToWait } from '../server-clock.ts';
import { blameGrant, blameRefusal, blameWait, type Accusation, type Suspects } from './blame.ts';
import { openKeyLimits, type KeyLimits } from './key-limits.ts';
import { enter, labelOf, leave, type Overlap } from './key-traffic.ts';
import type { LimitedRequest } from './window-model.ts';

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
    'limit-over-spellings',
    'keys-independent-at-limit',
    'keys-independent-in-ban',
    'retry-after-honoured',
    'ban-only-after-continued',
    'ban-ends',
  ],
  open: (context, report) => {
    const keys = new Map<string, KeyLimits>();
    const accuse = ({ id, message, proof }: Accusation): void =>
      report.judge(id, false, () => message, ...proof);
    return (event) => {
      switch (event.type) {
        case 'key-known': {
          const known = openKeyLimits(event.key, context.clock);
          if (known !== null) {
            keys.set(event.key.label, known);
          }
          return;
        }
        case 'gap':
          keys.forEach((key) => {
            key.minute.forget(event.at);
            key.day.forget(event.at);
          });
          return;
        case 'request-sent': {
          const key = keys.get(labelOf(event) ?? '');
          if (key !== undefined) {
            enter(key.traffic, event);
          }
          return;
        }
        case 'response-lost':
        case 'response-received': {
          const request = context.requestOf(event.id);
          const key = request === undefined ? undefined : keys.get(labelOf(request) ?? '');
          if (request === undefined || key === undefined) {
            return;
          }
          const overlap = leave(key.traffic, event);
          if (event.type === 'response-received') {
            judge(key, request, event, overlap, { context, others: keys, accuse });
          }
          return;
        }
        default:
      }
    };
  },
};

interface Court {
  readonly context: HistoryContext;
  readonly others: ReadonlyMap<string, KeyLimits>;
  readonly accuse: (accusation: Accusation) => void;
}

function judge(key: KeyLimits, request: SentRequest, event: Received, overlap: Overlap, court: Court): void {
  const { exchange } = event;
  const { lost } = key.traffic;
  const limited: LimitedRequest = {
    decided: { from: exchange.sentAt, to: exchange.receivedAt },
    underWay: overlap.underWay,
    overlapsFrom: Math.min(exchange.sentAt, overlap.overlapsFrom),
    lost,
  };
  // What is no documented operation may be answered without a look at the key.
  if (isAccepted(exchange) && exchange.request.operation !== null) {
    key.waits.end(overlap);
    judgeGrant(key, exchange, limited, formOf(request), court);
    return;
  }
  const { status } = exchange.response;
  const mayBeBanned = court.context.mayBeBanned(key.label, exchange);
  const isJudged = request.credential.kind === 'valid' && key.isExclusive;
  const isRefusal = isJudged && (status === 429 || (BAN_STATUSES.has(status) && isInventory(exchange)));
  if (!isRefusal) {
    key.waits.end(overlap);
  }
  const broken = isRefusal ? key.waits.refuse(exchange, overlap, lost) : null;
  if (broken !== null) {
    court.accuse(blameWait(key.label, exchange, broken, mayBeBanned));
    forget(key, exchange.receivedAt);
    return;
  }
  if (isJudged && status === 429) {
    judgeRefusal(key, exchange, limited, formOf(request), mayBeBanned, court);
  }
  key.minute.mayCount(limited);
  key.day.mayCount(limited);
}

function judgeGrant(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  form: string,
  { accuse }: Court,
): void {
  for (const window of ['minute', 'day'] as const) {
    if (!key[window].grant(limited)) {
      accuse(blameGrant(key, window, exchange, form));
      key[window].forget(exchange.receivedAt);
    }
  }
}

function judgeRefusal(
  key: KeyLimits,
  exchange: Exchange,
  limited: LimitedRequest,
  form: string,
  mayBeBanned: boolean,
  { accuse, others, context }: Court,
): void {
  const { minute, day } = key;
  const used = { minute: minute.atMostUsed(limited), day: day.atMostUsed(limited) };
  const hasRoom = windowWithRoom(key, exchange);
  const byMinute = hasRoom !== 'minute' && minute.couldRefuse(limited);
  if (byMinute) {
    key.keptAt = used.minute === minute.limit ? exchange.receivedAt : key.keptAt;
    key.refusedForms.set(form, exchange.receivedAt);
  }
  if (byMinute || mayBeBanned || (hasRoom !== 'day' && day.couldRefuse(limited))) {
    return;
  }
  const suspects = lookAround(key, exchange, others, context);
  accuse(blameRefusal(key, exchange, used, suspects));
  forget(key, exchange.receivedAt);
}

/** The window that cannot be what refused, since its headers say that something remains. */
function windowWithRoom({ limits }: KeyLimits, exchange: Exchange): 'minute' | 'day' | null {
  const reading = rateLimitOf(exchange);
  if (reading === undefined || reading.remaining <= 0 || limits.perMinute === limits.perDay) {
    return null;
  }
  return reading.limit === limits.perMinute ? 'minute' : reading.limit === limits.perDay ? 'day' : null;
}

/** After what cannot be explained, nothing is known of the key. */
function forget(key: KeyLimits, now: number): void {
  key.minute.forget(now);
  key.day.forget(now);
}

function lookAround(
  key: KeyLimits,
  exchange: Exchange,
  others: ReadonlyMap<string, KeyLimits>,
  { clock, mayBeBanned }: HistoryContext,
): Suspects {
  const waiting = [...others.values()].filter(
    (other) => other !== key && other.waits.until() > exchange.sentAt,
  );
  return {
    atLimit: waiting[0]?.label ?? null,
    banned: waiting.find(({ label }) => mayBeBanned(label, exchange))?.label ?? null,
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
