import type { LoadResponse } from './load-request.ts';

/** The rate limit headers of a response, read at full speed. -1 is a missing number, -2 a malformed or repeated one. */
export type QuickHeaders = ReturnType<typeof readQuickHeaders>;

const LIMIT = 'x-ratelimit-limit';
const REMAINING = 'x-ratelimit-remaining';
const RESET = 'x-ratelimit-reset';
const RETRY_AFTER = 'retry-after';

export function readQuickHeaders(rawHeaders: LoadResponse['rawHeaders']) {
  let limit = -1;
  let remaining = -1;
  let reset = -1;
  let retryAfter: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    const value = rawHeaders[index + 1];
    if (name === undefined || value === undefined) {
      continue;
    }
    // Most fields are told apart by their length alone.
    switch (name.length) {
      case RETRY_AFTER.length:
        retryAfter ??= isNamed(name, RETRY_AFTER) ? decodeFieldPart(value) : undefined;
        break;
      case LIMIT.length:
        if (isNamed(name, LIMIT)) {
          limit = readDigits(value, limit);
        } else if (isNamed(name, RESET)) {
          reset = readDigits(value, reset);
        }
        break;
      case REMAINING.length:
        if (isNamed(name, REMAINING)) {
          remaining = readDigits(value, remaining);
        }
        break;
      default:
    }
  }
  return { limit, remaining, reset, retryAfter };
}

const CONTENT_LENGTH = 'content-length';

/** Bytes of the body by Content-Length; `undefined` if that is missing or not a number (RFC 9110, section 8.6). */
export function contentLengthOf(rawHeaders: LoadResponse['rawHeaders']): number | undefined {
  const value = firstValueOf(rawHeaders, CONTENT_LENGTH);
  const length = value === undefined ? -1 : readDigits(value, -1);
  return length < 0 ? undefined : length;
}

/** The value of the first field of that name, in small letters. */
export function firstValueOf(
  rawHeaders: LoadResponse['rawHeaders'],
  lowerCase: string,
): string | Buffer | undefined {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === lowerCase.length && isNamed(name, lowerCase)) {
      return rawHeaders[index + 1];
    }
  }
  return undefined;
}

export function decodeFieldPart(part: string | Buffer | undefined): string {
  return typeof part === 'string' ? part : (part?.toString('latin1') ?? '');
}

/** Whether a name of the right length is the one that is looked for. */
export function isNamed(name: string | Buffer, lowerCase: string): boolean {
  return decodeFieldPart(name).toLowerCase() === lowerCase;
}

function readDigits(value: string | Buffer, before: number): number {
  const [, digits] = /^[ \t]*(\d{1,15})[ \t]*$/.exec(decodeFieldPart(value)) ?? [];
  return before !== -1 || digits === undefined ? -2 : Number(digits);
}
