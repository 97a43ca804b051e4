import type { InventoryItem } from '../../../contract/inventory.ts';
import {
  countMember,
  numberMember,
  objectMember,
  onlyMembers,
  orNull,
  stringMember,
  stringsMember,
  wordMember,
  type JsonObject,
} from '../../../contract/json/index.ts';
import {
  collectJudgements,
  followServerClock,
  HEADER_MONITORS,
  limitsMonitor,
  type Exchange,
  type Key,
} from '../../oracle/index.ts';
import { beginHistory, type SentEvent, type ToldEvent } from '../history.ts';
import { noteJudgements, judgeExchange } from '../http/judge-exchange.ts';
import {
  createTargetClient,
  tellHistory,
  type TargetAddress,
  type TargetClient,
} from '../http/target-client.ts';
import { createRedactor } from '../redaction/redaction.ts';
import { openTrailLog, type TrailLog } from '../trail/trail-log.ts';
import { atLine } from './line-file.ts';
import {
  itemsMember,
  momentMember,
  readEndLine,
  readKeyLine,
  readReceivedLine,
  readSentLine,
  type EndOfRun,
} from './read-lines.ts';

/** A request, and who sent it. */
interface Flight {
  readonly client: TargetClient;
  readonly sent: SentEvent;
  /** The response to one that had got none before. */
  readonly retried?: Exchange;
}

/** Changes with each line. */
interface Progress {
  /** What the inventory was replaced with last, or `null`. */
  store: readonly InventoryItem[] | null;
  /** How many requests and replacements were told. */
  numbers: number;
  requests: number;
  /** What its run made of it; `null` as long as no line tells its end. */
  end: EndOfRun | null;
}

/** What is open while a transcript is judged, line by line. */
type Judging = ReturnType<typeof openJudging>;

function openJudging(address: TargetAddress, scope: 'all' | 'limits') {
  const progress: Progress = { store: null, numbers: 0, requests: 0, end: null };
  return {
    scope,
    address,
    judgements: collectJudgements(),
    clock: followServerClock(),
    redactor: createRedactor(),
    clients: new Map<number, TargetClient>(),
    /** What was done with each key, by history and label, so that a finding can be sent again. */
    logs: new Map<string, TrailLog>(),
    /** Opens a log that finds the exchanges of all others. */
    openLog: openTrailLog().openBeside,
    /** Pseudonyms of those that were revoked before. */
    revoked: new Array<string>(),
    /** By label; the secret of each is its pseudonym. */
    keys: new Map<string, Key>(),
    underWay: new Map<number, Flight>(),
    /** Those that got no response at first. */
    lost: new Map<number, Flight>(),
    /** When replacements began, by their numbers. */
    begun: new Map<number, number>(),
    ...progress,
  };
}

/**
 * Judges a transcript of a run again: the oracle and the monitors are told what they were told then.
 * @param lines without the first one
 * @param address where the target was, for what is shown of it
 * @param scope `limits` if bodies and what others wrote are not in it
 * @throws {SyntaxError} that names the line which cannot be, counted from the first one
 */
export function judgeTranscript(
  lines: readonly JsonObject[],
  address: TargetAddress = { origin: '', basePath: '' },
  scope: 'all' | 'limits' = 'all',
) {
  const judging = openJudging(address, scope);
  for (const [index, line] of lines.entries()) {
    atLine(index, () => take(line, judging));
  }
  const { judgements, keys, requests, clients, end } = judging;
  return { judgements, keys: [...keys.values()], requests, histories: clients.size, end };
}

type Take = (line: JsonObject, judging: Judging) => void;

/** The kinds of lines: what each says, and what is made of it. */
const KINDS: Readonly<Record<string, readonly [members: string, take: Take]>> = {
  clock: ['now from at gains loses', takeClock],
  key: ['history key plan perMinute perDay issued usedToday pseudonym issuedAt', takeKey],
  'revoked before': ['history pseudonym', takeRevokedBefore],
  revoke: ['history key from', takeRevocation],
  revoked: ['history key from at', takeRevocation],
  replace: [
    'history number from',
    (line, judging) => {
      const at = numberMember(line, 'from');
      tellHistory(clientOf(line, judging), { type: 'inventory-replacement-begun', at });
      judging.begun.set(nextNumber(line, judging), at);
    },
  ],
  replaced: ['history number items at', takeReplaced],
  claim: [
    'history pets at',
    telling((line) => ({ type: 'pets-ours', petIds: petIdsOf(line), at: numberMember(line, 'at') })),
  ],
  name: ['history pets', telling((line) => ({ type: 'pets-named', petIds: petIdsOf(line) }))],
  miss: ['history at', telling((line) => ({ type: 'gap', at: numberMember(line, 'at') }))],
  send: [
    'history number at operation method path authorization headers body inParts http10 spender credential',
    takeSent,
  ],
  receive: ['number at key lost connection milliseconds startedAt status headers body', takeReceived],
  lose: [
    'number at',
    (line, judging) => {
      const flight = landed(line, judging);
      const { id, at: sentAt } = flight.sent;
      tellHistory(flight.client, { type: 'response-lost', id, at: momentMember(line, 'at', sentAt) });
      judging.lost.set(id, flight);
    },
  ],
  unanswered: ['number at words since', takeUnanswered],
  spoilt: ['number before stray times', takeSpoilt],
  end: [
    'verdict requirements observations problems',
    (line, judging) => {
      judging.end = readEndLine(line);
    },
  ],
};

