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
import { beginHistory, presentedCredential, type ToldRequest } from '../history.ts';
import { noteJudgements } from '../http/evidence.ts';
import { judgeExchange } from '../http/judge-exchange.ts';
import { createTargetClient, type TargetAddress, type TargetClient } from '../http/target-client.ts';
import { createRedactor, type Redactor } from '../redaction/redaction.ts';
import { openTrailLog, type TrailLog } from '../trail/trail-log.ts';
import { momentMember } from './exchange-lines.ts';
import { itemsMember, readKeyLine, readReceivedLine, readSentLine } from './read-lines.ts';

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

type Replacement = (items: readonly InventoryItem[] | null, at: number) => void;

/** What is open while a transcript is judged, line by line. */
interface Judging {
  readonly scope: 'all' | 'limits';
  readonly judgements: Judgements;
  readonly clock: ReturnType<typeof followServerClock>;
  readonly address: TargetAddress;
  readonly redactor: Redactor;
  readonly clients: Map<number, TargetClient>;
  /** What was done with each key, by history and label, so that a finding can be sent again. */
  readonly logs: Map<string, TrailLog>;
  /** Opens a log that finds the exchanges of all others. */
  readonly openLog: TrailLog['openBeside'];
  /** Pseudonyms of those that were revoked before. */
  readonly revoked: string[];
  /** By label; the secret of each is its pseudonym. */
  readonly keys: Map<string, Key>;
  readonly flights: Map<number, Flight>;
  /** Those that got no response. */
  readonly lost: Map<number, Flight>;
  readonly replacements: Map<number, { readonly end: Replacement; readonly from: number }>;
  /** By history and label. */
  readonly revocations: Map<string, { readonly end: (at: number) => void; readonly from: number }>;
  readonly statuses: Map<number, number>;
  readonly byKey: Map<string, number>;
  /** The credential of the request that is told just now, if the transcript says it. */
  said: Credential | null;
  /** Responses to requests that had got none before, by number. */
  readonly retried: Map<number, { readonly client: TargetClient; readonly exchange: Exchange }>;
  /** What the inventory was replaced with last, or `null`. */
  store: readonly InventoryItem[] | null;
  /** How many requests and replacements were told. */
  numbers: number;
  requests: number;
  lastStart: number;
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
  const judging: Judging = {
    scope,
    judgements: collectJudgements(),
    clock: followServerClock(),
    address,
    redactor: createRedactor(),
    clients: new Map(),
    logs: new Map(),
    openLog: openTrailLog().openBeside,
    revoked: [],
    keys: new Map(),
    flights: new Map(),
    lost: new Map(),
    replacements: new Map(),
    revocations: new Map(),
    statuses: new Map(),
    byKey: new Map(),
    said: null,
    retried: new Map(),
    store: null,
    numbers: 0,
    requests: 0,
    lastStart: 0,
  };
  for (const [index, line] of lines.entries()) {
    try {
      take(line, judging);
    } catch (error) {
      if (error instanceof SyntaxError) {
        throw new SyntaxError(`line ${index + 2}: ${error.message}`, { cause: error });
      }
      throw error;
    }
  }
  const { judgements, keys, requests, clients, statuses, byKey } = judging;
  return { judgements, keys: [...keys.values()], requests, histories: clients.size, statuses, byKey };
}

const KINDS = [
  'clock',
  'key',
  'revoked before',
  'revoke',
  'revoked',
  'replace',
  'replaced',
  'claim',
  'name',
  'spoilt',
  'miss',
  'send',
  'receive',
  'lose',
  'unanswered',
] as const;

