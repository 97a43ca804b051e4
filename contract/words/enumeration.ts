/** Words in a sentence, such as `free, pro or business`. A start of the program would wait for `Intl.ListFormat`. */
export function enumeration(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** Such as `1 request` or `12 requests`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A name in camel case as options have it, such as `ramp-up`. */
export function hyphenated(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
