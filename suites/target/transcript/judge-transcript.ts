import { isDeepStrictEqual } from 'node:util';

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
  type Credential,
  type Exchange,
  type Judgements,
  type Key,
  type RequestMessage,
} from '../../oracle/index.ts';
import { beginHistory, presentedCredential, type TargetHistory, type ToldRequest } from '../history.ts';
import { noteJudgements, judgeExchange } from '../http/judge-exchange.ts';
import { createTargetClient, type TargetAddress, type TargetClient } from '../http/target-client.ts';
import { createRedactor } from '../redaction/redaction.ts';
import { openTrailLog, type TrailLog } from '../trail/trail-log.ts';
import { atLine } from './line-file.ts';
import { itemsMember, momentMember, readKeyLine, readReceivedLine, readSentLine } from './read-lines.ts';

/** What a transcript shows when it is judged. */
export interface TranscriptJudgement {
  readonly judgements: Judgements;
  /** The keys that were told, each with its pseudonym in place of the secret. */
  readonly keys: readonly Key[];
  readonly requests: number;
  readonly histories: number;
  /** Responses by their status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Requests by the label of the key that they may count on. */
  readonly byKey: ReadonlyMap<string, number>;
}

/** A request that is under way. */
interface Flight {
  readonly number: number;
  readonly client: TargetClient;
  readonly request: RequestMessage;
  readonly sentAt: number;
  readonly authorization: readonly string[];
  readonly spender: string | null;
  readonly told: ToldRequest;
  readonly logged: ReturnType<TrailLog['sent']>;
}

/** Something that a line begins and another one ends. */
interface Begun<End> {
  readonly end: End;
  readonly from: number;
}

/** Changes with each line. */
interface Progress {
  /** The credential of the request that is told just now, if the transcript says it. */
  said: Credential | null;
  /** What the inventory was replaced with last, or `null`. */
  store: readonly InventoryItem[] | null;
  /** How many requests and replacements were told. */
  numbers: number;
  requests: number;
  lastStart: number;
}

/** What is open while a transcript is judged, line by line. */
type Judging = ReturnType<typeof openJudging>;

function openJudging(address: TargetAddress, scope: 'all' | 'limits') {
  const progress: Progress = { said: null, store: null, numbers: 0, requests: 0, lastStart: 0 };
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
    flights: new Map<number, Flight>(),
    /** Those that got no response. */
    lost: new Map<number, Flight>(),
    /** Responses to requests that had got none before, by number. */
    retried: new Map<number, { readonly client: TargetClient; readonly exchange: Exchange }>(),
    replacements: new Map<number, Begun<ReturnType<TargetHistory['replacingInventory']>>>(),
    /** By history and label. */
    revocations: new Map<string, Begun<ReturnType<TargetHistory['revokingKey']>>>(),
    statuses: new Map<number, number>(),
    byKey: new Map<string, number>(),
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
): TranscriptJudgement {
  const judging = openJudging(address, scope);
  for (const [index, line] of lines.entries()) {
    atLine(index, () => take(line, judging));
  }
  const { judgements, keys, requests, clients, statuses, byKey } = judging;
  return { judgements, keys: [...keys.values()], requests, histories: clients.size, statuses, byKey };
}

/** The kinds of lines, and what each says. */
const MEMBERS: Readonly<Record<string, string>> = {
  clock: 'now from at gains loses',
  key: 'history key plan perMinute perDay issued usedToday pseudonym issuedAt',
  'revoked before': 'history pseudonym',
  revoke: 'history key from',
  revoked: 'history key from at',
  replace: 'history number from',
  replaced: 'history number items at',
  claim: 'history pets at',
  name: 'history pets',
  miss: 'history at',
  send: 'history number at operation method path authorization headers body inParts spender credential',
  receive: 'number at key lost connection milliseconds startedAt status headers body',
  lose: 'number at',
  unanswered: 'number at words since',
  spoilt: 'number before stray times',
};

