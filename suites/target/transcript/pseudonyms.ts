import { randomInt } from 'node:crypto';

import { withKeys, withoutKeys } from '../trail/key-text.ts';

interface StandIn {
  readonly secret: string;
  readonly pseudonym: string;
  /** Each stretch of so many characters of the key, in small letters. */
  readonly pieces: readonly string[];
}

const SMALL = 'abcdefghijklmnopqrstuvwxyz';
const LETTERS = `${SMALL}${SMALL.toUpperCase()}0123456789`;
const PIECE = 4;
// A text holds stretches of one key or two; what begins alike is no near miss of all keys.
const MOST_CANDIDATES = 6;
// Keys of one character may have no stand-in apart from all others.
const MOST_DRAWS = 100;
// What stands before credentials is no part of a key, even if a key holds such a word.
const SCHEME = /^[a-z]+[\s:=]+/i;
const MOST_KEPT_TEXTS = 4_096;

/** Other keys that stand for the keys of a run, so that a near miss of a key is one of its stand-in as well. */
export function drawPseudonyms() {
  const known = new Map<string, StandIn>();
  const replaced = new Map<string, string>();
  const candidatesFor = (text: string): readonly StandIn[] => {
    const folded = foldedTexts(text);
    return [...known.values()]
      .map((one) => ({ one, hits: one.pieces.filter((piece) => folded.includes(piece)).length }))
      .filter(({ hits }) => hits > 0)
      .toSorted((one, other) => other.hits - one.hits)
      .slice(0, MOST_CANDIDATES)
      .map(({ one }) => one);
  };
  return {
    /** What stands for a key from now on. It is drawn at random, and tells nothing of the key but its length. */
    learn: (secret: string): string => {
      const before = known.get(secret);
      if (before !== undefined) {
        return before.pseudonym;
      }
      const pseudonym = draw(secret, [...known.values()]);
      known.set(secret, { secret, pseudonym, pieces: piecesOf(secret.toLowerCase()) });
      replaced.clear();
      return pseudonym;
    },
    /** The text with stand-ins in place of keys, and of whatever stretch, letter-case or encoding of them it holds. */
    replace: (text: string): string => {
      const plain = text.startsWith('Bearer ') ? known.get(text.slice('Bearer '.length)) : undefined;
      if (plain !== undefined) {
        return `Bearer ${plain.pseudonym}`;
      }
      const kept = replaced.get(text);
      if (kept !== undefined) {
        return kept;
      }
      const scheme = SCHEME.exec(text)?.[0] ?? '';
      const rest = text.slice(scheme.length);
      const candidates = candidatesFor(rest);
      const parts = withoutKeys(
        rest,
        candidates.map(({ secret }) => secret),
      );
      const pseudonyms = candidates.map(({ pseudonym }) => pseudonym);
      const result = candidates.length === 0 ? text : `${scheme}${withKeys(parts, pseudonyms)}`;
      if (replaced.size >= MOST_KEPT_TEXTS) {
        replaced.clear();
      }
      replaced.set(text, result);
      return result;
    },
  };
}

/** In small letters: the text, the text backwards, and what is encoded in its last word. */
function foldedTexts(text: string): string {
  const small = text.toLowerCase();
  const encoded = Buffer.from(text.split(/\s+/).at(-1) ?? '', 'base64')
    .toString()
    .toLowerCase();
  return `${small}\n${small.split('').toReversed().join('')}\n${encoded}`;
}

function piecesOf(text: string): readonly string[] {
  return text.length <= PIECE
    ? [text]
    : Array.from({ length: text.length - PIECE + 1 }, (_, at) => text.slice(at, at + PIECE));
}

/** A key that holds another one, or is part of it, gets a stand-in that does as well. */
function draw(secret: string, known: readonly StandIn[]): string {
  for (const other of known) {
    const within = other.secret.indexOf(secret);
    if (within !== -1) {
      return other.pseudonym.slice(within, within + secret.length);
    }
    const around = secret.indexOf(other.secret);
    if (around !== -1) {
      const rest = secret.length - around - other.secret.length;
      return `${drawText(around)}${other.pseudonym}${drawText(rest)}`;
    }
  }
  for (let draws = 1; ; draws += 1) {
    const drawn = withLetters(drawText(secret.length), secret);
    const isApart = !known.some(({ pseudonym }) => pseudonym.includes(drawn) || drawn.includes(pseudonym));
    if (isApart || draws === MOST_DRAWS) {
      return drawn;
    }
  }
}

function drawText(length: number): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/** Letters of both cases if the key has them, so that another letter-case of it is another text. */
function withLetters(drawn: string, secret: string): string {
  const small = SMALL[randomInt(SMALL.length)] ?? 'a';
  const isMixed = /[a-z]/.test(secret) && /[A-Z]/.test(secret) && secret.length > 1;
  const first = /[a-z]/.test(secret) || !/[A-Z]/.test(secret) ? small : small.toUpperCase();
  const second = isMixed ? (SMALL[randomInt(SMALL.length)] ?? 'a').toUpperCase() : drawn.slice(1, 2);
  return `${first}${second}${drawn.slice(2)}`.slice(0, secret.length);
}
