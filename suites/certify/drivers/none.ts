import { once } from 'node:events';

import type { ClientDriver } from './driver.ts';

/** Starts nothing: a person has the client do its task, and the verdict comes from the traffic. */
export function createNoneDriver(): ClientDriver {
  const closing = new AbortController();
  return {
    starts: 'nobody',
    perform: async (_order, end) => {
      const over = AbortSignal.any([end, closing.signal]);
      if (!over.aborted) {
        await once(over, 'abort');
      }
      return { kind: 'unknown' };
    },
    processorDelay: () => 0,
    quietSeconds: () => Infinity,
    garbles: () => false,
    close: () => {
      closing.abort();
      return Promise.resolve();
    },
  };
}
