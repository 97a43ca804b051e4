/** Where a text stops being JSON (RFC 8259); line and column count from 1. */
export interface JsonSyntaxError {
  readonly line: number;
  readonly column: number;
  /** Such as `expected "," or "}"`. */
  readonly message: string;
}

type State = 'value' | 'first item' | 'name' | 'first name' | 'colon' | 'separator';

interface Step {
  readonly length: number;
  readonly next: State;
}

const WANTED: Readonly<Record<State, string>> = {
  value: 'a value',
  'first item': 'a value or "]"',
  name: 'a name in double quotes',
  'first name': 'a name in double quotes or "}"',
  colon: '":"',
  separator: 'nothing more',
};

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:[.]\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;

/** Finds the first error in a text, or `undefined` if it is JSON. The message quotes one character at most. */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  const open: ('}' | ']')[] = [];
  let state: State = 'value';
  let offset = lengthAt(SPACE, text, 0);
  while (state !== 'separator' || open.length > 0 || offset < text.length) {
    const step = takeStep(text, offset, state, open);
    if (step === undefined) {
      return { ...locate(text, offset), message: describe(text, offset, state, open.at(-1)) };
    }
    state = step.next;
    offset += step.length;
    offset += lengthAt(SPACE, text, offset);
  }
  return undefined;
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

/** Reads one token and keeps the brackets that are open; `undefined` if the token may not stand here. */
function takeStep(text: string, offset: number, state: State, open: ('}' | ']')[]): Step | undefined {
  const character = text[offset];
  const closer = open.at(-1);
  const mayClose =
    state === 'separator' || (state === 'first item' && closer === ']') || state === 'first name';
  if (mayClose && closer !== undefined && character === closer) {
    open.pop();
    return { length: 1, next: 'separator' };
  }
  switch (state) {
    case 'value':
    case 'first item':
      return takeValue(text, offset, open);
    case 'name':
    case 'first name':
      return token(lengthAt(STRING, text, offset), 'colon');
    case 'colon':
      return token(Number(character === ':'), 'value');
    default:
      return token(Number(character === ',' && closer !== undefined), closer === '}' ? 'name' : 'value');
  }
}

function takeValue(text: string, offset: number, open: ('}' | ']')[]): Step | undefined {
  switch (text[offset]) {
    case '{':
      open.push('}');
      return { length: 1, next: 'first name' };
    case '[':
      open.push(']');
      return { length: 1, next: 'first item' };
    default:
      return token(lengthAt(STRING, text, offset) || lengthAt(SCALAR, text, offset), 'separator');
  }
}

function token(length: number, next: State): Step | undefined {
  return length === 0 ? undefined : { length, next };
}

function lengthAt(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0].length ?? 0;
}

function locate(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

function describe(text: string, offset: number, state: State, closer: '}' | ']' | undefined): string {
  const character = text[offset];
  const wanted = state === 'separator' && closer !== undefined ? `"," or "${closer}"` : WANTED[state];
  if (character === undefined) {
    return `expected ${wanted}, but the text ends`;
  }
  if (character === '"' && state !== 'colon' && state !== 'separator') {
    return 'a string that has no end or holds a character that must be escaped';
  }
  if (character === '/') {
    return 'JSON has no comments';
  }
  if (character === "'") {
    return 'strings stand in double quotes';
  }
  if ((state === 'value' && character === ']') || (state === 'name' && character === '}')) {
    return `no comma may stand before "${character}"`;
  }
  return `expected ${wanted}, not ${JSON.stringify(character)}`;
}
