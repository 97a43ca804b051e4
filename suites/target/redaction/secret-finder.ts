/** A secret in a text, however it is spelled: offsets of its first character and behind its last one. */
export interface FoundSecret {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

/** A secret as it may be looked for in texts that were decoded. */
interface Needle {
  readonly text: string;
  /** Whether it is Base64, where neighbours and padding belong to it. */
  readonly isBase64: boolean;
}

interface Labelled extends Needle {
  readonly label: string;
}

/** A text with its escapes decoded, and where each of its characters came from. */
interface Decoded {
  readonly text: string;
  /** Offset in the original by offset in the decoded text, one more than there are characters; `null` if all are the same. */
  readonly origins: readonly number[] | null;
}

/** Shorter texts are found by chance. */
const SHORTEST_NEEDLE = 8;

/** Finds many secrets in time that grows with the text alone. */
export function createSecretFinder() {
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
          found.push(sightingOf(layer, needle, at));
        }
      }
    }
  };

  return {
    /** Looks for the secret from now on, in any letter-case and in the usual encodings. */
    add: (secret: string, label: string): void => {
      if (secret.length < SHORTEST_NEEDLE) {
        words.set(secret, label);
      }
      unprepared.set(secret, label);
    },
    /** Looks for it no longer. */
    remove: (secret: string, label: string): void => {
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
    /** What stands in the text, in order and without overlaps; of several that overlap, the label of the longest. */
    find: (text: string): readonly FoundSecret[] => {
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
        found.push(sightingOf(layer, { text: word, isBase64: false, label }, at));
      }
    }
  }
}

function withoutOverlaps(found: readonly FoundSecret[]): readonly FoundSecret[] {
  const apart: FoundSecret[] = [];
  let longest = 0;
  for (const next of found.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = apart.at(-1);
    const length = next.to - next.from;
    if (last === undefined || next.from >= last.to) {
      apart.push(next);
      longest = length;
    } else {
      const label = length > longest ? next.label : last.label;
      apart.splice(-1, 1, { from: last.from, to: Math.max(last.to, next.to), label });
      longest = Math.max(longest, length);
    }
  }
  return apart;
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /^[A-Za-z0-9]$/.test(character);
}

// A spelling within a spelling, such as a URL in JSON in HTML; deeper ones are not looked for, to stay linear.
const MOST_LAYERS = 5;

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  ast: '*',
  bsol: '\\',
  colon: ':',
  comma: ',',
  commat: '@',
  dollar: '$',
  equals: '=',
  excl: '!',
  gt: '>',
  lowbar: '_',
  lpar: '(',
  lt: '<',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quot: '"',
  rpar: ')',
  semi: ';',
  sol: '/',
};

