import { authorizationName } from '../../../contract/field-names.ts';
import type { HeaderField, RecordedExchange } from '../../../contract/verdict.ts';
import { curlLine, type CurlSurroundings } from '../http/curl-line.ts';
import { bodyBytesOf, type Exchange, type Key } from '../../oracle/index.ts';
import { createSecretFinder } from './secret-finder.ts';

/** Knows every secret of a run and the label that stands for it wherever something is recorded. */
export interface Redactor {
  /** Has `label` stand for `secret` from now on. */
  readonly hide: (secret: string, label: string) => void;
  /** Looks for it no longer: nothing that comes from now on can hold it. */
  readonly forget: (secret: string) => void;
  readonly redact: (text: string) => string;
  /** Each secret with the label that stands for it. */
  readonly secrets: () => readonly (readonly [secret: string, label: string])[];
  /** The exchange as it may be kept and shown, its bodies cut to a readable length. */
  readonly record: (exchange: Exchange, origin: string) => RecordedExchange;
  /** A command line that repeats the request. @param key that it was sent with as it should be */
  readonly curl: (exchange: Exchange, origin: string, key?: Key, surroundings?: CurlSurroundings) => string;
}

const KEPT_BODY_CHARACTERS = 2_000;
const READ_BODY_BYTES = 65_536;
// Of the spellings of one character; it stands for each layer of escapes, too.
const LONGEST_CHARACTER = 16;

export function createRedactor(): Redactor {
  const labels = new Map<string, string>();
  const finder = createSecretFinder();
  let longest = 0;

  const redact = (text: string): string => {
    const found = finder.find(text);
    if (found.length === 0) {
      return text;
    }
    let at = 0;
    let redacted = '';
    for (const { from, to, label } of found) {
      redacted += text.slice(at, from) + label;
      at = to;
    }
    return redacted + text.slice(at);
  };
  /** As much of a body as is shown, which holds no part of a secret, even at the place where it is cut. */
  const redactBody = (body: string | Uint8Array): string => {
    const text = textOf(body);
    const redacted = redact(text);
    // What was not read may have been the rest of a secret.
    const doubtful = isReadWhole(body) ? 0 : LONGEST_CHARACTER * longest;
    return cut(redacted.slice(0, Math.max(0, redacted.length - doubtful)));
  };
  const redactFields = (fields: readonly HeaderField[]): readonly HeaderField[] =>
    fields.map(([name, value]) => [name, redact(value)]);
  return {
    hide: (secret, label) => {
      if (secret !== '' && labels.get(secret) !== label) {
        labels.set(secret, label);
        finder.add(secret, label);
        longest = Math.max(longest, secret.length);
      }
    },
    forget: (secret) => {
      const label = labels.get(secret);
      if (label !== undefined) {
        labels.delete(secret);
        finder.remove(secret, label);
      }
    },
    redact,
    secrets: () => [...labels],
    record: (exchange, origin) => ({
      request: {
        method: exchange.request.method,
        url: redact(origin + exchange.request.path),
        headers: redactFields(sentHeaders(exchange)),
        body: exchange.request.body === null ? null : redactBody(exchange.request.body),
      },
      response: {
        status: exchange.response.status,
        headers: redactFields(exchange.response.headers),
        body: redactBody(exchange.response.body),
        bodyBytes: bodyBytesOf(exchange.response),
      },
      sentAt: exchange.startedAt.toISOString(),
      durationMilliseconds: Math.round(exchange.durationMilliseconds * 100) / 100,
    }),
    curl: (exchange, origin, key, surroundings = { control: null, options: [] }) => {
      const { method, path, body } = exchange.request;
      const request = {
        method,
        url: redact(origin + path),
        headers: redactFields(sentHeaders(exchange)),
        body: body === null ? null : redactBody(body),
      };
      return curlLine(request, key, surroundings);
    },
  };
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

function isReadWhole(body: string | Uint8Array): boolean {
  return body.length <= READ_BODY_BYTES;
}

function cut(text: string): string {
  return text.length > KEPT_BODY_CHARACTERS ? `${text.slice(0, KEPT_BODY_CHARACTERS)}…` : text;
}

function sentHeaders({ authorization, request }: Exchange): readonly HeaderField[] {
  return authorization === null
    ? request.headers
    : [[authorizationName(request.headers), authorization], ...request.headers];
}
