import { swapLetterCase } from '../../../fixtures/corpora/index.ts';
import { partsOf, type KeyPiece, type KeyText } from '../../../contract/trail.ts';

type Part = string | KeyPiece;

// Shorter ones stand in other texts by chance.
const SHORTEST_PIECE = 6;
const SCHEME = /^[A-Za-z]+[ \t]+/;

const ALTERATIONS: readonly (readonly [as: Pick<KeyPiece, 'as'>, alter: (key: string) => string])[] = [
  [{}, (key) => key],
  [{ as: 'upper' }, (key) => key.toUpperCase()],
  [{ as: 'lower' }, (key) => key.toLowerCase()],
  [{ as: 'swapped' }, swapLetterCase],
  [{ as: 'backwards' }, (key) => key.split('').toReversed().join('')],
];

/** A text in parts, so that no stretch of a key stands in it. @param secrets the keys in the order of their numbers */
export function withoutKeys(text: string, secrets: readonly string[]): KeyText {
  const [scheme = ''] = SCHEME.exec(text) ?? [];
  const token = text.slice(scheme.length);
  const parts = split(token, secrets);
  const isPlain = parts.every((part) => typeof part === 'string');
  const encoded = isPlain && /^[A-Za-z0-9+/]{8,}={0,2}$/.test(token);
  const inner = encoded ? split(Buffer.from(token, 'base64').toString('utf8'), secrets) : [];
  if (inner.some((part) => typeof part === 'object')) {
    return [scheme, { base64: inner }];
  }
  return [...(scheme === '' ? [] : [scheme]), ...parts.flatMap(inHalves)];
}

const LONGEST_WHOLE = 8;

/** What stands for a token that was made up is hidden wherever it stands as a whole; it is no key, and has to be sent. */
function inHalves(part: Part): readonly Part[] {
  if (typeof part === 'object' || part.length <= LONGEST_WHOLE) {
    return [part];
  }
  const middle = Math.ceil(part.length / 2);
  return [part.slice(0, middle), part.slice(middle)];
}

/** The numbers of the keys of which a stretch stands in a text. */
export function keysIn(text: KeyText): readonly number[] {
  return partsOf(text)
    .flatMap((part) => (typeof part === 'object' && 'base64' in part ? part.base64 : [part]))
    .flatMap((part) => (typeof part === 'object' ? [part.key] : []));
}

/** The text with these keys in place of their numbers. */
export function withKeys(text: KeyText, secrets: readonly string[]): string {
  return partsOf(text)
    .map((part) =>
      typeof part === 'object' && 'base64' in part
        ? Buffer.from(fill(part.base64, secrets)).toString('base64')
        : fill([part], secrets),
    )
    .join('');
}

function fill(parts: readonly Part[], secrets: readonly string[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : pieceOf(part, secrets))).join('');
}

function pieceOf({ key, from, to, as }: KeyPiece, secrets: readonly string[]): string {
  const secret = secrets[key - 1] ?? '';
  if (as === 'changed') {
    return /[a-v]/i.test(secret.slice(from, to)) ? '9' : 'A';
  }
  const [, alter] = ALTERATIONS.find(([altered]) => altered.as === as) ?? [];
  return (alter?.(secret) ?? secret).slice(from, to);
}

/** A key in one of its spellings. */
interface AlteredKey {
  readonly key: number;
  readonly as: Pick<KeyPiece, 'as'>;
  readonly text: string;
}

/** The longest stretches first, from left to right. */
function split(text: string, secrets: readonly string[]): readonly Part[] {
  const keys = secrets.flatMap((secret, index) =>
    ALTERATIONS.map(([as, alter]): AlteredKey => ({ key: index + 1, as, text: alter(secret) })),
  );
  const parts: Part[] = [];
  for (let at = 0; at < text.length;) {
    const found = longestPiece(text, at, keys);
    const last = parts.at(-1);
    if (found === undefined && typeof last === 'string') {
      parts.splice(-1, 1, last + text[at]);
    } else {
      parts.push(found?.piece ?? text[at] ?? '');
    }
    at += found?.length ?? 1;
  }
  return withChangedCharacters(parts, secrets);
}

function longestPiece(
  text: string,
  at: number,
  keys: readonly AlteredKey[],
): { readonly piece: KeyPiece; readonly length: number } | undefined {
  let best: { readonly piece: KeyPiece; readonly length: number } | undefined;
  for (const { key, as, text: own } of keys) {
    for (let from = 0; from < own.length; from += 1) {
      const length = commonLength(text, at, own, from);
      const isEnough = length >= SHORTEST_PIECE || length === own.length;
      if (isEnough && length > (best?.length ?? 0)) {
        best = { piece: { key, ...stretchOf(from, from + length, own.length), ...as }, length };
      }
    }
  }
  return best;
}

/** Up to the end of the key, however long another one is. */
function stretchOf(from: number, to: number, length: number): Pick<KeyPiece, 'from' | 'to'> {
  return {
    ...(from === 0 ? {} : { from: to === length ? from - length : from }),
    ...(to === length ? {} : { to: from === 0 && to > length / 2 + 1 ? to - length : to }),
  };
}

function commonLength(text: string, at: number, key: string, from: number): number {
  let length = 0;
  while (
    at + length < text.length &&
    from + length < key.length &&
    text[at + length] === key[from + length]
  ) {
    length += 1;
  }
  return length;
}

/** A character between two stretches that stands for another one of the key differs from that of any key. */
function withChangedCharacters(parts: readonly Part[], secrets: readonly string[]): readonly Part[] {
  return parts.map((part, index) => {
    const [before, after] = [parts[index - 1], parts[index + 1]];
    const known = typeof before === 'object' ? before : after;
    if ((part !== '9' && part !== 'A') || typeof known !== 'object' || known.as !== undefined) {
      return part;
    }
    const length = secrets[known.key - 1]?.length ?? 0;
    const place = known === before ? boundsOf(known, length).to : boundsOf(known, length).from - 1;
    const rest = typeof after === 'object' ? boundsOf(after, length).from : after === undefined ? length : -1;
    return place >= 0 && place < length && rest === place + 1
      ? { key: known.key, ...placeOf(place, length), as: 'changed' }
      : part;
  });
}

function placeOf(place: number, length: number): Pick<KeyPiece, 'from' | 'to'> {
  return place === 0 ? { to: 1 } : place === length - 1 ? { from: -1 } : { from: place, to: place + 1 };
}

function boundsOf(
  { from = 0, to }: KeyPiece,
  length: number,
): { readonly from: number; readonly to: number } {
  const end = to ?? length;
  return { from: from < 0 ? length + from : from, to: end < 0 ? length + end : end };
}
