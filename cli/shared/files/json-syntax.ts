import { messageOf } from '../../../contract/error-text.ts';

/** Where a text stops being JSON (RFC 8259); line and column count from 1. */
export interface JsonSyntaxError {
  readonly line: number;
  readonly column: number;
  /** Such as `expected ',' or '}' after property value`; it quotes one character at most. */
  readonly message: string;
}

/** Finds the first error in a text, or `undefined` if it is JSON. */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  const refusal = refusalOf(text);
  if (refusal === undefined) {
    return undefined;
  }
  const offset = refusal.offset ?? firstRefused(text);
  return { ...locate(text, offset), message: hintFor(text, offset) ?? refusal.words };
}

interface Refusal {
  /** In small letters, without the text that the engine quotes. */
  readonly words: string;
  /** `undefined` if the engine does not say it. */
  readonly offset: number | undefined;
}

/** What the engine has against a text. */
function refusalOf(text: string): Refusal | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    const [words = ''] = /^[^"]*?(?=(?: in JSON)? at position|, [.]*"|$)/.exec(message) ?? [];
    const position = / at position (\d+)/.exec(message)?.[1];
    return {
      words: words === '' ? 'nothing that JSON has' : words.charAt(0).toLowerCase() + words.slice(1),
      offset: message.startsWith('Unexpected end')
        ? text.length
        : position === undefined
          ? undefined
          : Number(position),
    };
  }
}

/** The first character with which the engine refuses the text, whatever may follow. */
function firstRefused(text: string): number {
  let [taken, refused] = [0, text.length];
  while (refused - taken > 1) {
    const middle = Math.floor((taken + refused) / 2);
    const refusal = refusalOf(text.slice(0, middle));
    const mayGoOn = refusal === undefined || refusal.offset === middle;
    [taken, refused] = mayGoOn ? [middle, refused] : [taken, middle];
  }
  return taken;
}

function hintFor(text: string, offset: number): string | undefined {
  const character = text[offset];
  switch (character) {
    case '/':
      return 'JSON has no comments';
    case "'":
      return 'strings stand in double quotes';
    case ']':
    case '}':
      return /,\s*$/.test(text.slice(0, offset)) ? `no comma may stand before "${character}"` : undefined;
    default:
      return undefined;
  }
}

/** The first member of a JSON text that stands twice in one object, of which a reader would drop one. */
export function findRepeatedMember(
  text: string,
): (Omit<JsonSyntaxError, 'message'> & { name: string }) | undefined {
  const open: Set<string>[] = [];
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}]/g)) {
    if (token === '{') {
      open.push(new Set());
    } else if (token === '}') {
      open.pop();
    } else if (token.endsWith(':')) {
      const name = String(JSON.parse(token.slice(0, -1)));
      if (open.at(-1)?.has(name) === true) {
        return { ...locate(text, index), name };
      }
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}

function locate(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
