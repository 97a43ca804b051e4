/** Lets a few in at once, in the order in which they came. */
export interface Semaphore {
  /** Waits for a place. @returns what gives it back */
  readonly acquire: () => Promise<() => void>;
}

export function createSemaphore(places: number): Semaphore {
  let free = places;
  let waiting: (() => void)[] = [];
  let next = 0;
  const release = (): void => {
    const enter = waiting[next];
    if (enter === undefined) {
      free += 1;
      waiting = [];
      next = 0;
    } else {
      next += 1;
      enter();
    }
  };
  return {
    acquire: async () => {
      if (free > 0) {
        free -= 1;
      } else {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return release;
    },
  };
}
