import {
  booleanMember,
  countMember,
  listMember,
  numberMember,
  objectMember,
  onlyMembers,
  orNull,
  stringMember,
  stringsMember,
  wordMember,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../contract/json/index.ts';
import { findRequirement, type RequirementId } from '../../../contract/requirements/index.ts';
import {
  bodyLine,
  bodyOfLine,
  drawPseudonyms,
  headerLines,
  headersOfLine,
  itemsMember,
  momentMember,
  redactorOf,
  responseLine,
  statusMember,
} from '../../target/index.ts';
import type { ClientOutcome, ClientReply } from '../drivers/driver.ts';
import { type ClientScenario, type ClientTask, SERVICE_TRAITS } from '../scenarios/scenario.ts';
import { CLIENT_KEY_LABEL } from './record-client-exchange.ts';
import type { ScenarioRecord, ClientExchange } from './record.ts';

/** What makes texts of a record ones that may be shown. */
interface Showing {
  /** Puts a stand-in in place of the key, also in a near miss of it. */
  readonly replace: (text: string) => string;
  /** Puts a label in place of the key. */
  readonly hide: (text: string) => string;
}

/** A scenario as it went, without the key, as a line of a transcript; it can be judged again. */
export function lineOfRecord(record: ScenarioRecord): JsonObject {
  const { scenario, traffic, outcome, apiKey, baseUrl, endedFor, startedAt, durationSeconds, lateSeconds } =
    record;
  const pseudonyms = drawPseudonyms();
  const { redact } = redactorOf([[apiKey, CLIENT_KEY_LABEL]]);
  const pseudonym = pseudonyms.learn(apiKey);
  const showing = { replace: (text: string) => redact(pseudonyms.replace(text)), hide: redact };
  return {
    do: 'scenario',
    scenario: scenarioLine(scenario),
    baseUrl,
    pseudonym,
    startedAt,
    durationSeconds,
    ...(lateSeconds === undefined ? {} : { lateSeconds }),
    endedFor,
    droveIntoBan: traffic.droveIntoBan,
    ...(traffic.malformed === null ? {} : { malformed: traffic.malformed }),
    outcome: hidden(outcomeLine(outcome), redact),
    exchanges: traffic.exchanges.map((exchange) => exchangeLine(exchange, showing)),
    elsewhere: traffic.elsewhere.map((request) => requestLine(request, showing)),
  };
}

function scenarioLine(scenario: ClientScenario): JsonObject {
  const { id, title, task, inventory, revokedKey, traits = [], letGoAfterSeconds, breaks = [] } = scenario;
  return {
    id,
    title,
    operation: task.operation,
    petId: task.operation === 'updateInventory' ? String(task.petId) : null,
    quantity: task.operation === 'updateInventory' ? task.quantity : null,
    inventory: inventory.map(({ petId, quantity, status }) => [String(petId), quantity, status]),
    isKeyRevoked: revokedKey === true,
    traits,
    letGoAfterSeconds: letGoAfterSeconds ?? null,
    breaks,
    judges: scenario.judges,
    seconds: scenario.seconds,
  };
}

function exchangeLine(exchange: ClientExchange, showing: Showing): JsonObject {
  const { receivedAt, answeredAt, isLost = false, connection, request, response, allowedAt } = exchange;
  return {
    receivedAt,
    answeredAt,
    ...(isLost ? { isLost } : {}),
    connection,
    ...requestLine(request, showing),
    response: answeredAt === null ? null : responseLine(response, showing.hide),
    allowedAt,
  };
}

function requestLine(
  { method, target, headers, body }: ClientExchange['request'],
  { replace, hide }: Showing,
): JsonObject {
  return {
    method,
    target: replace(target),
    headers: headerLines(headers, replace),
    body: bodyLine(body, hide),
  };
}

function outcomeLine(outcome: ClientOutcome): JsonObject {
  switch (outcome.kind) {
    case 'replied':
      return { kind: outcome.kind, reply: replyLine(outcome.reply) };
    case 'broken':
      return {
        kind: outcome.kind,
        problem: outcome.problem,
        ...(outcome.ofMany === true ? { ofMany: true } : {}),
      };
    case 'ended':
      return {
        kind: outcome.kind,
        mute: outcome.mute === true,
        ...(outcome.replied === true ? { replied: true } : {}),
      };
    case 'unknown':
      return { kind: outcome.kind };
  }
}

function replyLine(reply: ClientReply): JsonObject {
  if (reply.ok) {
    return { ok: true, value: reply.value };
  }
  const { code, message, status } = reply.error;
  return { ok: false, code, message, status };
}

/** The value with each text in it as it may be shown. */
function hidden(value: JsonValue, hide: (text: string) => string): JsonValue {
  if (typeof value === 'string') {
    return hide(value);
  }
  if (Array.isArray(value)) {
    return value.map((item) => hidden(item, hide));
  }
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [hide(name), hidden(member, hide)]))
    : value;
}

