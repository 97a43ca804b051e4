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

const TO_LOWER_CASE = 0x20;

/** Whether a name of the right length is the one that is looked for; compared from the end, since names differ most there. */
export function isNamed(name: string | Buffer, lowerCase: string): boolean {
  for (let index = lowerCase.length - 1; index >= 0; index -= 1) {
    if ((codeAt(name, index) | TO_LOWER_CASE) !== lowerCase.charCodeAt(index)) {
      return false;
    }
  }
  return true;
}

const LONGEST_NUMBER = 15;
const ZERO = 0x30;

function readDigits(value: string | Buffer, before: number): number {
  let from = 0;
  let to = value.length;
  while (from < to && isBlank(codeAt(value, from))) {
    from += 1;
  }
  while (to > from && isBlank(codeAt(value, to - 1))) {
    to -= 1;
  }
  if (before !== -1 || from === to || to - from > LONGEST_NUMBER) {
    return -2;
  }
  let number = 0;
  for (let index = from; index < to; index += 1) {
    const digit = codeAt(value, index) - ZERO;
    if (!(digit >= 0 && digit <= 9)) {
      return -2;
    }
    number = number * 10 + digit;
  }
  return number;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function codeAt(part: string | Buffer, index: number): number {
  return typeof part === 'string' ? part.charCodeAt(index) : (part[index] ?? Number.NaN);
}
