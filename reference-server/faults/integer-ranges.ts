/** The largest integer up to which a double holds every integer exactly. */
export const LARGEST_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
