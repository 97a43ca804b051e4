import { printableBlock } from '../model/words.ts';

/** Longest body shown of a request or a response, in characters. */
const BODY_LIMIT = 8000;

/** A stretch of a text; `isCited` if a message speaks of it. */
export interface Stretch {
  readonly text: string;
  readonly isCited: boolean;
}

/** A body in lines, which together are what came, and what the message cites told apart. One line is divided behind each object. */
export function bodyLines(body: string, message: string): readonly (readonly Stretch[])[] {
  const text = printableBlock(body, BODY_LIMIT);
  return citedMembers(message, text.split(text.includes('\n') ? /(?<=\n)/ : /(?<=\},)/));
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