function take(line: JsonObject, judging: Judging): void {
  if (judging.end !== null) {
    throw new SyntaxError('it comes after the end');
  }
  const [members = '', takeKind] = KINDS[wordMember(line, 'do', Object.keys(KINDS))] ?? [];
  onlyMembers(line, `do ${members}`);
  takeKind?.(line, judging);
}

/** For a line that says all that is told of it. */
function telling(read: (line: JsonObject) => ToldEvent): Take {
  return (line, judging) => {
    tellHistory(clientOf(line, judging), read(line));
  };
}

function takeClock(line: JsonObject, { clock }: Judging): void {
  const now = numberMember(line, 'now');
  const from = numberMember(line, 'from');
  const at = momentMember(line, 'at', from);
  // A whole number may have been rounded down.
  const rounding = Number.isInteger(now) ? 1 : 0;
  const drift = { gains: shareMember(line, 'gains'), loses: shareMember(line, 'loses') };
  clock.learnFromControl({ earliest: now, latest: now + (at - from) / 1000 + rounding }, at, drift);
}

/** A share that earlier transcripts do not tell. */
function shareMember(line: JsonObject, name: string): number {
  return line[name] === undefined ? 0 : numberMember(line, name);
}

function takeKey(line: JsonObject, judging: Judging): void {
  const { key, knownAt } = readKeyLine(line);
  const known = judging.keys.get(key.label) ?? key;
  judging.keys.set(key.label, known);
  judging.redactor.hide(known.secret, known.label);
  const since = knownAt === null ? {} : { knownAt };
  tellHistory(clientOf(line, judging), { type: 'key-known', key: known, ...since });
}

function takeRevokedBefore(line: JsonObject, judging: Judging): void {
  const secret = stringMember(line, 'pseudonym');
  if (!judging.revoked.includes(secret)) {
    judging.revoked.push(secret);
    judging.redactor.hide(secret, `revoked#${judging.revoked.length}`);
  }
  tellHistory(clientOf(line, judging), { type: 'key-revoked-before', secret });
}

/** The beginning or the end of a revocation. */
function takeRevocation(line: JsonObject, judging: Judging): void {
  const { secret, label } = keyOf(line, judging);
  const from = numberMember(line, 'from');
  tellHistory(
    senderOf(line, label, judging),
    line['do'] === 'revoke'
      ? { type: 'key-revocation-begun', secret, at: from }
      : { type: 'key-revoked', secret, from, at: momentMember(line, 'at', from) },
  );
}

function takeReplaced(line: JsonObject, judging: Judging): void {
  const from = judging.begun.get(countMember(line, 'number'));
  if (from === undefined) {
    throw new SyntaxError('it ends a replacement that was not begun');
  }
  const items = orNull(line, 'items', itemsMember);
  const event = { type: 'inventory-replaced', items, from, at: momentMember(line, 'at', from) } as const;
  tellHistory(clientOf(line, judging), event);
  judging.logs.forEach((log) => log.tell(event));
  judging.store = items ?? judging.store;
}

function petIdsOf(line: JsonObject): ReadonlySet<bigint> {
  const texts = stringsMember(line, 'pets');
  const odd = texts.find((text) => !/^-?\d+$/.test(text));
  if (odd !== undefined) {
    throw new SyntaxError(`pets has ${JSON.stringify(odd)}, which is no petId`);
  }
  return new Set(texts.map(BigInt));
}

const SINCE = ['others answered', 'nothing answered', 'nothing answered to several'] as const;

