import { expect, test } from 'vitest';

import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { createTargetClient, redactorOf } from '../../suites/target/index.ts';
import { followKeys } from '../judging/key-history.ts';
import { startEngine } from './engine-run.ts';
import { loadTargetAt, never, sampleRequest } from './engine.test-data.ts';
import { WHOLE } from './load-model.ts';

test.each([
  ['for good', Number.POSITIVE_INFINITY, true],
  ['for a while', 12, false],
])('it is told whether a target has stopped answering: %s', async (_how, lastHanging, isSilenced) => {
  let served = 0;
  const url = await startHttpServer((_incoming, outgoing) => {
    served += 1;
    if (served <= 10 || served > lastHanging) {
      outgoing.end('[]');
    }
  });
  const target = loadTargetAt(url, 200);
  const signal = never();
  const client = createTargetClient(target, { redactor: redactorOf([]), signal });
  const left = Array.from({ length: 20 }, () => sampleRequest());
  const { ended } = startEngine(
    {
      model: 'closed',
      connections: 2,
      seconds: 3_600,
      maxRate: Number.POSITIVE_INFINITY,
      source: 'made',
      next: () => left.shift() ?? null,
    },
    {
      target,
      client,
      share: WHOLE,
      startsAt: performance.now(),
      warmUpMilliseconds: 0,
      spend: () => true,
      signal,
      history: followKeys(client, false),
    },
  );
  expect(await ended).toMatchObject({ isSilenced });
});
