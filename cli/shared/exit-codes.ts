/** As a shell reports a program that SIGINT ended. */
export const EXIT_INTERRUPTED = 130;
/** A report that can't be written is a mistake in the options. */
export const EXIT_UNWRITABLE = 2;
