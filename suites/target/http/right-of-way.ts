export type RightOfWay = ReturnType<typeof createRightOfWay>;

/** Has requests leave side by side, and now and then one while no other is under way. */
export function createRightOfWay() {
  const underWay = new Set<Promise<unknown>>();
  /** Ends when the last one has been answered that goes alone. */
  let turn = Promise.resolve();
  return {
    beside: async <Result>(send: () => Promise<Result>): Promise<Result> => {
      for (let awaited: typeof turn | null = null; awaited !== turn;) {
        awaited = turn;
        await awaited;
      }
      const sending = send();
      underWay.add(sending);
      try {
        return await sending;
      } finally {
        underWay.delete(sending);
      }
    },
    alone: async <Result>(send: () => Promise<Result>): Promise<Result> => {
      const [before, own] = [turn, Promise.withResolvers<void>()];
      turn = own.promise;
      await before;
      try {
        await Promise.allSettled(underWay);
        return await send();
      } finally {
        own.resolve();
      }
    },
  };
}
