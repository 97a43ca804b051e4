import type { LoadResponse } from './load-request.ts';

/** The rate limit headers of a response, read at full speed. -1 is a missing number, -2 a malformed or repeated one. */
export interface QuickHeaders {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  readonly retryAfter: string | undefined;
}

const NAMES = {
  limit: 'x-ratelimit-limit',
  reset: 'x-ratelimit-reset',
  remaining: 'x-ratelimit-remaining',
  retryAfter: 'retry-after',
} as const;

export function readQuickHeaders(rawHeaders: LoadResponse['rawHeaders']): QuickHeaders {
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
      case NAMES.retryAfter.length:
        retryAfter ??= isNamed(name, NAMES.retryAfter) ? textOf(value) : undefined;
        break;
      case NAMES.limit.length:
        if (isNamed(name, NAMES.limit)) {
          limit = readDigits(value, limit);
        } else if (isNamed(name, NAMES.reset)) {
          reset = readDigits(value, reset);
        }
        break;
      case NAMES.remaining.length:
        if (isNamed(name, NAMES.remaining)) {
          remaining = readDigits(value, remaining);
        }
        break;
      default:
    }
  }
  return { limit, remaining, reset, retryAfter };
}

export function textOf(part: string | Buffer | undefined): string {
  return typeof part === 'string' ? part : (part?.toString('latin1') ?? '');
}

// A target spells its fields the same way each time.
const known = new Map<string, string>();
const MOST_SPELLINGS = 1_000;

function isNamed(name: string | Buffer, lowerCase: string): boolean {
  const text = textOf(name);
  if (text === lowerCase) {
    return true;
  }
  let spelled = known.get(text);
  if (spelled === undefined) {
    spelled = text.toLowerCase();
    if (known.size < MOST_SPELLINGS) {
      known.set(text, spelled);
    }
  }
  return spelled === lowerCase;
}

const LONGEST_NUMBER = 15;
const ZERO = 0x30;

function readDigits(value: string | Buffer, before: number): number {
  const text = textOf(value).trim();
  if (before !== -1 || text.length === 0 || text.length > LONGEST_NUMBER) {
    return -2;
  }
  let number = 0;
  for (let index = 0; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) {
      return -2;
    }
    number = number * 10 + digit;
  }
  return number;
}
