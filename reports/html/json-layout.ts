/** A stretch of a JSON text that reads well as a line, and how deep it is nested. */
export interface JsonLine {
  readonly depth: number;
  readonly text: string;
}

/** Objects and arrays that hold no other stay in one line if none of them is longer than this, in characters. */
const WIDTH = 120;

interface Token {
  /** With the space before it. */
  readonly text: string;
  readonly kind: 'opening' | 'closing' | 'comma' | 'other';
}

// A token, or what the end of the text cut off of one.
const TOKEN = /[ \t]*(?<token>[{}[\],:]|"(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s{}[\],:"]+)/gsuy;

/**
 * A JSON text that stands in one line, divided into lines to be read. Together they are that text: nothing is added or
 * left out, so digits that a parser would lose are there, and so is a second member of the same name. `null` for any
 * other text. What is cut off is divided up to its end.
 */
export function divideJson(text: string): readonly JsonLine[] | null {
  if (!/^[ \t]*[{[]/.test(text) || /[\r\n]/.test(text)) {
    return null;
  }
  const tokens = tokensOf(text);
  return tokens === null ? null : linesOf(tokens);
}

function tokensOf(text: string): readonly Token[] | null {
  const found = [...text.matchAll(TOKEN)].map(([whole, token = '']): Token => ({
    text: whole,
    kind: kindOf(token),
  }));
  const rest = text.slice(found.reduce((length, token) => length + token.text.length, 0));
  return rest.trim() === ''
    ? [...found, ...(rest === '' ? [] : [{ text: rest, kind: 'other' } as const])]
    : null;
}

function kindOf(token: string): Token['kind'] {
  switch (token) {
    case '{':
    case '[':
      return 'opening';
    case '}':
    case ']':
      return 'closing';
    case ',':
      return 'comma';
    default:
      return 'other';
  }
}

function linesOf(tokens: readonly Token[]): readonly JsonLine[] {
  const flat = flatContainers(tokens);
  const lines: JsonLine[] = [];
  let depth = 0;
  let text = '';
  const endLine = (): void => {
    if (text !== '') {
      lines.push({ depth, text });
      text = '';
    }
  };
  let flatUntil = -1;
  for (const [index, token] of tokens.entries()) {
    flatUntil = Math.max(flatUntil, flat.get(index) ?? -1);
    if (index <= flatUntil) {
      text += token.text;
      continue;
    }
    if (token.kind === 'closing') {
      endLine();
      depth = Math.max(0, depth - 1);
    }
    text += token.text;
    if (token.kind === 'opening' || token.kind === 'comma') {
      endLine();
    }
    if (token.kind === 'opening') {
      depth += 1;
    }
  }
  endLine();
  return lines;
}

/** First and last token of each object and array that holds no other; none if one of them does not fit a line. */
function flatContainers(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  let first: number | null = null;
  let length = 0;
  let longest = 0;
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind === 'opening') {
      first = index;
      length = 0;
    }
    length += text.length;
    if (kind === 'closing' && first !== null) {
      found.set(first, index);
      longest = Math.max(longest, length);
      first = null;
    }
  }
  return longest <= WIDTH ? found : new Map();
}
