import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { listenForTest } from '../../../fixtures/loopback.test-data.ts';
import { trackLiveness } from './liveness.ts';
import { listInventory } from './operations.ts';
import { addressOf, createTargetClient } from './target-client.ts';

test.each([
  { took: 250, underWay: 2, says: 'fell too far behind to be judged: 2 requests were under way' },
  { took: 250, underWay: 1, says: 'stopped answering at request 2' },
  { took: 0, underWay: 2, says: 'stopped answering at request 2' },
])('a target that took $took ms and then is silent to $underWay $says', async ({ took, underWay, says }) => {
  const server = createServer(() => {});
  const origin = `http://127.0.0.1:${await listenForTest(server)}`;
  const ends: string[] = [];
  const liveness = trackLiveness({
    transport: { timeoutMilliseconds: 400, insecure: false, certificateAuthority: null },
    spend: () => {},
    end: (reason) => ends.push(reason),
    issueKey: null,
  });
  const client = createTargetClient(addressOf(origin), { liveness });
  const ended = liveness.sent(0, listInventory());
  await delay(took);
  ended(true);
  for (let number = 1; number <= underWay; number += 1) {
    liveness.sent(number, listInventory());
  }
  // More than half of the timeout without an answer.
  await delay(250);
  await liveness.ask(client);
  expect(ends).toEqual([expect.stringContaining(says)]);
});
