const STEPS = [1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8];
const FIRST_DECADE = -1;
const LAST_DECADE = 4;

/**
 * Upper bounds of the buckets that times are counted in, in milliseconds: ten a decade (ISO 3, R10), from 0.1 ms to 100 s.
 * They are the same in every run, so that the counts of several runs add up.
 */
export const LATENCY_BUCKETS: readonly number[] = [
  ...Array.from({ length: LAST_DECADE - FIRST_DECADE + 1 }, (_, index) =>
    STEPS.map((step) => Number(`${step}e${FIRST_DECADE + index}`)),
  ).flat(),
  Number(`1e${LAST_DECADE + 1}`),
];
