import picomatch from 'picomatch';

import { didYouMean } from '../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';

const LIST_OF_TRIALS = 'stockcheck prove --list';

/**
 * The entries whose id fits one of the patterns; each value may be a list with commas.
 * @param listedBy the command that prints them
 * @throws {ConfigurationError} if a pattern fits none
 */
export function matching<Entry extends { readonly id: string }>(
  option: string,
  patterns: readonly string[],
  entries: readonly Entry[],
  listedBy = LIST_OF_TRIALS,
): readonly Entry[] {
  const found = new Set<Entry>();
  for (const pattern of readCommaSeparated(option, patterns)) {
    const matches = picomatch(pattern);
    const hits = entries.filter(({ id }) => matches(id));
    if (hits.length === 0) {
      throw unknown(option, pattern, entries, listedBy);
    }
    hits.forEach((hit) => found.add(hit));
  }
  return entries.filter((entry) => found.has(entry));
}

/**
 * The entry of that id.
 * @throws {ConfigurationError} if there is none
 */
export function named<Entry extends { readonly id: string }>(
  option: string,
  id: string,
  entries: readonly Entry[],
): Entry {
  const entry = entries.find((candidate) => candidate.id === id);
  if (entry === undefined) {
    throw unknown(option, id, entries, LIST_OF_TRIALS);
  }
  return entry;
}

function unknown(
  option: string,
  name: string,
  entries: readonly { readonly id: string }[],
  listedBy: string,
): ConfigurationError {
  const known = entries.map(({ id }) => id);
  return new ConfigurationError(
    `${option}: there is no ${JSON.stringify(name)}.${didYouMean(name, known)} \`${listedBy}\` lists them.`,
  );
}

/** The items of a comma-separated list, without space around them and without empty ones. */
export function splitList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/**
 * The items of an option that may be repeated and hold lists.
 * @throws {ConfigurationError} if there is none: nothing would be chosen, or everything
 */
export function readCommaSeparated(named: string, values: readonly string[]): readonly string[] {
  const items = values.flatMap(splitList);
  if (items.length === 0) {
    throw new ConfigurationError(`${named} is empty; it takes at least one item`);
  }
  return items;
}
