import type { RequestMessage } from '../exchange.ts';

/**
 * What the header fields of a request leave of its meaning: all of it; all but its body's media type, which is another
 * one or missing; all of it, if its body is accepted in chunks, which a server may refuse to take without their length; or
 * nothing that is sure, as with another method or a range.
 */
export type FieldsReading = 'plain' | 'other media type' | 'in chunks' | 'open';

/** Conditions that no list meets, so that it is answered as without them: a tag that was never given, and a time before. */
export const NEVER_MATCHING = {
  'If-None-Match': '"stockcheck-77"',
  'If-Modified-Since': 'Sat, 01 Jan 1955 00:00:00 GMT',
} as const;

/** Fields by which a request may be taken for one with another method, or for another path. */
export const MAY_ASK_FOR_ANOTHER =
  /override|^x-(?:rewrite|original)-(?:method|path|ur[il])|^x-(?:http-)?method/i;

// Fields that change what is asked, by HTTP or by a wide convention.
const OPENS = /^if$|range$|tenant|^(?:prefer|content-encoding)$/;
const VERSIONS = /^(?:x-)?(?:accept|api)-version$/;
const THIS_VERSION = /^v?1(?:\.0){0,2}$/i;
// A request counts for the key that it names.
const KEYS = /auth|credential|jwt|key|passw|secret|token/;
// These may be demanded beside it.
const SIGNS_IN = /session|sid$|signature/;
const NO_CREDENTIALS = /^(?::.*|authorization|sec-.*|postman-token|.*(?:[cx]srf-?token|idempotency-key))$/;

/** Whether a field beside Authorization may say who sends the request; cookies apart. */
export function mayCarryCredentials(name: string): boolean {
  const field = name.toLowerCase();
  return mayNameKey(field) || SIGNS_IN.test(field);
}

function mayNameKey(field: string): boolean {
  return KEYS.test(field) && !NO_CREDENTIALS.test(field);
}

const CLIENT_ERRORS = Array.from({ length: 100 }, (_, index) => 400 + index);
const REDIRECTS = [301, 302, 307, 308];

/** Fields for which a server may answer so by HTTP or by a wide convention, whatever is asked; any other changes nothing. */
const REFUSALS: readonly (readonly [field: RegExp, statuses: readonly number[]])[] = [
  [/^accept(?!-encoding$)/, [406]],
  [/^expect$/, [417]],
  [/^early-data$/, [425]],
  [/^if-(?:none-match|modified-since)$/, [304, 412]],
  [/^if-(?:match|unmodified-since)$/, [400, 412, 428]],
  [/^(?:cookie|origin|referer)$/, [403]],
  // Frameworks choose each its own.
  [/[cx]srf-?token$/, [400, 403, 419, 422]],
  [SIGNS_IN, CLIENT_ERRORS],
  [VERSIONS, CLIENT_ERRORS],
  // An offer to go on in HTTP/2.
  [/^(?:upgrade|http2-settings)$/, CLIENT_ERRORS],
  [/digest$|^content-md5$/, [400]],
  [/idempotency-key$/, [400, 409, 422]],
  // The scheme and the host that it was sent to at first may be others than a server wants.
  [
    /^upgrade-insecure-requests$|-https$|^forwarded$|-forwarded-(?!for$)|^x-scheme$/,
    [...REDIRECTS, 403, 426],
  ],
  [/^forwarded$|(?:-forwarded|^x)-host$/, [400, 421]],
  // Gateways set these themselves, and may refuse them from others.
  [/^via$|^cdn-|^cf-|^fastly-|^forwarded$|client-?ip$|^x-(?:azure|envoy)-/, [403, 508]],
  [/^x-(?:internal|middleware)-|^x-(?:isr|remote-user|user-role)$/, [400, 403]],
];
const LONGEST_HARMLESS = 1_024;
const REFUSALS_OF_LONG_FIELDS = [400, 413, 431];
const MOST_HARMLESS_FIELDS = 30;
const JSON_TYPE = /^application\/json(?:\s*;\s*charset=utf-8)?$/i;
const ACCEPTS_JSON = /(?:^|[\s,])(?:\*\/\*|application\/(?:json|\*))\s*(?:;\s*q=0?\.\d*[1-9]\d*\s*)?(?:$|,)/i;
// Of load balancers and statistics, which say nothing of who sends a request.
const HARMLESS_COOKIES = /^(?:(?:_ga|awsalb)\w*=[^;]*(?:;\s*|$))+$/i;
// Who needs HTTP/1.1 says so (RFC 9110, section 15.6.6), or asks for it.
const REFUSALS_OF_HTTP10 = [400, 403, 426, 505];

export function readFields({ headers, body }: Pick<RequestMessage, 'headers' | 'body'>): FieldsReading {
  let types = 0;
  let isJson = true;
  let isInChunks = false;
  for (const [name, value] of headers) {
    const field = name.toLowerCase();
    if (field === 'content-type') {
      types += 1;
      isJson &&= JSON_TYPE.test(value.trim());
    } else if (field === 'transfer-encoding' && /^chunked$/i.test(value)) {
      isInChunks = true;
    } else if (isOpen(field, value, body)) {
      return 'open';
    }
  }
  if (body !== null && (types !== 1 || !isJson)) {
    return 'other media type';
  }
  return isInChunks && !headers.some(([name]) => name.toLowerCase() === 'content-length')
    ? 'in chunks'
    : 'plain';
}

function isOpen(field: string, value: string, body: RequestMessage['body']): boolean {
  switch (field) {
    case 'content-length':
      return Number(value) !== Buffer.byteLength(body ?? '');
    case 'transfer-encoding':
      return true;
    case 'cache-control':
      return /only-if-cached|stale/i.test(value);
    case 'connection':
      // Any other name is that of a field which goes no further (RFC 9110, section 7.6.1).
      return !/^(?:(?:close|keep-alive|te|upgrade|http2-settings)\s*(?:,\s*|$))*$/i.test(value);
    case 'upgrade':
      return !/^h2c$/i.test(value);
    default:
      return (
        MAY_ASK_FOR_ANOTHER.test(field) ||
        OPENS.test(field) ||
        (VERSIONS.test(field) && !THIS_VERSION.test(value)) ||
        mayNameKey(field)
      );
  }
}

/** The statuses of answers that a request may get for its form alone, whatever it asks for. */
export function refusalsOfForm({
  headers,
  body,
  isHttp10,
}: Pick<RequestMessage, 'headers' | 'body' | 'isHttp10'>): readonly number[] {
  const ofFields = headers.flatMap(([name, value]) => {
    const field = name.toLowerCase();
    const isHarmless =
      (field === 'accept' && ACCEPTS_JSON.test(value)) ||
      (field === 'cookie' && HARMLESS_COOKIES.test(value)) ||
      (body === null && Object.values<string>(NEVER_MATCHING).includes(value));
    const own = isHarmless
      ? []
      : REFUSALS.flatMap(([pattern, statuses]) => (pattern.test(field) ? statuses : []));
    return value.length > LONGEST_HARMLESS ? [...own, ...REFUSALS_OF_LONG_FIELDS] : own;
  });
  return [
    ...ofFields,
    ...(headers.length > MOST_HARMLESS_FIELDS ? REFUSALS_OF_LONG_FIELDS : []),
    ...(isHttp10 === true ? REFUSALS_OF_HTTP10 : []),
  ];
}
