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

/** Finds many secrets in time that grows with the text alone. */
export function createSecretFinder(): SecretFinder {
  // By the characters that each begins with, then by its text.
  const needles = new Map<string, Map<string, Labelled>>();
  // With which pairs of characters any begins, so that most places in a text are passed over at once.
  const pairs = new Uint8Array(1 << 16);
  // These may be part of an ordinary word, so they count only as whole words, in their own letter case.
  const words = new Map<string, string>();

  // Most runs record nothing in which a secret of theirs could stand.
  const unprepared = new Map<string, string>();

  const prepare = (): void => {
    for (const [secret, label] of unprepared) {
      for (const needle of needlesOf(secret)) {
        const { text } = needle;
        const beginning = text.slice(0, SHORTEST_NEEDLE);
        const alike = needles.get(beginning) ?? new Map<string, Labelled>();
        needles.set(beginning, alike.set(text, { ...needle, label }));
        pairs[pairAt(text, 0)] = 1;
      }
    }
    unprepared.clear();
  };

  const findNeedles = (layer: Decoded, found: FoundSecret[]): void => {
    const text = foldCase(layer.text);
    for (let at = 0; at + SHORTEST_NEEDLE <= text.length; at += 1) {
      const alike = pairs[pairAt(text, at)] === 1 && needles.get(text.slice(at, at + SHORTEST_NEEDLE));
      for (const needle of alike ? alike.values() : []) {
        if (text.startsWith(needle.text, at)) {
          found.push({ ...sightingOf(layer, needle, at), label: needle.label });
        }
      }
    }
  };

  return {
    add: (secret, label) => {
      if (secret.length < SHORTEST_NEEDLE) {
        words.set(secret, label);
      }
      unprepared.set(secret, label);
    },
    remove: (secret, label) => {
      for (const known of [unprepared, words]) {
        if (known.get(secret) === label) {
          known.delete(secret);
        }
      }
      for (const { text } of needlesOf(secret)) {
        const beginning = text.slice(0, SHORTEST_NEEDLE);
        const alike = needles.get(beginning);
        if (alike?.get(text)?.label === label && alike.delete(text) && alike.size === 0) {
          needles.delete(beginning);
        }
      }
    },
    find: (text) => {
      prepare();
      const found: FoundSecret[] = [];
      for (const layer of decodings(text)) {
        findNeedles(layer, found);
        findWords(words, layer, found);
      }
      return found.length === 0 ? found : withoutOverlaps(found);
    },
  };
}

/** The characters at that place as one number. */
function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at) << 8) ^ text.charCodeAt(at + 1)) & 0xff_ff;
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

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /^[A-Za-z0-9]$/.test(character);
}