/** Earlier builds wrote whether there was any. */
function malformedOf(line: JsonObject): string | null {
  if ('malformed' in line) {
    return stringMember(line, 'malformed');
  }
  return 'hadMalformed' in line && booleanMember(line, 'hadMalformed')
    ? 'The request is not well-formed HTTP.'
    : null;
}

const ENDINGS = ['silence', 'unending retries', 'let go', 'interruption'] as const;

/** @throws {SyntaxError} that says what of the line cannot be */
export function recordOfLine(line: JsonObject): ScenarioRecord {
  onlyMembers(
    line,
    'do scenario baseUrl pseudonym startedAt durationSeconds lateSeconds endedFor droveIntoBan hadMalformed malformed outcome exchanges elsewhere',
  );
  wordMember(line, 'do', ['scenario']);
  const baseUrl = stringMember(line, 'baseUrl');
  if (!URL.canParse(baseUrl)) {
    throw new SyntaxError('baseUrl is no URL');
  }
  return {
    scenario: scenarioOf(objectMember(line, 'scenario')),
    baseUrl,
    apiKey: stringMember(line, 'pseudonym'),
    startedAt: numberMember(line, 'startedAt'),
    durationSeconds: momentMember(line, 'durationSeconds', 0),
    ...('lateSeconds' in line ? { lateSeconds: momentMember(line, 'lateSeconds', 0) } : {}),
    endedFor: orNull(line, 'endedFor', (object, name) => wordMember(object, name, ENDINGS)),
    outcome: outcomeOf(objectMember(line, 'outcome')),
    traffic: {
      droveIntoBan: booleanMember(line, 'droveIntoBan'),
      malformed: malformedOf(line),
      exchanges: exchangesOf(line),
      elsewhere: objectsMember(line, 'elsewhere').map((request) => requestOf(request)),
    },
  };
}

function scenarioOf(line: JsonObject): ClientScenario {
  onlyMembers(
    line,
    'id title operation petId quantity inventory isKeyRevoked traits letGoAfterSeconds breaks judges seconds',
  );
  const letGoAfterSeconds = orNull(line, 'letGoAfterSeconds', numberMember);
  const breaks = requirementsMember(line, 'breaks');
  const traits = stringsMember(line, 'traits').map((name) =>
    wordMember({ traits: name }, 'traits', SERVICE_TRAITS),
  );
  return {
    id: stringMember(line, 'id'),
    title: stringMember(line, 'title'),
    task: taskOf(line),
    inventory: itemsMember(line, 'inventory'),
    ...(booleanMember(line, 'isKeyRevoked') ? { revokedKey: true as const } : {}),
    traits,
    ...(letGoAfterSeconds === null ? {} : { letGoAfterSeconds }),
    ...(breaks.length === 0 ? {} : { breaks }),
    judges: requirementsMember(line, 'judges'),
    seconds: numberMember(line, 'seconds'),
  };
}

function taskOf(line: JsonObject): ClientTask {
  const operation = wordMember(line, 'operation', ['listInventory', 'updateInventory']);
  return operation === 'listInventory'
    ? { operation }
    : {
        operation,
        petId: petIdMember(line),
        quantity: numberMember(line, 'quantity'),
      };
}