function takeUnanswered(line: JsonObject, { lost }: Judging): void {
  const flight = lost.get(countMember(line, 'number'));
  if (flight === undefined || flight.retried !== undefined) {
    throw new SyntaxError('it is no request that was lost');
  }
  const { client, sent } = flight;
  const at = momentMember(line, 'at', sent.at);
  const found = { at, words: stringMember(line, 'words'), since: wordMember(line, 'since', SINCE) };
  const said = tellHistory(client, { type: 'request-unanswered', id: sent.id, ...found });
  noteJudgements(client, said, { unanswered: sent.request });
}

function takeSpoilt(line: JsonObject, { lost }: Judging): void {
  const { client, sent, retried } = lost.get(countMember(line, 'number')) ?? {};
  if (client === undefined || sent === undefined || retried === undefined) {
    throw new SyntaxError('it is no request that had got no response before');
  }
  const before = objectMember(line, 'before');
  const stray = orNull(line, 'stray', countMember);
  const said = tellHistory(client, {
    type: 'connection-spoilt',
    id: sent.id,
    before: { words: stringMember(before, 'words'), status: countMember(before, 'status') },
    ...(stray === null ? {} : { stray }),
    times: countMember(line, 'times'),
    exchange: retried,
  });
  noteJudgements(client, said, { unanswered: sent.request, isOracles: false });
}

/** Each history has a client of its own; all have the clock, the keys and the judgements of the run. */
function clientOf(line: JsonObject, judging: Judging): TargetClient {
  const number = countMember(line, 'history');
  const known = judging.clients.get(number);
  if (known !== undefined) {
    return known;
  }
  const { clock, judgements, address, redactor, revoked, scope } = judging;
  const isWhole = scope === 'all';
  const client = createTargetClient(
    { ...address, headers: [] },
    {
      signal: new AbortController().signal,
      clock,
      judgements,
      history: beginHistory(clock, isWhole ? undefined : [limitsMonitor]),
      ...(isWhole ? {} : { monitors: HEADER_MONITORS }),
      redactor,
      revokedKeys: revoked,
    },
  );
  judging.clients.set(number, client);
  return client;
}

/** The client of a history, as whoever used that key sent with it. */
function senderOf(line: JsonObject, label: string | null, judging: Judging): TargetClient {
  const client = clientOf(line, judging);
  const name = `${countMember(line, 'history')} ${label ?? ''}`;
  const log = judging.logs.get(name) ?? judging.openLog();
  if (!judging.logs.has(name)) {
    judging.logs.set(name, log);
    if (judging.store !== null) {
      log.found(judging.store);
    }
  }
  return { ...client, log };
}

function keyOf(line: JsonObject, { keys }: Judging): Key {
  const label = stringMember(line, 'key');
  const known = keys.get(label);
  if (known === undefined) {
    throw new SyntaxError(`${JSON.stringify(label)} is no key that was told before`);
  }
  return known;
}

function nextNumber(line: JsonObject, judging: Judging): number {
  judging.numbers += 1;
  if (countMember(line, 'number') !== judging.numbers) {
    throw new SyntaxError(`number is not ${judging.numbers}`);
  }
  return judging.numbers;
}

function takeSent(line: JsonObject, judging: Judging): void {
  const { label, ...told } = readSentLine(line);
  const id = nextNumber(line, judging);
  const spender = label === null ? null : keyOf({ key: label }, judging);
  const client = senderOf(line, label, judging);
  if (spender !== null) {
    client.keys.set(spender.label, spender);
  }
  const sent = { type: 'request-sent', id, spender, ...told } as const;
  tellHistory(client, sent);
  judging.requests += 1;
  judging.underWay.set(id, { client, sent });
}

/** The request that a line ends. */
function landed(line: JsonObject, { underWay }: Judging): Flight {
  const number = countMember(line, 'number');
  const flight = underWay.get(number);
  if (flight === undefined) {
    throw new SyntaxError(`${number} is no request that is under way`);
  }
  underWay.delete(number);
  return flight;
}

function takeReceived(line: JsonObject, judging: Judging): void {
  const { client, sent } = landed(line, judging);
  const { id, request, authorization, at: sentAt } = sent;
  const { label, ...received } = readReceivedLine(line, sentAt);
  const spender = sent.spender?.label ?? null;
  const known = label === null ? null : keyOf(line, judging);
  const exchange: Exchange = {
    request: { ...request, path: client.basePath + request.path },
    authorization: authorization.length === 0 ? null : client.redactor.redact(authorization.join(' | ')),
    key: label,
    sentAt,
    ...received,
  };
  if (exchange.lostResponses > 0) {
    judging.lost.set(id, { client, sent, retried: exchange });
  }
  judgeExchange(client, exchange, { key: known, spender, fields: authorization.length, id });
}
