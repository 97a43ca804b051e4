import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { resolveTargetConfig, type TargetConfig } from '../../../suites/target/index.ts';
import type { Profile } from '../../../contract/verdict.ts';
import { describeReferenceServer } from './embedded-target.ts';

/** Where a reference server on a thread of its own listens. */
export interface EmbeddedServerAddress {
  readonly url: string;
  readonly controlUrl: string;
}

export interface EmbeddedServer {
  readonly config: TargetConfig;
  readonly close: () => Promise<void>;
}

/** Starts the reference server on a thread of its own, so that it and a load generator do not slow each other. */
export async function startEmbeddedServer(profile: Profile | null): Promise<EmbeddedServer> {
  const script = new URL(`embedded-server-thread${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(script);
  const [address] = await once(worker, 'message');
  const description = describeReferenceServer(readAddress(address));
  return {
    config: resolveTargetConfig(profile === null ? description : { ...description, profile }),
    close: async () => {
      await worker.terminate();
    },
  };
}

function readAddress(message: unknown): EmbeddedServerAddress {
  if (
    typeof message === 'object' &&
    message !== null &&
    'url' in message &&
    'controlUrl' in message &&
    typeof message.url === 'string' &&
    typeof message.controlUrl === 'string'
  ) {
    return { url: message.url, controlUrl: message.controlUrl };
  }
  throw new Error('The thread of the reference server sent no address');
}
