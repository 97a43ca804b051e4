import { isDeepStrictEqual } from 'node:util';

import { afterEach, expect, onTestFinished, test, vi } from 'vitest';

import type { InventoryItem } from '../../contract/inventory.ts';
import {
  judgeInProcess,
  byPetId,
  journalsIn,
  seedKey,
  startTarget,
  watchRequests,
  writeJson,
  type TestTarget,
} from './run.test-data.ts';
import { endOfBinary, startBinary, temporaryDirectory } from '../run-binary.test-data.ts';

/** What became of a target whose run was killed; nothing may be lost. */
type Outcome = 'put back by the next run' | 'said, and put back later' | 'lost';

interface KilledRun {
  readonly kind: string;
  /** Whether the run that is killed replaces the inventory through a control URL. */
  readonly control: boolean;
  /** Updates after which it is killed; with a control URL most of them are of other pets. */
  readonly afterUpdates: number;
  readonly words: readonly string[];
  readonly next: 'same' | 'safe' | 'without control' | 'other spelling';
}

afterEach(() => {
  vi.unstubAllEnvs();
});

const STANDARD = ['--profile', 'standard'];
const FULL = ['--profile', 'full'];

/** Starts a run that dies when the service has got so many updates, if it has not ended before. */
async function runUntilKilled(
  { control, words, next, afterUpdates }: KilledRun,
  directory: string,
): Promise<{ readonly target: TestTarget; readonly before: readonly InventoryItem[] }> {
  let updates = 0;
  let child: ReturnType<typeof startBinary> | undefined;
  const target = await startTarget({
    alterations: [
      {
        service: (service) =>
          watchRequests(service, ({ method }) => {
            updates += Number(method === 'PATCH');
            if (updates === afterUpdates) {
              child?.kill('SIGKILL');
            }
          }),
      },
    ],
  });
  await setByUser(target);
  const before = target.inventory();
  writeJson(directory, 'config.json', {
    ...target.description,
    target: spelledFor({ next }, target.server.url),
    ...(control ? {} : { control: undefined }),
  });
  updates = 0;
  child = startBinary(['verify', '--config', 'config.json', ...words], directory, {
    STOCKCHECK_STATE_DIR: directory,
  });
  onTestFinished(() => void child?.kill('SIGKILL'));
  await endOfBinary(child);
  return { target, before };
}

/** The address as the run that is killed has it. */
function spelledFor({ next }: Pick<KilledRun, 'next'>, url: string): string {
  return next === 'other spelling' ? url.replace('127.0.0.1', 'LOCALHOST') : url;
}

/** A quantity that is not what a reset would bring back. */
async function setByUser({ server, inventory }: TestTarget): Promise<void> {
  const [pet] = inventory();
  const response = await fetch(`${server.url}/inventory/${pet?.petId}`, {
    method: 'PATCH',
    headers: {
      Authorization: `Bearer ${seedKey('business')}`,
      'Content-Type': 'application/json',
    },
    body: '{"quantity":4711}',
  });
  expect(response.status).toBe(200);
}

function stands(target: TestTarget, before: readonly InventoryItem[]): boolean {
  return isDeepStrictEqual(byPetId(target.inventory()), byPetId(before));
}

async function outcomeOf(run: KilledRun): Promise<Outcome> {
  const directory = temporaryDirectory();
  vi.stubEnv('STOCKCHECK_STATE_DIR', directory);
  const { target, before } = await runUntilKilled(run, directory);
  expect(stands(target, before)).toBe(false);
  const next = await judgeInProcess(target, {
    profile: run.next === 'safe' ? 'safe' : 'standard',
    control: run.control && run.next !== 'without control',
    checks: ['list', 'update'],
  });
  if (next.problems.length === 0 && stands(target, before)) {
    return 'put back by the next run';
  }
  const isSaid = next.problems.some((problem) => problem.includes('did not end'));
  // If nothing that it had set shows under another spelling, only its own address settles the journal.
  const description = { ...target.description, target: spelledFor(run, target.server.url) };
  const last = await judgeInProcess(
    { ...target, description },
    { control: run.control, checks: ['list', 'update'] },
  );
  const isDone = last.problems.length === 0 && journalsIn(directory).length === 0;
  return isSaid && isDone && stands(target, before) ? 'said, and put back later' : 'lost';
}

const RUNS: readonly KilledRun[] = [
  { kind: 'plain', control: false, afterUpdates: 12, words: STANDARD, next: 'same' },
  { kind: 'with control', control: true, afterUpdates: 40, words: FULL, next: 'same' },
  { kind: 'next run safe', control: false, afterUpdates: 12, words: STANDARD, next: 'safe' },
  { kind: 'next run without control', control: true, afterUpdates: 40, words: FULL, next: 'without control' },
  { kind: 'other spelling', control: false, afterUpdates: 12, words: STANDARD, next: 'other spelling' },
];

test.each(RUNS)('nothing is lost when a run is killed: $kind', async (run) => {
  const expected = ['safe', 'without control'].includes(run.next)
    ? 'said, and put back later'
    : 'put back by the next run';
  expect(await outcomeOf(run)).toBe(expected);
});
