import { createServer } from 'node:http';
import { expect, test } from 'vitest';

import { listenForTest } from '../../../fixtures/loopback.test-data.ts';
import { freeKey } from '../../oracle/monitors/watch.test-data.ts';
import { addressOf, createTargetClient } from '../http/target-client.ts';
import { describePets, lookAtList } from './restoring.ts';

const TRANSPORT = { timeoutMilliseconds: 5_000, insecure: false, certificateAuthority: null };

test('who restores asks again while nothing is answered', async () => {
  let requests = 0;
  const server = createServer(({ socket }, response) => {
    requests += 1;
    if (requests <= 3) {
      socket.destroy();
    } else {
      response.end('[]');
    }
  });
  const origin = `http://127.0.0.1:${await listenForTest(server)}`;
  const client = createTargetClient(addressOf(origin));
  const options = {
    client,
    transport: TRANSPORT,
    keys: [freeKey()],
    control: null,
    problems: [],
    onNotice: undefined,
  };
  expect(await lookAtList(options)).toBeNull();
  requests = 0;
  expect(await lookAtList(options, 10_000)).not.toBeNull();
});

test('pets beyond those that are named are counted', () => {
  const left = Array.from({ length: 10 }, (_, index) => ({ petId: BigInt(index), why: 'was 1' }));
  expect(describePets(left.slice(1))).toMatch(/; pet 8 was 1; 1 more pet$/);
  expect(describePets(left)).toMatch(/; 2 more pets$/);
});
