/** The time that other work may take, so that it does not delay the load. */
export interface TimeBudget {
  readonly isLeft: () => boolean;
  /** Does the work, and subtracts its time from the budget. */
  readonly spend: (work: () => void) => void;
}

/**
 * A share of the time that passes, spread evenly.
 * @param share 0 to 1
 * @param mostMilliseconds the most that can be saved up
 * @param now milliseconds of a clock that never goes back
 */
export function shareOfTime(
  share: number,
  mostMilliseconds: number,
  now: () => number = () => performance.now(),
): TimeBudget {
  let left = mostMilliseconds;
  let creditedAt = now();
  const credit = (moment: number): void => {
    left = Math.min(mostMilliseconds, left + (moment - creditedAt) * share);
    creditedAt = moment;
  };
  return {
    isLeft: () => {
      credit(now());
      return left > 0;
    },
    spend: (work) => {
      const began = now();
      try {
        work();
      } finally {
        const ended = now();
        credit(ended);
        left -= ended - began;
      }
    },
  };
}
