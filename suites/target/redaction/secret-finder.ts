import {
  decodings,
  foldCase,
  needlesOf,
  SHORTEST_NEEDLE,
  sightingOf,
  type Decoded,
  type Needle,
  type Sighting,
} from './spellings.ts';

/** A secret that was found in a text. */
interface FoundSecret extends Sighting {
  readonly label: string;
}

export interface SecretFinder {
  /** Looks for the secret from now on, in any letter-case and in the usual encodings. */
  readonly add: (secret: string, label: string) => void;
  /** Looks for it no longer. */
  readonly remove: (secret: string, label: string) => void;
  /** What stands in the text, in order and without overlaps; of several that overlap, the label of the longest. */
  readonly find: (text: string) => readonly FoundSecret[];
}

interface Labelled extends Needle {
  readonly label: string;
}

// The hash of a window is a polynomial, so that it follows from that of the window before (Rabin and Karp).
const BASE = 0x01_00_01_93;
const BASE_TO_THE_WINDOW = power(BASE, SHORTEST_NEEDLE);
const FILTER_BITS = 16;

/** Finds many secrets in time that grows with the text alone. */
export function createSecretFinder(): SecretFinder {
  const index = createNeedleIndex();
  // These may be part of an ordinary word, so they count only as whole words, in their own letter case.
  const words = new Map<string, string>();

  // Most runs record nothing in which a secret of theirs could stand.
  const unprepared = new Map<string, string>();

  const prepare = (): void => {
    for (const [secret, label] of unprepared) {
      for (const needle of needlesOf(secret)) {
        index.replace(hashOf(needle.text, 0), (before) => [
          ...before.filter(({ text }) => text !== needle.text),
          { ...needle, label },
        ]);
      }
    }
    unprepared.clear();
  };

  return {
    add: (secret, label) => {
      if (secret.length < SHORTEST_NEEDLE) {
        words.set(secret, label);
      }
      unprepared.set(secret, label);
    },
    remove: (secret, label) => {
      if (unprepared.get(secret) === label) {
        unprepared.delete(secret);
      }
      if (words.get(secret) === label) {
        words.delete(secret);
      }
      for (const needle of needlesOf(secret)) {
        index.replace(hashOf(needle.text, 0), (before) =>
          before.filter((other) => other.text !== needle.text || other.label !== label),
        );
      }
    },
    find: (text) => {
      prepare();
      const found: FoundSecret[] = [];
      for (const layer of decodings(text)) {
        index.find(layer, found);
        findWords(words, layer, found);
      }
      return found.length === 0 ? found : withoutOverlaps(found);
    },
  };
}

/** Needles by the hash of their first window. */
function createNeedleIndex() {
  const needles = new Map<number, readonly Labelled[]>();
  // How many needles there are whose hash begins so.
  const filter = new Uint32Array(1 << FILTER_BITS);
  return {
    replace: (hash: number, change: (before: readonly Labelled[]) => readonly Labelled[]): void => {
      const before = needles.get(hash) ?? [];
      const after = change(before);
      const bucket = hash >>> (32 - FILTER_BITS);
      filter[bucket] = (filter[bucket] ?? 0) + after.length - before.length;
      if (after.length === 0) {
        needles.delete(hash);
      } else {
        needles.set(hash, after);
      }
    },
    find: (layer: Decoded, found: FoundSecret[]): void => {
      const text = foldCase(layer.text);
      if (needles.size === 0 || text.length < SHORTEST_NEEDLE) {
        return;
      }
      let hash = hashOf(text, 0);
      for (let at = 0; ; at += 1) {
        if (filter[hash >>> (32 - FILTER_BITS)] !== 0) {
          for (const needle of needles.get(hash) ?? []) {
            if (text.startsWith(needle.text, at)) {
              found.push({ ...sightingOf(layer, needle, at), label: needle.label });
            }
          }
        }
        if (at + SHORTEST_NEEDLE >= text.length) {
          return;
        }
        hash =
          (Math.imul(hash, BASE) +
            text.charCodeAt(at + SHORTEST_NEEDLE) -
            Math.imul(text.charCodeAt(at), BASE_TO_THE_WINDOW)) >>>
          0;
      }
    },
  };
}

/** @param words with the label of each */
function findWords(words: ReadonlyMap<string, string>, layer: Decoded, found: FoundSecret[]): void {
  const { text } = layer;
  for (const [word, label] of words) {
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
      if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + word.length])) {
        found.push({ ...sightingOf(layer, { text: word, isBase64: false }, at), label });
      }
    }
  }
}

function withoutOverlaps(found: readonly FoundSecret[]): readonly FoundSecret[] {
  const apart: FoundSecret[] = [];
  let longest = 0;
  for (const next of found.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = apart.at(-1);
    if (last === undefined || next.from >= last.to) {
      apart.push(next);
      longest = next.to - next.from;
    } else {
      const isLonger = next.to - next.from > longest;
      longest = Math.max(longest, next.to - next.from);
      apart.splice(-1, 1, {
        from: last.from,
        to: Math.max(last.to, next.to),
        label: isLonger ? next.label : last.label,
      });
    }
  }
  return apart;
}

function hashOf(text: string, from: number): number {
  let hash = 0;
  for (let at = from; at < from + SHORTEST_NEEDLE; at += 1) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) >>> 0;
  }
  return hash;
}

function power(base: number, exponent: number): number {
  let product = 1;
  for (let factor = 0; factor < exponent; factor += 1) {
    product = Math.imul(product, base);
  }
  return product;
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /^[A-Za-z0-9]$/.test(character);
}
