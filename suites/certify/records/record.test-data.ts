import { stringifyJson, type JsonValue } from '../../../contract/json/index.ts';
import { CLIENT_REQUIREMENTS, type RequirementId } from '../../../contract/requirements/index.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import type { ClientOutcome, ClientReply } from '../drivers/driver.ts';
import type { ClientJudge, ClientJudgement, ClientExchange, ScenarioRecord } from './record.ts';
import type { ClientTask, ServiceTrait } from '../scenarios/scenario.ts';

/** When the client of a sample record was started; Unix seconds. */
const START = 1_790_000_000;
const BASE_URL = 'http://127.0.0.1:8080/v1';
export const CLIENT_KEY = 'client-Key-0123456789';

const LIST_TASK: ClientTask = { operation: 'listInventory' };
export const UPDATE_TASK: ClientTask = {
  operation: 'updateInventory',
  petId: 9_007_199_254_740_993n,
  quantity: 7,
};

/** What a test wants of an exchange; the rest is a list request done right that is answered 200 at once. */
export interface RecordedSample {
  /** Seconds from `START` at which the request arrived. */
  readonly at?: number;
  /** Seconds from `START`; `null` if it is not answered. */
  readonly answeredAt?: number | null;
  /** Whether the client had gone before. */
  readonly isLost?: true;
  readonly method?: string;
  readonly target?: string;
  readonly authorization?: readonly string[];
  readonly requestHeaders?: readonly HeaderField[];
  readonly requestBody?: string;
  readonly status?: number;
  /** Delta-seconds of a Retry-After. */
  readonly retryAfter?: number;
  /** Seconds from `START` of a Retry-After as a date. */
  readonly retryAt?: number;
  /** How the name of Retry-After is spelt. */
  readonly retryAfterName?: string;
  readonly headers?: readonly HeaderField[];
  readonly body?: JsonValue | Buffer;
  readonly connection?: number;
}

/** What a test wants of a record; the rest is a client that reports an empty list. */
export interface RecordSample {
  readonly task?: ClientTask;
  readonly exchanges?: readonly RecordedSample[];
  readonly outcome?: ClientOutcome;
  readonly endedFor?: ScenarioRecord['endedFor'];
  readonly traits?: readonly ServiceTrait[];
  /** All requirements of clients by default. */
  readonly judges?: readonly RequirementId[];
  readonly droveIntoBan?: boolean;
  readonly malformed?: string;
  readonly elsewhere?: readonly ClientExchange['request'][];
  readonly seconds?: number;
  readonly lateSeconds?: number;
}

export function sampleRecord(sample: RecordSample): ScenarioRecord {
  const { task = LIST_TASK, exchanges = [{}] } = sample;
  return {
    scenario: {
      id: 'sample',
      title: 'A sample',
      task,
      inventory: [],
      traits: sample.traits ?? [],
      judges: sample.judges ?? CLIENT_REQUIREMENTS.map(({ id }) => id),
      seconds: 1,
    },
    baseUrl: BASE_URL,
    apiKey: CLIENT_KEY,
    traffic: {
      exchanges: exchanges.map((exchange) => sampleExchange(exchange, task)),
      droveIntoBan: sample.droveIntoBan ?? false,
      malformed: sample.malformed ?? null,
      elsewhere: sample.elsewhere ?? [],
    },
    outcome: sample.outcome ?? reported([]),
    endedFor: sample.endedFor ?? null,
    startedAt: START,
    durationSeconds: sample.seconds ?? 10,
    lateSeconds: sample.lateSeconds ?? 0,
  };
}

/** An answer 429 with an Error object. */
export function limited(at: number, retryAfter: number, sample: RecordedSample = {}): RecordedSample {
  return { at, status: 429, retryAfter, body: errorBody(429, 'rate_limited', 'Too many.'), ...sample };
}

