import { parentPort } from 'node:worker_threads';

import { startReferenceServer } from '../../../reference-server/index.ts';
import type { ServerAddress } from './embedded-target.ts';

const { url, controlUrl } = await startReferenceServer({});
const address: ServerAddress = { url, controlUrl };
parentPort?.postMessage(address);
