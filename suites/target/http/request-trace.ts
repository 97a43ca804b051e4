import { headerValues, RATE_LIMIT_HEADERS } from '../../../contract/rate-limit-headers.ts';
import type { FindingStep, HeaderField } from '../../../contract/verdict.ts';
import type { Exchange, RequestMessage } from '../../oracle/index.ts';
import type { Redactor } from '../redaction/redaction.ts';

/** One try to get a response, as a trace notes it; moments are milliseconds of the timekeeper. */
interface NotedRequest {
  readonly request: RequestMessage;
  readonly authorization: string | null;
  /** `null` if no response came. */
  readonly exchange: Exchange | null;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** The requests of one check, as few lines as tell what happened; it does not grow with their number. */
export interface RequestTrace {
  note(noted: NotedRequest): void;
  /** If there was more than one request: the first, and the last ones, the oldest first. */
  steps(redactor: Redactor, origin: string): readonly FindingStep[];
}

interface Group {
  readonly first: NotedRequest;
  readonly name: string;
  /** The first and the last value of each header field. */
  readonly values: Map<string, [first: string, last: string]>;
  count: number;
  until: number;
}

const FIRST_GROUPS = 2;
const LAST_GROUPS = 10;
const TELLING_HEADERS = [...RATE_LIMIT_HEADERS, 'Retry-After'];
const READ_BODY_CHARACTERS = 8_000;
const SHOWN_BODY_CHARACTERS = 200;

export function openRequestTrace(): RequestTrace {
  const first: Group[] = [];
  const last: Group[] = [];
  let omitted = 0;
  return {
    note: (noted) => {
      const name = nameOf(noted);
      const recent = [...first, ...last];
      // Responses to requests that were under way together came in any order.
      const group = recent.findLast(
        (one, index) => one.name === name && (index === recent.length - 1 || noted.sentAt < one.until),
      );
      if (group !== undefined) {
        addTo(group, noted);
        return;
      }
      const fresh: Group = {
        first: withoutBody(noted),
        name,
        values: new Map(),
        count: 0,
        until: noted.receivedAt,
      };
      addTo(fresh, noted);
      (first.length < FIRST_GROUPS ? first : last).push(fresh);
      const dropped = last.length > LAST_GROUPS ? last.shift() : undefined;
      omitted += dropped?.count ?? 0;
    },
    steps: (redactor, origin) => {
      const groups = [...first, ...last];
      const start = groups[0]?.first.sentAt ?? 0;
      const isOne = groups.length === 1 && groups[0]?.count === 1;
      return isOne
        ? []
        : groups.map((group, index) => {
            const before = index === FIRST_GROUPS ? omitted : 0;
            return toStep(group, before, start, redactor, origin);
          });
    },
  };
}

/** No step shows the body of a response, and a list may be long. */
function withoutBody(noted: NotedRequest): NotedRequest {
  const { exchange } = noted;
  if (exchange === null) {
    return noted;
  }
  const { status, headers } = exchange.response;
  return { ...noted, exchange: { ...exchange, response: { status, headers, body: Buffer.alloc(0) } } };
}

function nameOf({ request, authorization, exchange }: NotedRequest): string {
  const { method, path, body } = request;
  return JSON.stringify([method, path, authorization, exchange?.response.status ?? null, textOf(body)]);
}

function addTo(group: Group, { exchange, receivedAt }: NotedRequest): void {
  group.count += 1;
  group.until = Math.max(group.until, receivedAt);
  if (exchange === null) {
    return;
  }
  for (const name of TELLING_HEADERS) {
    const value = headerValues(exchange.response.headers, name).join(', ');
    const known = group.values.get(name);
    if (known !== undefined) {
      known[1] = value;
    } else if (value !== '') {
      group.values.set(name, [value, value]);
    }
  }
}

function toStep(
  group: Group,
  omittedBefore: number,
  start: number,
  redactor: Redactor,
  origin: string,
): FindingStep {
  const { request, authorization, exchange, sentAt } = group.first;
  const headers = [...group.values].map(([name, [from, to]]): HeaderField => [
    name,
    redactor.redact(from === to ? from : `${from} … ${to}`),
  ]);
  const body = textOf(request.body);
  return {
    method: request.method,
    url: redactor.redact(origin + request.path),
    authorization,
    body: body === null ? null : cut(redactor.redact(body)),
    status: exchange?.response.status ?? null,
    headers,
    count: group.count,
    atMilliseconds: Math.max(0, Math.round(sentAt - start)),
    ...(omittedBefore > 0 ? { omittedBefore } : {}),
  };
}

function textOf(body: RequestMessage['body']): string | null {
  return body === null || typeof body === 'string'
    ? (body?.slice(0, READ_BODY_CHARACTERS) ?? null)
    : Buffer.from(body.subarray(0, READ_BODY_CHARACTERS)).toString('utf8');
}

function cut(text: string): string {
  return text.length > SHOWN_BODY_CHARACTERS ? `${text.slice(0, SHOWN_BODY_CHARACTERS)}…` : text;
}
