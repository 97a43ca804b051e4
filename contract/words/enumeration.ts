/** Words in a sentence, such as `free, pro or business`. `Intl.ListFormat` takes a start of the program 20 ms longer. */
export function enumeration(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}
