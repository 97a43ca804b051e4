/**
 * Does something with each item, at most `jobs` of them at once, in their order. After an abort nothing more is begun.
 * @throws what `work` throws first
 */
export async function sideBySide<Item>(
  items: readonly Item[],
  jobs: number,
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const takeNext = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined && !signal.aborted; item = queue.shift()) {
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, items.length) }, takeNext));
}
