export { countText, hyphenated } from '../../contract/words/enumeration.ts';

/** Controls, format characters (bidirectional marks, zero widths), lone surrogates, noncharacters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;

/**
 * The text in one line, safe to show on a terminal and legal in XML: every character that could act on the
 * reader's screen or parser is written as an escape such as `\u001b`. Cut after `limit` UTF-16 code units.
 */
export function printableLine(text: string, limit = 1000): string {
  return printable(text, limit, '');
}

/** Like `printableLine`, but line feeds and tabs stay. */
export function printableBlock(text: string, limit = 16_000): string {
  return printable(text, limit, '\n\t');
}

function printable(text: string, limit: number, kept: string): string {
  const shown = text.length > limit ? text.slice(0, limit) : text;
  const escaped = shown.replace(UNPRINTABLE, (character) =>
    kept.includes(character) ? character : escapeCharacter(character),
  );
  return shown === text ? escaped : `${escaped}… (cut, ${text.length} characters in all)`;
}

function escapeCharacter(character: string): string {
  switch (character) {
    case '\n':
      return '\\n';
    case '\r':
      return '\\r';
    case '\t':
      return '\\t';
    default: {
      const digits = (character.codePointAt(0) ?? 0).toString(16);
      return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
    }
  }
}

let grouped: Intl.NumberFormat | undefined;

/** A number as English groups it: `3,700`. */
export function formatNumber(value: number): string {
  // Made when it is first needed, since it takes longer than all else that this room does at a start.
  grouped ??= new Intl.NumberFormat('en-US');
  return grouped.format(value);
}

/** A command line that a POSIX shell would take. */
export function commandText(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** The argument as a POSIX shell would take it. */
export function shellWord(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}

/** Those parts of a text that are not empty, each apart from the next. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
