/** The colour of each class of status, by what a legend calls it and in the order of a legend. */
export const STATUS_COLORS: ReadonlyMap<string, string> = new Map([
  ['2xx', 'var(--pass)'],
  ['429', 'var(--inconclusive)'],
  ['3xx', 'var(--observed)'],
  ['other 4xx', 'var(--refused)'],
  ['5xx', 'var(--fail)'],
  ['other', 'var(--skipped)'],
]);
