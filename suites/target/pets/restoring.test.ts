import { createServer } from 'node:http';
import { expect, test } from 'vitest';

import { listenForTest, startHttpServer } from '../../../fixtures/loopback.test-data.ts';
import { freeKey } from '../../oracle/monitors/watch.test-data.ts';
import { followServerClock } from '../../oracle/index.ts';
import { keepTime } from '../control/timekeeper.ts';
import { addressOf, createTargetClient, type TargetClient } from '../http/target-client.ts';
import { describePets, lookAtList, type RestoringOptions } from './restoring.ts';

const optionsOf = (client: TargetClient): RestoringOptions => ({
  client,
  transport: { timeoutMilliseconds: 5_000, insecure: false, certificateAuthority: null },
  keys: [freeKey()],
  control: null,
  problems: [],
  onNotice: undefined,
});

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
  const options = optionsOf(createTargetClient(addressOf(origin)));
  expect(await lookAtList(options)).toBeNull();
  requests = 0;
  expect(await lookAtList(options, 10_000)).not.toBeNull();
});

/** A target of one key that refuses it for a minute, so many times. @returns when it was asked, in seconds of its clock */
async function targetThatRefuses(times: number, signal?: AbortSignal) {
  let now = 1_800_000_000;
  const asked: number[] = [];
  const target = await startHttpServer((_request, response) => {
    asked.push(now - 1_800_000_000);
    const isRefused = asked.length <= times;
    response.writeHead(isRefused ? 429 : 200, isRefused ? { 'Retry-After': 60 } : {}).end('[]');
  });
  const read = () => ({ now, sentAt: 0, receivedAt: 0 });
  const move = (seconds: number) => {
    now += seconds;
    return Promise.resolve(read());
  };
  const clock = followServerClock();
  const time = keepTime(
    { flows: false, reading: read(), move },
    clock,
    signal ?? new AbortController().signal,
  );
  const client = createTargetClient(addressOf(target), { time, clock, ...(signal && { signal }) });
  return { asked, options: optionsOf(client) };
}

test.each([
  [1, [0, 60]],
  [2, [0, 60]],
])(
  'a key that is refused %i times restores when it was told to, and gives up in the end',
  async (times, moments) => {
    const { asked, options } = await targetThatRefuses(times, AbortSignal.abort());
    expect((await lookAtList(options)) === null).toBe(times > 1);
    await lookAtList(options);
    expect(asked).toEqual(times > 1 ? moments : [...moments, 60]);
  },
);

test('pets beyond those that are named are counted', () => {
  const left = Array.from({ length: 10 }, (_, index) => ({ petId: BigInt(index), why: 'was 1' }));
  expect(describePets(left.slice(1))).toMatch(/; pet 8 was 1; 1 more pet$/);
  expect(describePets(left)).toMatch(/; 2 more pets$/);
});
