const QUOTE = '"';

/** A member of a JSON object, with the text of its value as it stands there. */
export interface JsonMember {
  readonly name: string;
  readonly text: string;
}

/**
 * The members of the object that a JSON text is, in their order, the ones that stand there twice as well.
 * @param text JSON (RFC 8259), with an object at its top
 */
export function readMembers(text: string): readonly JsonMember[] {
  const members: JsonMember[] = [];
  let levels = 0;
  let name: string | null = null;
  let begin = 0;
  const close = (end: number): void => {
    if (name !== null) {
      members.push({ name, text: text.slice(begin, end).trim() });
    }
    name = null;
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === QUOTE) {
      const end = endOfString(text, index);
      if (levels === 1 && name === null) {
        name = nameOf(text.slice(index, end + 1));
        begin = text.indexOf(':', end) + 1;
      }
      index = end;
    } else if (character === '{' || character === '[') {
      levels += 1;
    } else if (character === '}' || character === ']') {
      levels -= 1;
      if (levels === 0) {
        close(index);
      }
    } else if (character === ',' && levels === 1) {
      close(index);
    }
  }
  return members;
}

/** Index of the quotation mark that ends the string which begins at an index. */
function endOfString(text: string, begin: number): number {
  let index = begin + 1;
  while (index < text.length && text[index] !== QUOTE) {
    index += text[index] === '\\' ? 2 : 1;
  }
  return index;
}

function nameOf(literal: string): string {
  const name: unknown = JSON.parse(literal);
  return typeof name === 'string' ? name : literal;
}
