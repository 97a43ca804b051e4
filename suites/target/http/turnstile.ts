/** Lets one in after the other. `enter` resolves with what lets the next one in. */
export interface Turnstile {
  readonly enter: () => Promise<() => void>;
}

export function openTurnstile(): Turnstile {
  let last: Promise<void> = Promise.resolve();
  return {
    enter: async () => {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      await before;
      return resolve;
    },
  };
}
