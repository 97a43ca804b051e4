/** By so much a server with a coarse clock may end a window too early or too late (readings: two seconds). */
export const MARGIN_MILLISECONDS = 2_000;
