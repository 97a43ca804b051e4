import { setImmediate as turn } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { openJudgingQueue } from './judging-queue.ts';

function openLogged() {
  const log: string[] = [];
  const queue = openJudgingQueue((begun, ended) => log.push(`missed ${begun} ${ended}`));
  return { log, queue, step: (name: string) => () => log.push(name) };
}

test('steps are worked off in their order, and what was missed in its place, once for all in a row', async () => {
  const { log, queue, step } = openLogged();
  queue.add(step('a'), 1);
  queue.miss(1, 0);
  queue.miss(1, 0);
  queue.miss(0, 1);
  queue.follow(step('b'), 1);
  queue.miss(0, 1);
  expect(log).toEqual([]);
  while (log.length < 4) {
    await turn();
  }
  queue.miss(1, 1);
  queue.drain();
  expect(log).toEqual(['a', 'missed 2 1', 'b', 'missed 0 1', 'missed 1 1']);
});

test.each([
  ['steps', 1, 2_000],
  ['bytes', 1024 * 1024, 64],
])('there is no room for more %s than it holds, but for what follows', (_what, bytes, most) => {
  const { log, queue, step } = openLogged();
  for (let added = 0; added < most; added += 1) {
    expect(queue.add(step('a'), bytes)).toBe(true);
  }
  expect(queue.add(step('b'), bytes)).toBe(false);
  queue.follow(step('c'), bytes);
  queue.drain();
  expect(log).toHaveLength(most + 1);
  expect(log.at(-1)).toBe('c');
  expect(queue.add(step('d'), bytes)).toBe(true);
  queue.drain();
});
