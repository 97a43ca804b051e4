import { createHash } from 'node:crypto';
import type { Observation } from './report.ts';
import { printableLine } from './words.ts';

/** The value of an observation in one line, safe to show. */
export function observationText(observation: Observation): string {
  const text = typeof observation === 'object' ? observation.join(', ') : String(observation);
  return text === '' ? '(none)' : printableLine(text);
}

/** What differs most between services, in the order of the word, with what stands before each value. */
const MARKS = [
  ['', 'window-algorithm'],
  ['', 'retry-after-format'],
  ['headers-', 'headers-when-day-binds'],
  ['ban-', 'ban-status'],
  ['', 'ban-threshold'],
  ['', 'ban-length'],
] as const;

const DIGITS = 8;

/**
 * What a service makes of the freedoms of the specification, short enough to compare by eye: its main choices, `?` for one
 * that was not seen, and a hash of all that was seen. `null` if nothing was.
 */
export function fingerprintOf(observations: Readonly<Record<string, Observation>>): string | null {
  const names = Object.keys(observations).toSorted();
  if (names.length === 0) {
    return null;
  }
  const seen = names.map((name) => [name, observations[name]]);
  const hash = createHash('sha256').update(JSON.stringify(seen)).digest('hex').slice(0, DIGITS);
  return [...MARKS.map(([label, name]) => wordOf(label, observations[name])), hash].join('/');
}

/** The value as one word of letters, digits and hyphens. */
function wordOf(label: string, value: Observation | undefined): string {
  return value === undefined
    ? '?'
    : `${label}${String(value)}`
        .replace(' continued requests', '')
        .replaceAll(/\W+/g, '-')
        .replaceAll(/^-|-$/g, '');
}
