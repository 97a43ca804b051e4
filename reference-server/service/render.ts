import type { Answer } from './answer.ts';
import type { ServiceResponse } from './messages.ts';
import type { LimitState } from './rate-limiter.ts';

/** Joins an answer with the header fields that every response carries; `now` in Unix seconds. */
export type Renderer = (answer: Answer, limit: LimitState, now: number) => ServiceResponse;

export function createRenderer(): Renderer {
  let second = Number.NaN;
  let date = '';

  return ({ status, body, contentLength, headers: further }, limit, now) => {
    const current = Math.floor(now);
    if (current !== second) {
      second = current;
      date = httpDate(current);
    }
    const headers = [
      'Content-Type',
      'application/json',
      'Content-Length',
      contentLength,
      'Date',
      date,
      'X-RateLimit-Limit',
      `${limit.limit}`,
      'X-RateLimit-Remaining',
      `${limit.remaining}`,
      'X-RateLimit-Reset',
      `${limit.resetUnixSeconds}`,
    ];
    for (const field of further) {
      headers.push(field);
    }
    return { status, headers, body };
  };
}

/** IMF-fixdate (RFC 9110, section 5.6.7). */
export function httpDate(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toUTCString();
}
