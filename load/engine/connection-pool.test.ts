import { expect, onTestFinished, test } from 'vitest';

import { ENDLESS_ANSWERS, startHostileServer } from '../../fixtures/hostile-answers.test-data.ts';
import { openConnectionPool } from './connection-pool.ts';
import { loadTargetAt, sampleRequest } from './engine.test-data.ts';
import type { LoadLoss } from './load-request.ts';

test.each(Object.entries(ENDLESS_ANSWERS))(
  'a target that answers with %s loses the request',
  async (_, answer) => {
    const server = await startHostileServer(answer);
    onTestFinished(server.close);
    const connections = openConnectionPool(
      { ...loadTargetAt(`${server.origin}/v1`), timeoutMilliseconds: 100 },
      1,
    );
    onTestFinished(() => connections.destroy('over'));
    const { promise, resolve, reject } = Promise.withResolvers<LoadLoss>();
    const dueAt = performance.now();
    connections.send({
      request: sampleRequest(),
      dueAt,
      wantsBody: true,
      deadline: dueAt + 60_000,
      listener: {
        onLeaving: () => 0,
        onSent: () => {},
        onRepeat: () => true,
        onResponse: reject,
        onLoss: resolve,
      },
    });
    expect((await promise).cause).toMatch(/^(timeout|BODY_TOO_LARGE|UND_ERR_HEADERS_OVERFLOW)$/);
  },
);
