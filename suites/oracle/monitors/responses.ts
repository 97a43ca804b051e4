import { parseHttpDate, parseRetryAfter } from '../../../contract/retry-after.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import { isJsonObject } from '../../../contract/json/index.ts';
import { explainIf } from '../accusation.ts';
import { header, isOmitted, jsonOf, listOf, mediaTypeOf, type Exchange } from '../exchange.ts';
import type { Monitor } from '../monitor.ts';

/** A key that the target should know is never taken for an invalid one. */
export const validKeys: Monitor = {
  id: 'valid-keys',
  title: 'A valid key is accepted',
  judges: ['valid-key-accepted', 'keys-independent-in-ban', 'ban-only-after-continued'],
  watch: (exchange, report, { key, mayBeBanned, mayOtherBeBanned }) => {
    const { operation } = exchange.request;
    if (key === null || mayBeBanned || operation === null) {
      return;
    }
    // A configured key that never worked may simply be mistyped.
    if (!key.issued && key.usage.accepted === 0) {
      return;
    }
    const { status } = exchange.response;
    // A 403 is an answer to a key that is known, so that the limits monitor judges it.
    if (status === 403) {
      return;
    }
    const answered = `${key.label} was answered ${status}`;
    report.judge(
      'valid-key-accepted',
      status !== 401,
      () => `${answered}, though the key is valid and had kept every Retry-After.`,
      () => [
        {
          id: 'ban-only-after-continued',
          message: `${answered}, though it never went on after a 429.`,
        },
        { id: 'refusal-is-429', message: `${answered}, where 429 is due if its limit was reached.` },
        ...explainIf(
          mayOtherBeBanned(),
          'keys-independent-in-ban',
          `${answered} while another key was banned.`,
        ),
      ],
    );
  },
};

/** Retry-After on every 429, in one of its two forms. */
export const retryAfter: Monitor = {
  id: 'retry-after',
  title: 'Every 429 says when to try again',
  judges: ['retry-after-present', 'retry-after-valid', 'retry-after-format'],
  watch: (exchange, report) => {
    if (exchange.response.status !== 429 || isOmitted(exchange.response, 'Retry-After')) {
      return;
    }
    const values = headerValues(exchange.response.headers, 'Retry-After');
    const [value] = values;
    report.judge('retry-after-present', values.length === 1, () =>
      values.length === 0
        ? 'A 429 without Retry-After.'
        : `Retry-After stands ${values.length} times on a 429.`,
    );
    if (value === undefined) {
      return;
    }
    const reading = parseRetryAfter(value);
    report.judge(
      'retry-after-valid',
      reading !== undefined,
      () => `Retry-After is "${value}", neither delta-seconds nor an HTTP-date.`,
    );
    if (reading !== undefined) {
      report.observe('retry-after-format', reading.form);
    }
  },
};

/** What RFCs add to any response. */
export const goodManners: Monitor = {
  id: 'good-manners',
  title: 'Responses follow the RFCs that the specification relies on',
  judges: ['no-server-error', 'www-authenticate', 'sunset-header', 'deprecation-header'],
  watch: (exchange, report, { mayBeBanned }) => {
    const { status, headers } = exchange.response;
    report.judge(
      'no-server-error',
      status < 500,
      () => `${exchange.request.method} ${exchange.request.path} was answered ${status}.`,
    );
    if (status === 401 && !mayBeBanned && !isOmitted(exchange.response, 'WWW-Authenticate')) {
      const challenges = headerValues(headers, 'WWW-Authenticate');
      report.judge('www-authenticate', challenges.some(namesScheme), () =>
        challenges.length === 0
          ? 'A 401 without WWW-Authenticate.'
          : `A 401 with "WWW-Authenticate: ${challenges.join(', ')}", which names no authentication scheme.`,
      );
    }
    const sunset = header(exchange, 'Sunset');
    if (sunset !== undefined) {
      report.judge(
        'sunset-header',
        parseHttpDate(sunset) !== undefined,
        () => `Sunset is "${sunset}", no HTTP-date.`,
      );
    }
    const deprecation = header(exchange, 'Deprecation');
    if (deprecation !== undefined) {
      report.judge(
        'deprecation-header',
        /^@-?\d{1,15}$/.test(deprecation),
        () => `Deprecation is "${deprecation}", no structured-field date such as @1688169599.`,
      );
    }
  },
};

/** Whether a value of WWW-Authenticate begins with a challenge (RFC 9110, section 11.6.1). */
function namesScheme(value: string): boolean {
  return /^[,\s]*[!#$%&'*+.^_`|~\w-]+(?:[\s,]|$)/.test(value);
}

const TELLING_HEADERS =
  /^(?:ratelimit|x-rate-?limit|cache-control|etag|vary|deprecation|sunset|link|api-version|x-request-id)/i;
const DOCUMENTED_HEADERS = /^x-ratelimit-(?:limit|remaining|reset)$/i;

/** What the text is silent about, on any response. */
export const silences: Monitor = {
  id: 'silences',
  title: 'What responses contain beyond the specification',
  judges: ['extra-headers', 'body-of-429', 'body-of-ban'],
  watch: (exchange, report, { mayBeBanned }) => {
    for (const [name] of exchange.response.headers) {
      if (TELLING_HEADERS.test(name) && !DOCUMENTED_HEADERS.test(name)) {
        report.observe('extra-headers', name.toLowerCase());
      }
    }
    const { status, isBodyOmitted } = exchange.response;
    if (isBodyOmitted) {
      return;
    }
    if (mayBeBanned && (status === 401 || status === 403)) {
      report.observe('body-of-ban', kindOfBody(exchange));
    } else if (status === 429) {
      report.observe('body-of-429', kindOfBody(exchange));
    }
  },
};

/** What sort of body a response has, in a few words. */
export function kindOfBody(exchange: Exchange): string {
  if (exchange.response.body.length === 0) {
    return 'empty';
  }
  if (listOf(exchange) !== undefined) {
    return 'JSON array';
  }
  const body = jsonOf(exchange);
  if (isJsonObject(body)) {
    const isError = ['code', 'message', 'status'].every((member) => member in body);
    return isError ? 'Error object' : 'other JSON object';
  }
  if (body !== undefined) {
    return Array.isArray(body) ? 'JSON array' : 'JSON value';
  }
  return mediaTypeOf(exchange) ?? 'no media type';
}