const TAKERS: Readonly<Record<(typeof KINDS)[number], (line: JsonObject, judging: Judging) => void>> = {
  clock: (line, { clock }) => {
    onlyMembers(line, ['do', 'now', 'from', 'at', 'gains', 'loses']);
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
    onlyMembers(line, ['do', 'history', 'pseudonym']);
    const pseudonym = stringMember(line, 'pseudonym');
    if (!judging.revoked.includes(pseudonym)) {
      judging.revoked.push(pseudonym);
      judging.redactor.hide(pseudonym, `revoked#${judging.revoked.length}`);
    }
    clientOf(line, judging).history.learnRevoked(pseudonym);
  },
  revoke: (line, judging) => {
    onlyMembers(line, ['do', 'history', 'key', 'from']);
    const { secret, label } = keyOf(line, judging);
    const from = numberMember(line, 'from');
    logOf(countMember(line, 'history'), label, from, judging).revoked(secret, from);
    const end = clientOf(line, judging).history.revokingKey(secret, from);
    judging.revocations.set(revocationOf(line), { end, from });
  },
  revoked: (line, judging) => {
    onlyMembers(line, ['do', 'history', 'key', 'from', 'at']);
    keyOf(line, judging);
    const revocation = judging.revocations.get(revocationOf(line));
    if (revocation?.from !== numberMember(line, 'from')) {
      throw new SyntaxError('it ends a revocation that was not begun');
    }
    revocation.end(momentMember(line, 'at', revocation.from));
  },
  replace: (line, judging) => {
    onlyMembers(line, ['do', 'history', 'number', 'from']);
    const from = numberMember(line, 'from');
    const end = clientOf(line, judging).history.replacingInventory(from);
    judging.replacements.set(nextNumber(line, judging), { end, from });
  },
  replaced: (line, judging) => {
    onlyMembers(line, ['do', 'history', 'number', 'items', 'at']);
    const begun = judging.replacements.get(countMember(line, 'number'));
    if (begun === undefined) {
      throw new SyntaxError('it ends a replacement that was not begun');
    }
    const items = orNull(line, 'items', itemsMember);
    begun.end(items, momentMember(line, 'at', begun.from));
    for (const log of items === null ? [] : judging.logs.values()) {
      log.replaced(items ?? [], begun.from);
    }
    judging.store = items ?? judging.store;
  },
  claim: (line, judging) => {
    onlyMembers(line, ['do', 'history', 'pets', 'at']);
    const petIds = new Set(stringsMember(line, 'pets').map(petIdOf));
    clientOf(line, judging).history.claimPets(petIds, numberMember(line, 'at'));
  },
  name: (line, judging) => {
    onlyMembers(line, ['do', 'history', 'pets']);
    clientOf(line, judging).history.namePets(new Set(stringsMember(line, 'pets').map(petIdOf)));
  },
  spoilt: (line, { retried }) => {
    onlyMembers(line, ['do', 'number', 'before', 'stray', 'times']);
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
    onlyMembers(line, ['do', 'history', 'at']);
    clientOf(line, judging).history.missed(numberMember(line, 'at'));
  },
  send: takeSent,
  receive: takeReceived,
  lose: (line, judging) => {
    onlyMembers(line, ['do', 'number', 'at']);
    const flight = landed(line, judging);
    const { told, logged, sentAt } = flight;
    const at = momentMember(line, 'at', sentAt);
    told.lost(at);
    logged.lost(at);
    judging.lost.set(flight.number, flight);
  },
  unanswered: (line, { lost }) => {
    onlyMembers(line, ['do', 'number', 'at', 'words', 'since']);
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
  TAKERS[wordMember(line, 'do', KINDS)](line, judging);
}

/** A share that earlier transcripts do not tell. */
function shareMember(line: JsonObject, name: string): number {
  return line[name] === undefined ? 0 : numberMember(line, name);
}

function petIdOf(text: string): bigint {
  if (!/^-?\d+$/.test(text)) {
    throw new SyntaxError(`pets has ${JSON.stringify(text)}, which is no petId`);
  }
  return BigInt(text);
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
  if (known !== undefined && !isSameKey(known, key)) {
    throw new SyntaxError(`${key.label} was another key before`);
  }
  judging.keys.set(key.label, known ?? key);
  judging.redactor.hide(key.secret, key.label);
  clientOf(line, judging).history.learnKey(known ?? key, knownAt);
}

function isSameKey(one: Key, other: Key): boolean {
  return (
    one.secret === other.secret &&
    one.plan === other.plan &&
    one.issued === other.issued &&
    one.usedToday === other.usedToday &&
    one.limits?.perMinute === other.limits?.perMinute &&
    one.limits?.perDay === other.limits?.perDay
  );
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
  if (spender !== null) {
    client.keys.set(spender, keyOf({ key: spender }, judging));
    judging.byKey.set(spender, (judging.byKey.get(spender) ?? 0) + 1);
  }
  judging.said = credential;
  const told = client.history.requestSent(request, authorization, sentAt, spender);
  judging.said = null;
  judging.requests += 1;
  const log = logOf(countMember(line, 'history'), spender, sentAt, judging);
  const logged = log.sent(
    { request, authorization, at: sentAt },
    spender === null ? null : keyOf({ key: spender }, judging),
  );
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
  const presented = known === null ? null : `Bearer ${known.secret}`;
  if (label !== null && (label !== spender || presented !== authorization[0])) {
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
  judgeExchange(client, exchange, {
    key: known,
    spender,
    fields: authorization.length,
    told,
  });
}