// JSON and JavaScript (\u002f, \u{2f}, \x2f, \/, \\), percent-encoding, and entities of HTML.
const ESCAPE =
  /(?<!\\)\\+(?:u\{0*(?<braced>[\da-f]{1,6})\}|u(?<four>[\da-f]{4})|x(?<two>[\da-f]{2}))|(?<!\\)(?<backslashes>\\+)(?<symbol>[^\p{L}\p{N}\s\\]?)|%(?<percent>[\da-f]{2})|&(?:#x0*(?<hex>[\da-f]{1,6})|#0*(?<decimal>\d{1,7})|(?<name>[a-z]{2,6}));?/giu;

/** The text as it stands, and with its escapes decoded once, twice and so on, until there are none. */
export function decodings(text: string): readonly Decoded[] {
  const layers: Decoded[] = [{ text, origins: null }];
  for (let layer = layers[0]; layer !== undefined && layers.length <= MOST_LAYERS;) {
    layer = decodeOnce(layer);
    if (layer !== undefined) {
      layers.push(layer);
    }
  }
  return layers;
}

/** Returns `undefined` if there is nothing to decode. */
function decodeOnce({ text, origins }: Decoded): Decoded | undefined {
  if (!/[\\%&]/.test(text)) {
    return undefined;
  }
  const originOf = (offset: number): number => origins?.[offset] ?? offset;
  const parts: string[] = [];
  const from: number[] = [];
  let at = 0;
  const keep = (to: number): void => {
    parts.push(text.slice(at, to));
    for (; at < to; at += 1) {
      from.push(originOf(at));
    }
  };
  for (const match of text.matchAll(ESCAPE)) {
    const meant = meaningOf(match);
    if (meant !== undefined) {
      keep(match.index);
      parts.push(meant);
      for (let unit = 0; unit < meant.length; unit += 1) {
        from.push(originOf(at));
      }
      at = match.index + match[0].length;
    }
  }
  if (parts.length === 0) {
    return undefined;
  }
  keep(text.length);
  from.push(originOf(text.length));
  return { text: parts.join(''), origins: from };
}

function meaningOf({ groups = {} }: RegExpExecArray): string | undefined {
  const { braced, four, two, backslashes, symbol = '', percent, hex, decimal, name } = groups;
  if (backslashes !== undefined) {
    return withoutEscapes(backslashes.length, symbol);
  }
  const digits = braced ?? four ?? two ?? percent ?? hex;
  const code = digits === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(digits, 16);
  if (Number.isNaN(code)) {
    return NAMED[name?.toLowerCase() ?? ''];
  }
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined;
}

/** Each pair of backslashes is one; the last of an odd number belongs to the symbol, or to a letter that is left as it is. */
function withoutEscapes(backslashes: number, symbol: string): string | undefined {
  const left = symbol === '' ? Math.ceil(backslashes / 2) : Math.floor(backslashes / 2);
  return left === backslashes ? undefined : '\\'.repeat(left) + symbol;
}

/** Lower case if that keeps the length, so that offsets stay what they are. */
export function foldCase(text: string): string {
  const low = text.toLowerCase();
  return low.length === text.length
    ? low
    : Array.from(text, (character) => {
        const folded = character.toLowerCase();
        return folded.length === character.length ? folded : character;
      }).join('');
}

/** What a secret may look like in a text whose escapes are decoded and whose letter-case is folded. */
export function needlesOf(secret: string): readonly Needle[] {
  const bytes = Buffer.from(secret);
  const plain = [
    ...decodings(secret).map(({ text }) => text),
    // As percent-encoding of UTF-8 decodes it, byte by byte.
    bytes.toString('latin1'),
    bytes.toString('hex'),
  ].map((text) => ({ text: foldCase(text), isBase64: false }));
  const encoded = [secret, `Bearer ${secret}`].flatMap(base64Fragments).map((text) => ({
    text: foldCase(text),
    isBase64: true,
  }));
  const unique = new Map([...plain, ...encoded].map((needle) => [needle.text, needle]));
  return [...unique.values()].filter(({ text }) => text.length >= SHORTEST_NEEDLE);
}

/** The characters of Base64 that say nothing but the text, wherever in the encoded bytes it begins. */
function base64Fragments(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const isCut = (before + bytes.length) % 3 !== 0;
    const own = encoded.slice(Math.ceil((before * 4) / 3), isCut ? -1 : undefined);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

// One character of Base64 at either end may hold bits of the secret besides those of a neighbour; two pad the end.
const SHARED_CHARACTERS = 1;
const PADDED_CHARACTERS = 3;

/** Where the needle, found at an offset of a decoded text, stands in the original. */
function sightingOf({ text, origins }: Decoded, needle: Labelled, at: number): FoundSecret {
  let from = at;
  let to = at + needle.text.length;
  if (needle.isBase64) {
    for (let step = 0; step < SHARED_CHARACTERS && isBase64(text[from - 1]); step += 1) {
      from -= 1;
    }
    for (let step = 0; step < PADDED_CHARACTERS && (isBase64(text[to]) || text[to] === '='); step += 1) {
      to += 1;
    }
  }
  return { from: origins?.[from] ?? from, to: origins?.[to] ?? to, label: needle.label };
}

function isBase64(character: string | undefined): boolean {
  return character !== undefined && /^[\w+/-]$/.test(character);
}
