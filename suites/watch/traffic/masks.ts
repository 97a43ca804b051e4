// A word in brackets or braces, stars or the like with some digits beside them, or a word that says it.
const MASK = String.raw`(?:[[<]+[A-Za-z][^[\]<>"/]*[\]>]+|(?:\{\{+|\$\{)[^{}"]*\}+|\d*(?:[*•●█]{2,}|[Xx#]{3,})\d*|filtered|masked|redacted|sanitized|scrubbed|undefined)`;
const WHOLE = new RegExp(String.raw`^\s*"?${MASK}"?\s*$`, 'i');
const QUOTED = new RegExp(
  String.raw`(?:"(?:petId|quantity|status)"\s*:\s*"${MASK}"|[[,]\s*"${MASK}"\s*[\],])`,
  'i',
);
const BARE = new RegExp(String.raw`^\s*[[{].*[[,:]\s*${MASK}\s*[\]},]`, 'is');

/** Whether a value is what a sanitizer or a template left in its place, such as `[redacted]`, `****` or `{{quantity}}`. */
export function isMask(value: string): boolean {
  return WHOLE.test(value);
}

/** Whether a documented value of a body, or the whole of it, was replaced like that. @param isJson whether it is JSON even so */
export function holdsMask(body: string, isJson: boolean): boolean {
  return WHOLE.test(body) || (isJson ? QUOTED : BARE).test(body);
}
