import { authorizationName } from '../../../contract/field-names.ts';
import type { HeaderField, RecordedExchange } from '../../../contract/verdict.ts';
import { keyVariable } from '../../../contract/trail.ts';
import { bodyBytesOf, type Exchange, type Key } from '../../oracle/index.ts';
import { createSecretFinder, type FoundSecret } from './secret-finder.ts';

export type Redactor = ReturnType<typeof createRedactor>;

const SHORTEST_TOKEN = 8;
const KEPT_BODY_CHARACTERS = 2_000;
const READ_BODY_BYTES = 65_536;
// Of the spellings of one character; it stands for each layer of escapes, too.
const LONGEST_CHARACTER = 16;

/** Knows every secret of a run and the label that stands for it wherever something is recorded. */
export function createRedactor() {
  const labels = new Map<string, string>();
  const finder = createSecretFinder();
  let longest = 0;

  const redact = (text: string): string => withLabels(text, finder.find(text));
  /** As much of a body as is shown, which holds no part of a secret, even at the place where it is cut. */
  const redactBody = (body: string | Uint8Array): string => {
    const text = textOf(body);
    const redacted = redact(text);
    // What was not read may have been the rest of a secret.
    const doubtful = body.length <= READ_BODY_BYTES ? 0 : LONGEST_CHARACTER * longest;
    return cut(redacted.slice(0, Math.max(0, redacted.length - doubtful)));
  };
  const redactFields = (fields: readonly HeaderField[]): readonly HeaderField[] =>
    fields.map(([name, value]) => [name, redact(value)]);
  const shownRequest = (exchange: Exchange, origin: string): RecordedExchange['request'] => {
    const { method, path, body } = exchange.request;
    return {
      method,
      url: redact(origin + path),
      headers: redactFields(sentHeaders(exchange)),
      body: body === null ? null : redactBody(body),
    };
  };
  const hide = (secret: string, label: string): void => {
    if (secret !== '' && labels.get(secret) !== label) {
      labels.set(secret, label);
      finder.add(secret, label);
      longest = Math.max(longest, secret.length);
    }
  };
  return {
    /** Has `label` stand for `secret` from now on. */
    hide,
    /** The same for what an Authorization field presents, unless it has a label or is too short to be no word. */
    hideToken: (field: string, label = '[altered key]'): void => {
      const token = field.replace(/^\S+\s+/, '');
      // A label that says the token itself stands for no secret.
      if (token.length >= SHORTEST_TOKEN && !labels.has(token) && !label.includes(token)) {
        hide(token, label);
      }
    },
    /** Looks for it no longer: nothing that comes from now on can hold it. */
    forget: (secret: string): void => {
      const label = labels.get(secret);
      if (label !== undefined) {
        labels.delete(secret);
        finder.remove(secret, label);
      }
    },
    redact,
    /** Each secret with the label that stands for it. */
    secrets: (): readonly (readonly [secret: string, label: string])[] => [...labels],
    /** The exchange as it may be kept and shown, its bodies cut to a readable length. */
    record: (exchange: Exchange, origin: string): RecordedExchange => ({
      request: shownRequest(exchange, origin),
      response: {
        status: exchange.response.status,
        headers: redactFields(exchange.response.headers),
        body: redactBody(exchange.response.body),
        bodyBytes: bodyBytesOf(exchange.response),
      },
      sentAt: exchange.startedAt.toISOString(),
      durationMilliseconds: Math.round(exchange.durationMilliseconds * 100) / 100,
    }),
    /** A command line that repeats the request. @param key that it was sent with as it should be */
    curl: (exchange: Exchange, origin: string, key?: Key, surroundings: CurlSurroundings = NO_SURROUNDINGS) =>
      curlLine(
        shownRequest(exchange, origin),
        key,
        exchange.request.isHttp10 === true
          ? { ...surroundings, options: ['--http1.0', ...surroundings.options] }
          : surroundings,
      ),
  };
}

/** The text with the label of each secret in its place. @param found in order */
function withLabels(text: string, found: readonly FoundSecret[]): string {
  let at = 0;
  let redacted = '';
  for (const { from, to, label } of found) {
    redacted += text.slice(at, from) + label;
    at = to;
  }
  return redacted + text.slice(at);
}

/** A redactor that knows these secrets from the start. */
export function redactorOf(secrets: Iterable<readonly [secret: string, label: string]>): Redactor {
  const redactor = createRedactor();
  for (const [secret, label] of secrets) {
    redactor.hide(secret, label);
  }
  return redactor;
}

/** As much of a body as is looked at; far more than is kept, so that what is cut off shows no part of a secret. */
function textOf(body: string | Uint8Array): string {
  return typeof body === 'string'
    ? body.slice(0, READ_BODY_BYTES)
    : Buffer.from(body.subarray(0, READ_BODY_BYTES)).toString('utf8');
}

function cut(text: string): string {
  return text.length > KEPT_BODY_CHARACTERS ? `${text.slice(0, KEPT_BODY_CHARACTERS)}…` : text;
}

function sentHeaders({ authorization, request }: Exchange): readonly HeaderField[] {
  return authorization === null
    ? request.headers
    : [[authorizationName(request.headers), authorization], ...request.headers];
}

/** What a curl line takes from the run beside the request. */
export interface CurlSurroundings {
  /** Base URL of the control contract that issues keys, or `null`. */
  readonly control: string | null;
  /** Words for a POSIX shell, quoted: what curl needs to reach the target as the run did, such as `-k`. */
  readonly options: readonly string[];
}

const NO_SURROUNDINGS: CurlSurroundings = { control: null, options: [] };

/**
 * A command line for a POSIX shell that repeats the request. The key stands in it as a variable; if that is not set, the
 * shell says which key it has to be and sends nothing.
 * @param key the key that was sent as it should be, if any
 */
function curlLine(
  { method, url, headers, body }: RecordedExchange['request'],
  key: Key | undefined,
  { control, options }: CurlSurroundings,
): string {
  const words = ['curl', '-i', ...(method === 'GET' ? [] : ['-X', method]), '--path-as-is', ...options];
  for (const [name, value] of headers) {
    const isKey = key !== undefined && /^authorization$/i.test(name) && value === `Bearer ${key.label}`;
    words.push(
      '-H',
      isKey ? `"${name}: Bearer ${variable(key, control)}"` : quoteForShell(`${name}: ${value}`),
    );
  }
  if (body !== null) {
    words.push('--data-raw', quoteForShell(body));
  }
  return [...words, quoteForShell(url)].join(' ');
}

function variable({ label, plan, limits, issued, usedToday }: Key, control: string | null): string {
  const agreed =
    plan === 'enterprise' && limits !== null
      ? ` with ${limits.perMinute} a minute and ${limits.perDay} a day`
      : '';
  const used = usedToday === 0 ? '' : ` with usedToday ${usedToday}`;
  const issuer = issued && control !== null ? ', which POST /keys of the control URL issues' : '';
  return `\${${keyVariable(label)}:?set it to a key of the plan ${plan}${agreed}${used}${issuer}}`;
}

/** One word for a POSIX shell. */
function quoteForShell(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