const TAKERS: Readonly<Record<string, (line: JsonObject, judging: Judging) => void>> = {
  clock: (line, { clock }) => {
    const now = numberMember(line, 'now');
    const from = numberMember(line, 'from');
    const at = momentMember(line, 'at', from);
    // A whole number may have been rounded down.
    const rounding = Number.isInteger(now) ? 1 : 0;
    const drift = { gains: shareMember(line, 'gains'), loses: shareMember(line, 'loses') };
    clock.learnFromControl({ earliest: now, latest: now + (at - from) / 1000 + rounding }, at, drift);
  },
  key: takeKey,
  'revoked before': (line, judging) => {
    const pseudonym = stringMember(line, 'pseudonym');
    if (!judging.revoked.includes(pseudonym)) {
      judging.revoked.push(pseudonym);
      judging.redactor.hide(pseudonym, `revoked#${judging.revoked.length}`);
    }
    clientOf(line, judging).history.learnRevoked(pseudonym);
  },
  revoke: (line, judging) => {
    const { secret, label } = keyOf(line, judging);
    const from = numberMember(line, 'from');
    logOf(countMember(line, 'history'), label, from, judging).revoked(secret, from);
    const end = clientOf(line, judging).history.revokingKey(secret, from);
    judging.revocations.set(revocationOf(line), { end, from });
  },
  revoked: (line, judging) => {
    keyOf(line, judging);
    const revocation = judging.revocations.get(revocationOf(line));
    if (revocation?.from !== numberMember(line, 'from')) {
      throw new SyntaxError('it ends a revocation that was not begun');
    }
    revocation.end(momentMember(line, 'at', revocation.from));
  },
  replace: (line, judging) => {
    const from = numberMember(line, 'from');
    const end = clientOf(line, judging).history.replacingInventory(from);
    judging.replacements.set(nextNumber(line, judging), { end, from });
  },
  replaced: (line, judging) => {
    const begun = judging.replacements.get(countMember(line, 'number'));
    if (begun === undefined) {
      throw new SyntaxError('it ends a replacement that was not begun');
    }
    const items = orNull(line, 'items', itemsMember);
    begun.end(items, momentMember(line, 'at', begun.from));
    if (items !== null) {
      judging.logs.forEach((log) => log.replaced(items, begun.from));
      judging.store = items;
    }
  },
  claim: (line, judging) => {
    clientOf(line, judging).history.claimPets(petIdsOf(line), numberMember(line, 'at'));
  },
  name: (line, judging) => {
    clientOf(line, judging).history.namePets(petIdsOf(line));
  },
  spoilt: (line, { retried }) => {
    const again = retried.get(countMember(line, 'number'));
    if (again === undefined) {
      throw new SyntaxError('it is no request that had got no response before');
    }
    const { client, exchange } = again;
    const before = objectMember(line, 'before');
    const stray = orNull(line, 'stray', countMember);
    const found = {
      before: { words: stringMember(before, 'words'), status: countMember(before, 'status') },
      ...(stray === null ? {} : { stray }),
      times: countMember(line, 'times'),
      exchange,
    };
    const said = client.history.connectionSpoilt(found);
    noteJudgements(client, said, { unanswered: exchange.request, isOracles: false });
  },
  miss: (line, judging) => {
    clientOf(line, judging).history.missed(numberMember(line, 'at'));
  },
  send: takeSent,
  receive: takeReceived,
  lose: (line, judging) => {
    const flight = landed(line, judging);
    const { told, logged, sentAt } = flight;
    const at = momentMember(line, 'at', sentAt);
    told.lost(at);
    logged.lost(at);
    judging.lost.set(flight.number, flight);
  },
  unanswered: (line, { lost }) => {
    const flight = lost.get(countMember(line, 'number'));
    if (flight === undefined) {
      throw new SyntaxError('it is no request that was lost');
    }
    const { told, client, request, sentAt } = flight;
    const at = momentMember(line, 'at', sentAt);
    const found = { at, words: stringMember(line, 'words'), since: wordMember(line, 'since', SINCE) };
    noteJudgements(client, told.unanswered(found), { unanswered: request });
  },
};

const SINCE = ['others answered', 'nothing answered', 'nothing answered to several'] as const;

function take(line: JsonObject, judging: Judging): void {
  const kind = wordMember(line, 'do', Object.keys(TAKERS));
  onlyMembers(line, ['do', ...(MEMBERS[kind] ?? '').split(' ')]);
  TAKERS[kind]?.(line, judging);
}

/** A share that earlier transcripts do not tell. */
function shareMember(line: JsonObject, name: string): number {
  return line[name] === undefined ? 0 : numberMember(line, name);
}

