import { partsOf, type KeyPiece, type KeyText } from '../../contract/trail.ts';
import { printableLine } from '../wording/printable.ts';

/** One word for a POSIX shell, with the variables of the keys in it. */
export function word(text: KeyText): string {
  const words = joined(partsOf(text)).map((part) =>
    typeof part === 'object' && 'base64' in part
      ? `"$(in_base64 ${part.base64.map(partWord).join('')})"`
      : partWord(part),
  );
  return words.length === 0 ? "''" : words.join('');
}

/** Without two texts in a row. */
function joined(parts: ReturnType<typeof partsOf>): ReturnType<typeof partsOf> {
  const all: ReturnType<typeof partsOf>[number][] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (typeof part === 'string' && typeof last === 'string') {
      all.splice(-1, 1, last + part);
    } else {
      all.push(part);
    }
  }
  return all;
}

function partWord(part: string | KeyPiece): string {
  if (typeof part === 'string') {
    return quote(part);
  }
  const { key, from, to, as } = part;
  return from === undefined && to === undefined && as === undefined
    ? `"$KEY_${key}"`
    : `"$(piece "$KEY_${key}" ${from ?? 0} ${quote(to === undefined ? '' : String(to))} ${as ?? 'as_it_is'})"`;
}

/** One word that the shell takes as it is. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** What a comment, or a line that a script shows, can say. */
export function comment(text: string): string {
  return printableLine(text, 300);
}

/** Text of a shell. A section sign before a brace stands for the dollar sign that JavaScript would take for itself. */
export function shell({ raw }: TemplateStringsArray): string {
  return raw.join('').trim().replaceAll('§{', '$'.concat('{'));
}
