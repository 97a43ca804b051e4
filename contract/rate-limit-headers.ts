import type { HeaderField } from './verdict.ts';

/** The three headers of the specification, section "Rate limit headers". */
export const RATE_LIMIT_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;

export type RateLimitHeader = (typeof RATE_LIMIT_HEADERS)[number];

/** What one response says of its key's limit; requests, requests, Unix seconds. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

export type HeaderReading =
  | { readonly state: 'ok'; readonly value: number }
  | { readonly state: 'missing' }
  | { readonly state: 'repeated'; readonly values: readonly string[] }
  | { readonly state: 'malformed'; readonly value: string };

// Every monitor reads the fields of every response, so each section is sorted by name once.
const sections = new WeakMap<readonly HeaderField[], ReadonlyMap<string, readonly string[]>>();

/** All values of a field, in order; names compare without letter-case (RFC 9110, section 5.1). */
export function headerValues(headers: readonly HeaderField[], name: string): readonly string[] {
  let section = sections.get(headers);
  if (section === undefined) {
    section = sortByName(headers);
    sections.set(headers, section);
  }
  return section.get(inLowerCase(name)) ?? [];
}

// Responses have the same few names again and again.
const MOST_NAMES = 1_000;
const lowerNames = new Map<string, string>();

function inLowerCase(name: string): string {
  const known = lowerNames.get(name);
  if (known !== undefined) {
    return known;
  }
  const lower = name.toLowerCase();
  if (lowerNames.size < MOST_NAMES) {
    lowerNames.set(name, lower);
  }
  return lower;
}

function sortByName(headers: readonly HeaderField[]): ReadonlyMap<string, readonly string[]> {
  const section = new Map<string, string[]>();
  for (const [field, value] of headers) {
    const name = inLowerCase(field);
    const values = section.get(name) ?? [];
    values.push(value);
    section.set(name, values);
  }
  return section;
}

/** Reads one of the three headers: it has to occur once, as a decimal integer; beyond 2^53 it is rounded. */
export function readRateLimitHeader(headers: readonly HeaderField[], name: RateLimitHeader): HeaderReading {
  const values = headerValues(headers, name);
  const [value] = values;
  if (value === undefined) {
    return { state: 'missing' };
  }
  if (values.length > 1) {
    return { state: 'repeated', values };
  }
  return /^-?\d+$/.test(value) ? { state: 'ok', value: Number(value) } : { state: 'malformed', value };
}

/** All three headers, or `undefined` if one of them cannot be read. */
export function readRateLimit(headers: readonly HeaderField[]): RateLimit | undefined {
  const [limit, remaining, reset] = RATE_LIMIT_HEADERS.map((name) => readRateLimitHeader(headers, name));
  return limit?.state === 'ok' && remaining?.state === 'ok' && reset?.state === 'ok'
    ? { limit: limit.value, remaining: remaining.value, reset: reset.value }
    : undefined;
}
