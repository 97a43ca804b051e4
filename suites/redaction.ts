import type { HeaderField, RecordedExchange } from '../contract/verdict.ts';
import type { Exchange } from './exchange.ts';

/** Knows every secret of a run and the label that stands for it wherever something is recorded. */
export interface Redactor {
  /** Has `label` stand for `secret` from now on. */
  hide(secret: string, label: string): void;
  redact(text: string): string;
  /** Each secret with the label that stands for it. */
  secrets(): readonly (readonly [secret: string, label: string])[];
  /** The exchange as it may be kept and shown, its bodies cut to a readable length. */
  record(exchange: Exchange, origin: string): RecordedExchange;
  /** A command line that repeats the request. */
  curl(exchange: Exchange, origin: string): string;
}

const KEPT_BODY_CHARACTERS = 2_000;
const READ_BODY_BYTES = 65_536;
const LONGEST_KEPT_TEXT = 120;
// A shorter secret may be part of an ordinary word, so it is replaced only where it stands alone.
const DISTINCTIVE_LENGTH = 8;

export function createRedactor(): Redactor {
  const labels = new Map<string, string>();
  let pattern: RegExp | undefined;
  // Short texts, such as observed values, come back again and again.
  const known = new Map<string, string>();
  let shortest = Number.POSITIVE_INFINITY;

  const replace = (text: string): string => {
    // A search for each secret is cheaper than compiling the pattern anew for every secret that is added.
    if (pattern === undefined && !holdsAny(text, labels.keys())) {
      return text;
    }
    pattern ??= new RegExp(
      [...labels.keys()]
        .toSorted((a, b) => b.length - a.length)
        .map((secret) =>
          secret.length >= DISTINCTIVE_LENGTH
            ? escapePattern(secret)
            : `(?<![A-Za-z0-9])${escapePattern(secret)}(?![A-Za-z0-9])`,
        )
        .join('|'),
      'g',
    );
    return text.replace(pattern, (secret) => labels.get(secret) ?? '[key]');
  };
  const redact = (text: string): string => {
    if (text.length < shortest) {
      return text;
    }
    if (text.length > LONGEST_KEPT_TEXT) {
      return replace(text);
    }
    let redacted = known.get(text);
    if (redacted === undefined) {
      redacted = replace(text);
      known.set(text, redacted);
    }
    return redacted;
  };
  const forgetTextsWith = (secrets: readonly string[]): void => {
    for (const text of known.keys()) {
      if (secrets.some((secret) => text.includes(secret))) {
        known.delete(text);
      }
    }
  };
  const redactFields = (fields: readonly HeaderField[]): readonly HeaderField[] =>
    fields.map(([name, value]) => [name, redact(value)]);
  return {
    hide: (secret, label) => {
      if (secret !== '' && labels.get(secret) !== label) {
        labels.set(secret, label);
        labels.set(encodeURIComponent(secret), label);
        shortest = Math.min(shortest, secret.length);
        pattern = undefined;
        forgetTextsWith([secret, encodeURIComponent(secret)]);
      }
    },
    redact,
    secrets: () => [...labels],
    record: (exchange, origin) => ({
      request: {
        method: exchange.request.method,
        url: redact(origin + exchange.request.path),
        headers: redactFields(sentHeaders(exchange)),
        body: exchange.request.body === null ? null : cut(redact(textOf(exchange.request.body))),
      },
      response: {
        status: exchange.response.status,
        headers: redactFields(exchange.response.headers),
        body: cut(redact(textOf(exchange.response.body))),
        bodyBytes: exchange.response.body.length,
      },
      sentAt: exchange.startedAt.toISOString(),
      durationMilliseconds: Math.round(exchange.durationMilliseconds * 100) / 100,
    }),
    curl: (exchange, origin) => {
      const { method, path, body } = exchange.request;
      const words = ['curl', '-i', ...(method === 'GET' ? [] : ['-X', method]), '--path-as-is'];
      for (const [name, value] of sentHeaders(exchange)) {
        words.push('-H', quote(redact(`${name}: ${value}`)));
      }
      if (body !== null) {
        words.push('--data-raw', quote(cut(redact(textOf(body)))));
      }
      return [...words, quote(redact(origin + path))].join(' ');
    },
  };
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

/** Quotes one word for a POSIX shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function sentHeaders({ authorization, request }: Exchange): readonly HeaderField[] {
  return authorization === null ? request.headers : [['Authorization', authorization], ...request.headers];
}

function holdsAny(text: string, words: Iterable<string>): boolean {
  for (const word of words) {
    if (text.includes(word)) {
      return true;
    }
  }
  return false;
}

/** RegExp.escape for engines that lack it. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
