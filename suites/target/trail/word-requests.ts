import type { KeyText, TrailAnswer, TrailRequest } from '../../../contract/trail.ts';
import { RATE_LIMIT_HEADERS } from '../../../contract/rate-limit-headers.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import type { Key } from '../../oracle/index.ts';
import { withoutKeys } from './key-text.ts';
import type { LoggedRequest } from './trail-log.ts';

/** How the requests of a trail are written down without their keys. */
export interface Wording {
  readonly secrets: readonly string[];
  readonly numberOf: (key: Key) => number;
  /** What was worded before. */
  readonly texts: Map<string, KeyText>;
  readonly redact: (text: string) => string;
  /** Those that the violation rests on. */
  readonly proof: ReadonlySet<LoggedRequest>;
}

/** Those that are alike and follow one another are one; of requests at once, all that are alike. */
export function wordBatch(
  requests: readonly LoggedRequest[],
  wording: Wording,
  isAnyOrder: boolean,
): readonly TrailRequest[] {
  const groups: { readonly name: string; readonly members: LoggedRequest[] }[] = [];
  for (const request of requests) {
    const name = nameOf(request);
    const group = isAnyOrder ? groups.find((one) => one.name === name) : groups.at(-1);
    if (group?.name === name) {
      group.members.push(request);
    } else {
      groups.push({ name, members: [request] });
    }
  }
  return groups.map(({ members }) =>
    wordRequests(isAnyOrder ? members.toSorted((a, b) => statusOf(a) - statusOf(b)) : members, wording),
  );
}

function statusOf({ response }: LoggedRequest): number {
  return response?.status ?? 1_000;
}

/** The same for requests that are sent alike. */
function nameOf({ request, authorization, key }: LoggedRequest): string {
  const { method, path, headers, body } = request;
  const sent = typeof body === 'string' || body === null ? body : Buffer.from(body).toString('latin1');
  return JSON.stringify([method, path, headers, sent, typeof body, authorization, key?.label]);
}

function wordRequests(members: readonly LoggedRequest[], wording: Wording): TrailRequest {
  const [first] = members;
  if (first === undefined) {
    throw new Error('There is no request to word');
  }
  const { request, authorization, key } = first;
  return {
    method: request.method,
    path: textOf(request.path, wording, isWholeKeyIn),
    authorization: authorization.map((value) => textOf(value, wording, () => true)),
    headers: request.headers.map(([name, value]) => [name, textOf(value, wording, isWholeKeyIn)]),
    ...bodyOf(request.body, wording),
    operation: request.operation,
    key: key === null ? null : wording.numberOf(key),
    times: members.length,
    answers: answersOf(members, wording),
    ...(members.some((member) => wording.proof.has(member)) ? { proves: true as const } : {}),
  };
}

function isWholeKeyIn(text: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => text.includes(secret));
}

function textOf(
  text: string,
  { secrets, texts, redact }: Wording,
  mayHoldKey: (text: string, secrets: readonly string[]) => boolean,
): KeyText {
  const known = texts.get(text);
  if (known !== undefined) {
    return known;
  }
  const parts = mayHoldKey(text, secrets) ? withoutKeys(text, secrets) : redact(text);
  texts.set(text, parts);
  return parts;
}

function bodyOf(
  body: LoggedRequest['request']['body'],
  { redact }: Wording,
): Pick<TrailRequest, 'body' | 'isBase64'> {
  if (body === null) {
    return { body };
  }
  const bytes = Buffer.from(body);
  const text = bytes.toString('utf8');
  // A shell passes neither NUL nor what is no text.
  return Buffer.from(text).equals(bytes) && !/[\0\r\uFEFF]/.test(text)
    ? { body: redact(text) }
    : { body: bytes.toString('base64'), isBase64: true };
}

const TELLING = [...RATE_LIMIT_HEADERS, 'Retry-After', 'Content-Type'];

function answersOf(members: readonly LoggedRequest[], { redact }: Wording): readonly TrailAnswer[] {
  const answers: { -readonly [Name in keyof TrailAnswer]: TrailAnswer[Name] }[] = [];
  for (const { response } of members) {
    const status = response?.status ?? null;
    const fields = (response?.headers ?? [])
      .filter(([name]) => TELLING.some((telling) => telling.toLowerCase() === name.toLowerCase()))
      .map(([name, value]): HeaderField => [name, redact(value)]);
    const last = answers.at(-1);
    if (last?.status === status) {
      last.times += 1;
      last.last = fields;
    } else {
      answers.push({ status, times: 1, first: fields, last: fields });
    }
  }
  return answers;
}
