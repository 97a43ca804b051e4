import { expect, test } from 'vitest';

import { createTargetClient } from '../../suites/target/index.ts';
import { never, sampleKey, sampleRequest, sampleResponse } from './engine.test-data.ts';
import { enterKeyUse, followKeyUse, type KeyUseEntry } from './key-use.ts';

test('what a load did to a configured key is told by its label, and entered there', () => {
  const target = { origin: 'http://127.0.0.1:1', basePath: '/v1', headers: [] };
  const client = createTargetClient(target, { signal: never() });
  const [used, idle] = [1, 2].map((count) => sampleKey({ label: `free#${count}`, issued: false }));
  const use = followKeyUse(client, () => {
    throw new Error('Nothing was refused');
  });
  const request = sampleRequest(used);
  use.response(sampleResponse({ request, status: 200, answeredAt: 1_005 }));
  use.response(sampleResponse({ request: sampleRequest(sampleKey()), status: 200, answeredAt: 2_000 }));
  const text = JSON.stringify(use.entries(1_000));
  expect(text).not.toContain(used?.secret);
  const entries: KeyUseEntry[] = JSON.parse(text);
  expect(entries).toEqual([{ key: 'free#1', lastAt: 5, refusals: 0, refused: null }]);

  const keys = [used, idle].filter((key) => key !== undefined);
  const [entry] = entries;
  const told = entry === undefined ? [] : [{ ...entry, refusals: 2, refused: { at: 4, waitSeconds: 7 } }];
  enterKeyUse(told, { keys, client }, 1_000);
  expect(used?.usage).toMatchObject({ sentAt: [expect.any(Number)], refusals: 2 });
  expect((used?.usage.retryAt ?? 0) - (used?.usage.refusedAt ?? 0)).toBe(7_000);
  expect(idle?.usage.sentAt).toEqual([]);
});
