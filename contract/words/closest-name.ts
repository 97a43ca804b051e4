/**
 * The known name that a misspelt one most likely means, or `undefined` if none is near.
 * Letter-case does not matter; the beginning of a name also means that name.
 */
export function closestName(misspelt: string, known: readonly string[]): string | undefined {
  const wanted = misspelt.toLowerCase();
  if (wanted.length < 2 || wanted.length > 64) {
    return undefined;
  }
  const rated = known
    .map((name) => ({ name, distance: rate(wanted, name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .toSorted((left, right) => left.distance - right.distance);
  return rated[0]?.name;
}

/** A sentence that asks whether the name which is near was meant, with a space before it; '' if none is near. */
export function didYouMean(misspelt: string, known: readonly string[]): string {
  const closest = closestName(misspelt, known);
  return closest === undefined ? '' : ` Did you mean ${closest}?`;
}

function rate(wanted: string, name: string): number {
  return wanted.length > 2 && name.startsWith(wanted) ? 0.5 : editDistance(wanted, name);
}

/** Levenshtein distance: insertions, deletions and replacements that turn one text into the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of Array.from(from).entries()) {
    const next = [index + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (row[column] ?? 0) + Number(letter !== other);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
