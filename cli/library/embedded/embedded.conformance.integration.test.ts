import { afterAll } from 'vitest';

import { startReferenceServer } from '../../../reference-server/index.ts';
import { conformance } from '../../../suites/verify/bindings/vitest.ts';
import { describeReferenceServer } from './embedded-target.ts';

const server = await startReferenceServer();

afterAll(server.close);

conformance(describeReferenceServer(server));
