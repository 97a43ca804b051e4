/** The time that other work may take, so that it does not delay the load. */
export interface TimeBudget {
  readonly isLeft: () => boolean;
  /** Does the work, and subtracts its time from the budget. */
  readonly spend: (work: () => void) => void;
}

/**
 * A share of the time that passes, and a number of pieces of work for each second of it, both spread evenly.
 * @param share 0 to 1
 * @param mostMilliseconds the most that can be saved up
 * @param mostASecond pieces of work a second; as many can be saved up
 * @param now milliseconds of a clock that never goes back
 */
export function shareOfTime(
  share: number,
  mostMilliseconds: number,
  mostASecond: number,
  now: () => number = () => performance.now(),
): TimeBudget {
  let left = mostMilliseconds;
  let pieces = mostASecond;
  let creditedAt = now();
  const credit = (moment: number): void => {
    const passed = moment - creditedAt;
    left = Math.min(mostMilliseconds, left + passed * share);
    pieces = Math.min(mostASecond, pieces + (passed / 1000) * mostASecond);
    creditedAt = moment;
  };
  return {
    isLeft: () => {
      credit(now());
      return left > 0 && pieces >= 1;
    },
    spend: (work) => {
      const began = now();
      pieces -= 1;
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
