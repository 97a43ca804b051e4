let grouped: Intl.NumberFormat | undefined;

/** A number as English groups it: `3,700`. */
export function formatNumber(value: number): string {
  // Made when it is first needed, since it takes longer than all else that this room does at a start.
  grouped ??= new Intl.NumberFormat('en-US');
  return grouped.format(value);
}