function petIdMember(line: JsonObject): bigint {
  const text = stringMember(line, 'petId');
  if (!/^-?\d{1,19}$/.test(text)) {
    throw new SyntaxError('petId is not in digits');
  }
  return BigInt(text);
}

/** What a later version requires is not known here. */
function requirementsMember(line: JsonObject, name: string): readonly RequirementId[] {
  return stringsMember(line, name).map((id) => {
    const row = findRequirement(id);
    if (row === undefined) {
      throw new SyntaxError(`${name} holds ${JSON.stringify(id.slice(0, 60))}, which is no requirement`);
    }
    return row.id;
  });
}

function objectsMember(line: JsonObject, name: string): readonly JsonObject[] {
  return listMember(line, name).map((value) => {
    if (!isJsonObject(value)) {
      throw new SyntaxError(`${name} is not an array of objects`);
    }
    return value;
  });
}

function exchangesOf(line: JsonObject): readonly ClientExchange[] {
  let earliest = Number.NEGATIVE_INFINITY;
  return objectsMember(line, 'exchanges').map((entry) => {
    const receivedAt = momentMember(entry, 'receivedAt', earliest);
    earliest = receivedAt;
    const answeredAt = orNull(entry, 'answeredAt', (object, name) => momentMember(object, name, receivedAt));
    const response = orNull(entry, 'response', objectMember);
    if ((response === null) !== (answeredAt === null)) {
      throw new SyntaxError('response does not fit answeredAt');
    }
    return {
      receivedAt,
      answeredAt,
      isLost: 'isLost' in entry && booleanMember(entry, 'isLost'),
      connection: countMember(entry, 'connection'),
      request: requestOf(
        entry,
        `${REQUEST_MEMBERS} receivedAt answeredAt isLost connection response allowedAt`,
      ),
      response: response === null ? { status: 0, headers: [], body: Buffer.alloc(0) } : responseOf(response),
      allowedAt: orNull(entry, 'allowedAt', numberMember),
    };
  });
}

const REQUEST_MEMBERS = 'method target headers body';

function requestOf(line: JsonObject, members = REQUEST_MEMBERS): ClientExchange['request'] {
  onlyMembers(line, members);
  return {
    method: stringMember(line, 'method'),
    target: stringMember(line, 'target'),
    headers: headersOfLine(line, 'headers'),
    body: bodyOfLine(line, 'body') ?? Buffer.alloc(0),
  };
}

function responseOf(line: JsonObject): ClientExchange['response'] {
  onlyMembers(line, 'status headers body');
  return {
    status: statusMember(line),
    headers: headersOfLine(line, 'headers'),
    body: bodyOfLine(line, 'body') ?? Buffer.alloc(0),
  };
}

function outcomeOf(line: JsonObject): ClientOutcome {
  const output = '';
  switch (wordMember(line, 'kind', ['replied', 'broken', 'ended', 'unknown'])) {
    case 'replied':
      onlyMembers(line, 'kind reply');
      return { kind: 'replied', reply: replyOf(objectMember(line, 'reply')), output };
    case 'broken':
      onlyMembers(line, 'kind problem ofMany');
      return {
        kind: 'broken',
        problem: stringMember(line, 'problem'),
        output,
        ...('ofMany' in line && booleanMember(line, 'ofMany') ? { ofMany: true } : {}),
      };
    case 'ended':
      onlyMembers(line, 'kind mute replied');
      return {
        kind: 'ended',
        output,
        ...(booleanMember(line, 'mute') ? { mute: true } : {}),
        ...('replied' in line && booleanMember(line, 'replied') ? { replied: true } : {}),
      };
    case 'unknown':
      onlyMembers(line, 'kind');
      return { kind: 'unknown' };
  }
}

function replyOf(line: JsonObject): ClientReply {
  if (booleanMember(line, 'ok')) {
    onlyMembers(line, 'ok value');
    const { value } = line;
    if (value === undefined) {
      throw new SyntaxError('value is missing');
    }
    return { ok: true, value };
  }
  onlyMembers(line, 'ok code message status');
  return {
    ok: false,
    error: {
      code: line['code'] ?? null,
      message: line['message'] ?? null,
      status: line['status'] ?? null,
    },
  };
}
