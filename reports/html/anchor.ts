/** The id of an element of that kind in a page. */
export function anchor(kind: string, id: string): string {
  return `${kind}-${id.replace(/[^\w-]/g, '_')}`;
}
