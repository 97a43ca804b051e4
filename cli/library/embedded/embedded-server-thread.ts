import { parentPort } from 'node:worker_threads';

import { startReferenceServer } from '../../../reference-server/index.ts';
import type { EmbeddedServerAddress } from './embedded-target.ts';

const { url, controlUrl } = await startReferenceServer({});
const address: EmbeddedServerAddress = { url, controlUrl };
parentPort?.postMessage(address);
