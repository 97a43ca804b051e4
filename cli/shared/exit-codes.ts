/** As a shell reports a program that SIGINT ended. */
export const EXIT_INTERRUPTED = 130;
/** A report that cannot be written is a mistake in the options. */
export const EXIT_UNWRITABLE = 2;

/** What a verdict of `verify`, `certify`, `load` or `prove` ends the program with. */
export const EXIT_CODES = {
  conformant: 0,
  nonconformant: 1,
  certified: 0,
  'not-certified': 1,
  proven: 0,
  'not-proven': 1,
  inconclusive: 3,
} as const;
