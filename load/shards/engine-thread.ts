import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { type Carrier, type FromCarrier, linkCarrier, type ToCarrier } from './carrier.ts';

/** Runs engines on a thread of its own, one after the other, so that they do not delay anything else. */
export interface EngineThread extends Carrier {
  readonly close: () => Promise<void>;
}

export function startEngineThread(): EngineThread {
  const thread = startShardThread(
    (message) => carrier.hear(message),
    (error) => carrier.lose(error),
  );
  const carrier = linkCarrier(thread.post);
  return { ...carrier, close: thread.close };
}

/** The thread of a carrier, and the messages to it. */
export interface ShardThread {
  readonly post: (message: ToCarrier) => void;
  readonly close: () => Promise<void>;
}

/**
 * @param hear takes what the thread says
 * @param lose is told why the thread has ended, again whenever something is posted to it
 */
export function startShardThread(
  hear: (message: FromCarrier) => void,
  lose: (error: Error) => void,
): ShardThread {
  const thread = new Worker(new URL(`shard-thread${extname(import.meta.url)}`, import.meta.url));
  let ended: Error | null = null;
  const end = (error: Error): void => {
    ended ??= error;
    lose(ended);
  };
  thread.on('message', hear);
  thread.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
  thread.on('exit', () => end(new Error('The thread of the engine ended')));
  return {
    post: (message) => (ended === null ? thread.postMessage(message) : lose(ended)),
    close: async () => {
      await thread.terminate();
    },
  };
}
