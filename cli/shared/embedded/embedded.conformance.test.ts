import { afterAll } from 'vitest';

import { startReferenceServer } from '../../../reference-server/start.ts';
import { conformance } from '../../../suites/verify/vitest/vitest.ts';
import { describeReferenceServer } from './embedded-target.ts';

const server = await startReferenceServer();

afterAll(server.close);

conformance(describeReferenceServer(server));
