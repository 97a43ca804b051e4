/** Levels of nesting that are read. */
const MOST_LEVELS = 1_000;
/** Characters of a number that are read. */
const LONGEST_NUMBER = 1_000;
/** Of an exponent, so that no short number means a million digits. */
const GREATEST_EXPONENT = 400;

// So few characters hold neither so many levels nor so long a number.
const SHORT_TEXT = 1_000;
const GREAT_EXPONENT = /[eE]\+?\d{3}/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;

const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b;
const isClosing = (code: number): boolean => code === 0x5d || code === 0x7d;
const isExponent = (code: number): boolean => code === 0x65 || code === 0x45;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Whether a JSON text may exceed what is read here, at a glance; of a long one, its first 1,001 characters will do. */
export function mayExceed(text: string): boolean {
  return text.length > SHORT_TEXT || GREAT_EXPONENT.test(text);
}

/**
 * How a JSON text exceeds what is read here, as RFC 8259 permits (section 9): nesting of more than 1,000 levels, a
 * number of more than 1,000 characters, an exponent of more than 400. Takes linear time, whatever the text is.
 * @param codeAt the byte or the UTF-16 code unit at an index
 * @returns words for a sentence, or `undefined`
 */
export function findJsonExcess(length: number, codeAt: (index: number) => number): string | undefined {
  let levels = 0;
  for (let index = 0; index < length; index += 1) {
    const code = codeAt(index);
    if (code === QUOTE) {
      index = endOfString(index, length, codeAt);
    } else if (isDigit(code)) {
      const { end, excess } = readNumber(index, length, codeAt);
      if (excess !== undefined) {
        return excess;
      }
      index = end - 1;
    } else if (isOpening(code)) {
      levels += 1;
      if (levels > MOST_LEVELS) {
        return `nesting of more than ${MOST_LEVELS} levels`;
      }
    } else if (isClosing(code)) {
      levels -= 1;
    }
  }
  return undefined;
}

/** Index of the quotation mark that ends the string which begins at an index. */
function endOfString(begin: number, length: number, codeAt: (index: number) => number): number {
  let index = begin + 1;
  while (index < length && codeAt(index) !== QUOTE) {
    index += codeAt(index) === BACKSLASH ? 2 : 1;
  }
  return index;
}

function readNumber(
  begin: number,
  length: number,
  codeAt: (index: number) => number,
): { readonly end: number; readonly excess?: string } {
  let end = begin;
  while (end < length && (isDigit(codeAt(end)) || codeAt(end) === POINT)) {
    end += 1;
  }
  let exponent = 0;
  if (end < length && isExponent(codeAt(end))) {
    end += 1;
    const isNegative = codeAt(end) === MINUS;
    end += isNegative || codeAt(end) === PLUS ? 1 : 0;
    for (; end < length && isDigit(codeAt(end)); end += 1) {
      exponent = Math.min(exponent * 10 + codeAt(end) - 0x30, Number.MAX_SAFE_INTEGER / 20);
    }
    exponent *= isNegative ? 0 : 1;
  }
  if (end - begin > LONGEST_NUMBER) {
    return { end, excess: `a number of ${end - begin} characters` };
  }
  return exponent > GREATEST_EXPONENT
    ? { end, excess: `a number with an exponent of more than ${GREATEST_EXPONENT}` }
    : { end };
}
