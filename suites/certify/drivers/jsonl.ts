import type { ClientDriver, ClientOrder } from './driver.ts';
import type { ClientCommand } from './environment.ts';
import { markDescendants } from './descendants.ts';
import { startJsonlProcess, type JsonlProcess, type JsonlRequest } from './jsonl-process.ts';

/**
 * Keeps one process for all orders, which it reads from stdin. If it exits, the next order starts it again.
 * An order that is given up takes the process with it: that gets no further orders, and is ended as soon as it
 * has settled the others, so that what was given up neither runs on nor holds up later orders.
 * @throws {ConfigurationError} if the command is empty; `perform` throws it if it cannot be started
 */
export function createJsonlDriver(client: ClientCommand): ClientDriver {
  const marked = markDescendants(client);
  const closing = new AbortController();
  const processes = new Set<JsonlProcess>();
  const timesGiven = new Map<string, number>();
  let starting: Promise<JsonlProcess> | null = null;

  const start = async (): Promise<JsonlProcess> => {
    const started = await startJsonlProcess(marked.client);
    processes.add(started);
    void started.completed.then(() => processes.delete(started));
    return started;
  };
  const available = async (): Promise<JsonlProcess> => {
    const running = [...processes].find((process) => process.isAvailable());
    if (running !== undefined) {
      return running;
    }
    starting ??= start().finally(() => {
      starting = null;
    });
    return starting;
  };
  /** A reply that comes late must not be taken for that to a later order of the same scenario. */
  const uniqueId = (id: string): string => {
    const times = (timesGiven.get(id) ?? 0) + 1;
    timesGiven.set(id, times);
    return times === 1 ? id : `${id}-${times}`;
  };
  return {
    starts: 'one',
    perform: async (order, end) => {
      const over = AbortSignal.any([end, closing.signal]);
      if (over.aborted) {
        return { kind: 'ended', output: '' };
      }
      const process = await available();
      return process.perform(requestOf(order, uniqueId(order.id)), over);
    },
    processorDelay: () => Math.max(0, ...[...processes].map((process) => process.processorDelay())),
    close: async () => {
      closing.abort();
      await starting?.catch(() => undefined);
      await Promise.all([...processes].map((process) => process.close()));
      await marked.end();
    },
  };
}

function requestOf({ baseUrl, apiKey, task }: ClientOrder, id: string): JsonlRequest {
  const { operation } = task;
  return {
    id,
    baseUrl,
    apiKey,
    operation,
    ...(task.operation === 'updateInventory' ? { petId: String(task.petId), quantity: task.quantity } : {}),
  };
}