function petIdsOf(line: JsonObject): ReadonlySet<bigint> {
  const texts = stringsMember(line, 'pets');
  const odd = texts.find((text) => !/^-?\d+$/.test(text));
  if (odd !== undefined) {
    throw new SyntaxError(`pets has ${JSON.stringify(odd)}, which is no petId`);
  }
  return new Set(texts.map(BigInt));
}

function revocationOf(line: JsonObject): string {
  return `${countMember(line, 'history')} ${stringMember(line, 'key')}`;
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
  const history = beginHistory(
    clock,
    isWhole ? undefined : [limitsMonitor],
    (request, authorization, secrets) => judging.said ?? presentedCredential(request, authorization, secrets),
  );
  const client = createTargetClient(
    { ...address, headers: [] },
    {
      signal: new AbortController().signal,
      clock,
      judgements,
      history,
      ...(isWhole ? {} : { monitors: HEADER_MONITORS }),
      redactor,
      revokedKeys: revoked,
      log: judging.openLog(),
    },
  );
  judging.clients.set(number, client);
  return client;
}

function takeKey(line: JsonObject, judging: Judging): void {
  const { key, knownAt } = readKeyLine(line);
  const known = judging.keys.get(key.label);
  if (known !== undefined && !isDeepStrictEqual({ ...known, usage: null }, { ...key, usage: null })) {
    throw new SyntaxError(`${key.label} was another key before`);
  }
  judging.keys.set(key.label, known ?? key);
  judging.redactor.hide(key.secret, key.label);
  clientOf(line, judging).history.learnKey(known ?? key, knownAt);
}

/** What whoever used that key did. */
function logOf(history: number, label: string | null, at: number, judging: Judging): TrailLog {
  const name = `${history} ${label ?? ''}`;
  const log = judging.logs.get(name) ?? judging.openLog();
  if (!judging.logs.has(name)) {
    judging.logs.set(name, log);
    if (judging.store !== null) {
      log.found(judging.store, at);
    }
  }
  return log;
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
  const { request, authorization, sentAt, spender, credential } = readSentLine(line);
  const client = clientOf(line, judging);
  const number = nextNumber(line, judging);
  const key = spender === null ? null : keyOf({ key: spender }, judging);
  if (key !== null) {
    client.keys.set(key.label, key);
    judging.byKey.set(key.label, (judging.byKey.get(key.label) ?? 0) + 1);
  }
  judging.said = credential;
  const told = client.history.requestSent(request, authorization, sentAt, spender);
  judging.said = null;
  judging.requests += 1;
  const log = logOf(countMember(line, 'history'), spender, sentAt, judging);
  const logged = log.sent({ request, authorization, at: sentAt }, key);
  judging.flights.set(number, { number, client, request, sentAt, authorization, spender, told, logged });
}

/** The request that a line ends. */
function landed(line: JsonObject, { flights }: Judging): Flight {
  const number = countMember(line, 'number');
  const flight = flights.get(number);
  if (flight === undefined) {
    throw new SyntaxError(`${number} is no request that is under way`);
  }
  flights.delete(number);
  return flight;
}

// Longer than any request is waited for.
const MOST_UNDER_WAY_MILLISECONDS = 3_600_000;

function takeReceived(line: JsonObject, judging: Judging): void {
  const { number, client, request, sentAt, authorization, spender, told, logged } = landed(line, judging);
  const { label, ...received } = readReceivedLine(line, sentAt);
  const known = label === null ? null : keyOf(line, judging);
  if (known !== null && (label !== spender || authorization[0] !== `Bearer ${known.secret}`)) {
    throw new SyntaxError('key is not the one that the request presented');
  }
  const startedAt = received.startedAt.getTime();
  if (startedAt < judging.lastStart - MOST_UNDER_WAY_MILLISECONDS) {
    throw new SyntaxError('startedAt is long before that of the line before');
  }
  judging.lastStart = Math.max(judging.lastStart, startedAt);
  const { status } = received.response;
  judging.statuses.set(status, (judging.statuses.get(status) ?? 0) + 1);
  const exchange: Exchange = {
    request: { ...request, path: client.basePath + request.path },
    authorization: authorization.length === 0 ? null : client.redactor.redact(authorization.join(' | ')),
    key: label,
    sentAt,
    ...received,
  };
  logged.received(exchange);
  if (exchange.lostResponses > 0) {
    judging.retried.set(number, { client, exchange });
  }
  judgeExchange(client, exchange, { key: known, spender, fields: authorization.length, told });
}
