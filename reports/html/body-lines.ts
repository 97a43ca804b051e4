import { printableBlock, printableLine } from '../model/words.ts';

/** Longest body shown of a request or a response, in characters. */
const BODY_LIMIT = 8000;

/** Longest body that is left in one line, in characters. */
const SHORT_BODY = 88;

/** A stretch of a text; `isCited` if a message speaks of it. */
export interface Stretch {
  readonly text: string;
  readonly isCited: boolean;
}

/** A line of a body, in stretches; `depth` is `null` if the body has lines of its own. */
export interface BodyLine {
  readonly depth: number | null;
  readonly stretches: readonly Stretch[];
}

/** A body as it came in lines: JSON that stands in one line is divided, and what the message cites is told apart. */
export function bodyLines(body: string, message: string): readonly BodyLine[] {
  const divided = body.length <= SHORT_BODY || body.length > BODY_LIMIT ? null : divideJson(body);
  const lines =
    divided?.map(({ depth, text }) => ({ depth, text: printableLine(text, BODY_LIMIT) })) ??
    printableBlock(body, BODY_LIMIT)
      .split(/(?<=\n)/)
      .map((text) => ({ depth: null, text }));
  const stretches = citedMembers(
    message,
    lines.map(({ text }) => text),
  );
  return lines.map(({ depth }, index) => ({ depth, stretches: stretches[index] ?? [] }));
}

/** A stretch of a JSON text that reads well as a line, and how deep it is nested. */
interface JsonLine {
  readonly depth: number;
  readonly text: string;
}

/** Objects and arrays that hold no other stay in one line if none of them is longer than this, in characters. */
const WIDTH = 120;

// A string, or what the end of the text cut off of one.
const STRING = String.raw`"(?:[^"\\]|\\.)*(?:"|\\?$)`;
const INNERMOST = String.raw`[{[](?:${STRING}|[^{}[\]"])*[}\]]`;

/** What stands in a line: a closing bracket, or whatever ends with a comma, an opening one or before a closing one. */
function linePattern(whole: string): RegExp {
  const comma = String.raw`(?:[ \t]*,)?`;
  const others = String.raw`(?:${STRING}|[^{}[\],"])*`;
  return new RegExp(String.raw`[ \t]*[}\]]${comma}|${others}(?:${whole}${comma}|[{[]|,|(?=[}\]])|$)`, 'gs');
}

const EACH_INNERMOST = new RegExp(INNERMOST, 'gs');
const WITH_INNERMOST_WHOLE = linePattern(INNERMOST);
const ALL_DIVIDED = linePattern(String.raw`[{[]`);

/**
 * A JSON text that stands in one line, divided into lines to be read. Together they are that text: nothing is added or
 * left out, so digits that a parser would lose are there, and so is a second member of the same name. `null` for any
 * other text. What is cut off is divided up to its end.
 */
export function divideJson(text: string): readonly JsonLine[] | null {
  if (!/^[ \t]*[{[]/.test(text) || /[\r\n]/.test(text)) {
    return null;
  }
  const areShort = [...text.matchAll(EACH_INNERMOST)].every(([whole]) => whole.length <= WIDTH);
  let depth = 0;
  return [...text.matchAll(areShort ? WITH_INNERMOST_WHOLE : ALL_DIVIDED)]
    .filter(([line]) => line !== '')
    .map(([line]) => {
      const own = /^\s*[}\]]/.test(line) ? Math.max(0, depth - 1) : depth;
      depth = /[{[]$/.test(line) ? own + 1 : own;
      return { depth: own, text: line };
    });
}

// A member of a JSON object with a scalar value.
const MEMBER = /(?<name>"(?:[^"\\]|\\.)*")\s*:\s*(?<value>"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+)/gu;

/** More members than this that all fit a message say nothing. */
const MOST_CITED = 6;

/** Whether the message names this header field. */
export function citesField(message: string, name: string): boolean {
  return hasWord(message.toLowerCase(), name.toLowerCase());
}

/**
 * The lines of a JSON text in stretches. A member is cited if the message holds both its name and its value. If
 * several objects have such members, those of the object that has the most of them count.
 */
export function citedMembers(message: string, lines: readonly string[]): readonly (readonly Stretch[])[] {
  const found = lines.map((line) =>
    [...line.matchAll(MEMBER)].filter(({ groups }) =>
      [groups?.['name'], groups?.['value']].every((token) => hasWord(message, unquoted(token ?? ''))),
    ),
  );
  const most = Math.max(0, ...found.map(({ length }) => length));
  const count = found.filter(({ length }) => length === most).length * most;
  return lines.map((line, index) => {
    const members = found[index] ?? [];
    return stretches(line, count > MOST_CITED || members.length < most ? [] : members);
  });
}

function stretches(line: string, members: readonly RegExpExecArray[]): readonly Stretch[] {
  let end = 0;
  const parts = members.flatMap((member) => {
    const before = { text: line.slice(end, member.index), isCited: false };
    end = member.index + member[0].length;
    return [before, { text: member[0], isCited: true }];
  });
  return [...parts, { text: line.slice(end), isCited: false }].filter(({ text }) => text !== '');
}

function unquoted(token: string): string {
  return token.startsWith('"') ? token.slice(1, -1) : token;
}

function hasWord(text: string, word: string): boolean {
  if (word === '') {
    return false;
  }
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + word.length])) {
      return true;
    }
  }
  return false;
}

function isWordCharacter(character = ''): boolean {
  return /[\w-]/.test(character);
}
