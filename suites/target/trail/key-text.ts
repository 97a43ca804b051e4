import { swapLetterCase } from '../../../fixtures/corpora/index.ts';
import { partsOf, type KeyPiece, type KeyText } from '../../../contract/trail.ts';

type Part = string | KeyPiece;

// Shorter ones stand in other texts by chance.
const SHORTEST_PIECE = 6;
const SCHEME = /^[A-Za-z]+[ \t]+/;

const ALTERATIONS: readonly (readonly [
  as: NonNullable<KeyPiece['as']> | null,
  alter: (key: string) => string,
])[] = [
  [null, (key) => key],
  ['upper', (key) => key.toUpperCase()],
  ['lower', (key) => key.toLowerCase()],
  ['swapped', swapLetterCase],
  ['backwards', (key) => key.split('').toReversed().join('')],
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
  const alter = ALTERATIONS.find(([name]) => name === (as ?? null))?.[1] ?? ((text: string) => text);
  return alter(secret).slice(from, to);
}

/** The longest stretches first, from left to right. */
function split(text: string, secrets: readonly string[]): readonly Part[] {
  const parts: Part[] = [];
  let literal = '';
  const flush = (): void => {
    if (literal !== '') {
      parts.push(literal);
      literal = '';
    }
  };
  for (let at = 0; at < text.length;) {
    const found = longestPiece(text, at, secrets);
    if (found === undefined) {
      literal += text[at] ?? '';
      at += 1;
    } else {
      flush();
      parts.push(found.piece);
      at += found.length;
    }
  }
  flush();
  return withChangedCharacters(parts, secrets);
}

function longestPiece(
  text: string,
  at: number,
  secrets: readonly string[],
): { readonly piece: KeyPiece; readonly length: number } | undefined {
  let best: { readonly piece: KeyPiece; readonly length: number } | undefined;
  for (const [index, secret] of secrets.entries()) {
    for (const [as, alter] of ALTERATIONS) {
      const altered = alter(secret);
      for (let from = 0; from < altered.length; from += 1) {
        const length = commonLength(text, at, altered, from);
        const isEnough = length >= SHORTEST_PIECE || length === altered.length;
        if (isEnough && length > (best?.length ?? 0)) {
          const stretch = stretchOf(from, from + length, altered.length);
          best = { piece: { key: index + 1, ...stretch, ...(as === null ? {} : { as }) }, length };
        }
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
    const before = parts[index - 1];
    const after = parts[index + 1];
    if (part !== '9' && part !== 'A') {
      return part;
    }
    const known = typeof before === 'object' ? before : typeof after === 'object' ? after : undefined;
    if (known === undefined || known.as !== undefined) {
      return part;
    }
    const length = secrets[known.key - 1]?.length ?? 0;
    const place = known === before ? endOf(known, length) : startOf(known, length) - 1;
    return place >= 0 && place < length && (known === after || isWhole(after, place, length))
      ? { key: known.key, ...placeOf(place, length), as: 'changed' }
      : part;
  });
}

function placeOf(place: number, length: number): Pick<KeyPiece, 'from' | 'to'> {
  return place === 0 ? { to: 1 } : place === length - 1 ? { from: -1 } : { from: place, to: place + 1 };
}

function isWhole(after: Part | undefined, place: number, length: number): boolean {
  return place === length - 1
    ? after === undefined
    : typeof after === 'object' && startOf(after, length) === place + 1;
}

function startOf({ from = 0 }: KeyPiece, length: number): number {
  return from < 0 ? length + from : from;
}

function endOf({ to }: KeyPiece, length: number): number {
  return to === undefined ? length : to < 0 ? length + to : to;
}