/** An update done right, answered 200. */
export function update(sample: RecordedSample = {}): RecordedSample {
  return {
    method: 'PATCH',
    target: '/v1/inventory/9007199254740993',
    requestHeaders: [['Content-Type', 'application/json']],
    requestBody: '{"quantity":7}',
    body: { petId: 9_007_199_254_740_993n, quantity: 7, status: 'sold' },
    ...sample,
  };
}

export function errorBody(status: number, code: string, message: string): JsonValue {
  return { code, message, status };
}

export function reported(value: JsonValue): ClientOutcome {
  return { kind: 'replied', reply: { ok: true, value }, output: '' };
}

export function failedWith(
  status: JsonValue,
  code: JsonValue = 'rate_limited',
  message: JsonValue = 'Too many.',
): ClientOutcome {
  const reply: ClientReply = { ok: false, error: { code, message, status } };
  return { kind: 'replied', reply, output: '' };
}

export const ENDED: ClientOutcome = { kind: 'ended', output: '' };
export const UNKNOWN: ClientOutcome = { kind: 'unknown' };

function sampleExchange(sample: RecordedSample, task: ClientTask): ClientExchange {
  const { at = 0, answeredAt = at, retryAfter, retryAt, body = [] } = sample;
  const path = task.operation === 'listInventory' ? '/v1/inventory' : `/v1/inventory/${task.petId}`;
  const allowedAt = retryAfter === undefined ? retryAt : (answeredAt ?? at) + retryAfter;
  return {
    receivedAt: START + at,
    answeredAt: answeredAt === null ? null : START + answeredAt,
    isLost: sample.isLost === true,
    connection: sample.connection ?? 1,
    request: {
      method: sample.method ?? (task.operation === 'listInventory' ? 'GET' : 'PATCH'),
      target: sample.target ?? path,
      headers: [
        ...(sample.authorization ?? [`Bearer ${CLIENT_KEY}`]).map((value): HeaderField => [
          'Authorization',
          value,
        ]),
        ...(sample.requestHeaders ?? []),
      ],
      body: Buffer.from(sample.requestBody ?? ''),
    },
    response: {
      status: answeredAt === null ? 0 : (sample.status ?? 200),
      headers: [...retryAfterFields(sample), ...(sample.headers ?? [])],
      body: Buffer.isBuffer(body) ? body : Buffer.from(stringifyJson(body)),
    },
    allowedAt: allowedAt === undefined ? null : START + allowedAt,
  };
}

function retryAfterFields({
  retryAfter,
  retryAt,
  retryAfterName = 'Retry-After',
}: RecordedSample): readonly HeaderField[] {
  if (retryAfter !== undefined) {
    return [[retryAfterName, `${retryAfter}`]];
  }
  return retryAt === undefined
    ? []
    : [[retryAfterName, new Date(Math.floor(START + retryAt) * 1_000).toUTCString()]];
}

/** What a judge says of a record: of its first requirement one thing at most, and what it observes. */
export function judgeSample({ judge, judges: [first, ...others] }: ClientJudge, sample: RecordSample) {
  const said = [judge(sampleRecord(sample)) ?? []].flat();
  const observed = said.filter((each) => each.kind === 'observe');
  const [judged, ...further] = said.filter((each) => each.kind !== 'observe');
  if (further.length > 0 || (judged !== undefined && judged.id !== first)) {
    throw new Error(`More is said than of ${first}`);
  }
  if (observed.some(({ id }) => id !== first && !others.includes(id))) {
    throw new Error("Something is not the judge's to observe");
  }
  return {
    outcome: judged?.kind ?? null,
    message: judged !== undefined && 'message' in judged ? judged.message : null,
    ...(judged?.kind === 'fail' ? { change: judged.change, evidence: judged.exchange } : {}),
    /** Id, with the facet behind a dot, and value. */
    observed: observed.map(({ id, facet, value }) => [facet === undefined ? id : `${id}.${facet}`, value]),
  };
}

/** What a judge says of the requests of a client in a table of tests: an outcome, `null` if it has no say. */
export type ExpectedOutcome = ClientJudgement['kind'] | null;
