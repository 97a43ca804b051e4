import { expect, test } from 'vitest';

import { startReferenceServer } from '../../reference-server/index.ts';
import type { RunResult } from '../../suites/verify/index.ts';
import { runForTest } from '../../suites/verify/run-suite.test-data.ts';
import { describeReferenceServer } from '../library/embedded/embedded-target.ts';
import { alterationOf } from './run.test-data.ts';

/** Has one check judge a server without a control URL, on which nobody else writes. */
async function judge(check: string, id: string): Promise<RunResult> {
  const server = await startReferenceServer({
    alterations: [alterationOf(id)],
    control: false,
    graceMilliseconds: 0,
  });
  try {
    const description = { ...describeReferenceServer(server), profile: 'standard' as const };
    return await runForTest(description, { selects: ({ id }) => id === check });
  } finally {
    await server.close();
  }
}

function outcomeOf({ judgements }: RunResult, id: string): string | undefined {
  return judgements.find((judgement) => judgement.id === id)?.outcome;
}

test.each(['list-lacks-entry-after-own-update', 'list-lacks-entry-after-any-update'])(
  'without control %s is seen, once only as it shows',
  async (fault) => {
    const result = await judge('update', fault);
    expect(outcomeOf(result, 'update-touches-one-entry')).toBe('fail');
  },
);

test('an update is judged without control if nothing is wrong, in any order of pet and body', async () => {
  const result = await judge('update', 'body-before-pet');
  expect(outcomeOf(result, 'update-touches-one-entry')).toBe('pass');
  expect(outcomeOf(result, 'update-persists')).toBe('pass');
});

test.each([
  ['status-unknown-of-pet-1', 'unknown-pets', 'update-exact-pet'],
  ['status-unknown-of-pet-1', 'unknown-pets', 'update-unknown-pet'],
  ['status-out-of-stock', 'update', 'update-persists'],
])('%s is no entry that %s misses', async (fault, check, requirement) => {
  const result = await judge(check, fault);
  expect(outcomeOf(result, 'item-status')).toBe('fail');
  expect(outcomeOf(result, requirement)).toBe('pass');
});
