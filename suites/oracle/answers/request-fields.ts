import type { RequestMessage } from '../exchange.ts';

/**
 * What the header fields of a request leave of its meaning: all of it; all but its body's media type, which is another
 * one or missing; all of it, if its body is accepted in chunks, which a server may refuse to take without their length; or
 * nothing that is sure, as with another method, a condition or a range.
 */
export type FieldsReading = 'plain' | 'other media type' | 'in chunks' | 'open';

/** Conditions that no list meets, so that it is answered as without them: a tag that was never given, and a time before. */
export const NEVER_MATCHING = {
  'If-None-Match': '"stockcheck-77"',
  'If-Modified-Since': 'Sat, 01 Jan 1955 00:00:00 GMT',
} as const;

// Fields that no documented operation has a reason to look at.
const HARMLESS =
  /^(?::[a-z]+|host|user-agent|accept-language|accept-encoding|dnt|from|pragma|priority|referer|sec-[a-z-]+|traceparent|tracestate|x-forwarded-for|x-real-ip|x-request-id|x-correlation-id|authorization)$/;
const LONGEST_HARMLESS = 1_024;
const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i;
const ACCEPTS_JSON = /(?:^|[\s,])(?:\*\/\*|application\/(?:json|\*))\s*(?:$|,)/i;

export function readFields({
  headers,
  body,
  bodyInParts,
}: Pick<RequestMessage, 'headers' | 'body' | 'bodyInParts'>): FieldsReading {
  let types = 0;
  let isJson = true;
  for (const [name, value] of headers) {
    const field = name.toLowerCase();
    if (field === 'content-type') {
      types += 1;
      isJson &&= JSON_TYPE.test(value.trim());
    } else if (!isHarmless(field, value, body)) {
      return 'open';
    }
  }
  if (body !== null && (types !== 1 || !isJson)) {
    return 'other media type';
  }
  const isInChunks =
    bodyInParts === true && !headers.some(([name]) => name.toLowerCase() === 'content-length');
  return isInChunks ? 'in chunks' : 'plain';
}

function isHarmless(field: string, value: string, body: RequestMessage['body']): boolean {
  if (field === 'accept') {
    return ACCEPTS_JSON.test(value);
  }
  if (field === 'content-length') {
    return Number(value) === Buffer.byteLength(body ?? '');
  }
  if (field === 'cache-control') {
    return /^(?:no-cache|no-store|max-age=0)$/i.test(value);
  }
  if (field === 'if-none-match' || field === 'if-modified-since') {
    return body === null && Object.values<string>(NEVER_MATCHING).includes(value);
  }
  if (field === 'connection') {
    return /^(?:close|keep-alive)$/i.test(value);
  }
  return HARMLESS.test(field) && value.length <= LONGEST_HARMLESS;
}
