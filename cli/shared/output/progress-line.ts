/** A spinner, a space, and the place where the cursor stays. */
const TAKEN = 3;
const USUAL_COLUMNS = 80;

/** What a spinner may say: the text, cut so that it and the spinner stay in one line of the terminal. */
export function progressLine(text: string, { columns }: { readonly columns?: number }): string {
  const room = Math.max(1, (columns ?? USUAL_COLUMNS) - TAKEN);
  return text.length > room ? `${text.slice(0, room - 1)}…` : text;
}

/**
 * A text whose middle is cut first.
 * @param columns width of the terminal
 */
export function progressLineOf(
  head: string,
  middle: string,
  tail: string,
  { columns }: { readonly columns?: number },
): string {
  const room = (columns ?? USUAL_COLUMNS) - TAKEN - head.length - tail.length;
  const cut = middle.length <= room ? middle : room < 2 ? '' : `${middle.slice(0, room - 1)}…`;
  return progressLine(`${head}${cut}${tail}`, columns === undefined ? {} : { columns });
}
