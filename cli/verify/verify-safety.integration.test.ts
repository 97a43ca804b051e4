import { expect, onTestFinished, test } from 'vitest';

import type { SeedKey } from '../../fixtures/corpora/index.ts';
import type { ReferenceServerOptions } from '../../reference-server/index.ts';
import type { TargetDescription } from '../../suites/target/index.ts';
import { type Check, CHECKS } from '../../suites/verify/index.ts';
import { endOfBinary, startBinary, temporaryDirectory, type BinaryResult } from '../run-binary.test-data.ts';
import {
  answering,
  byPetId,
  failedIds,
  journalsIn,
  judgeAltered,
  startTarget,
  verifyTarget,
  watchRequests,
  writeJson,
} from './run.test-data.ts';

/** Calls `act` as soon as the service has changed a quantity for the nth time. */
function atWrite(nth: number, act: () => void): Pick<ReferenceServerOptions, 'alterations'> {
  let writes = 0;
  return {
    alterations: [
      {
        parts: ({ inventory }) => ({
          inventory: {
            ...inventory,
            setQuantity: (petId, quantity) => {
              const before = inventory.find(petId)?.quantity;
              const updated = inventory.setQuantity(petId, quantity);
              writes += Number(updated !== undefined && quantity !== before);
              if (writes === nth) {
                writes += 1;
                act();
              }
              return updated;
            },
          },
        }),
      },
    ],
  };
}

/** Has a process throw an error that nothing catches when it gets that signal. */
const FAILS_AT_SIGUSR2 = `data:text/javascript,${encodeURIComponent(
  "process.on('SIGUSR2', () => { throw new Error('an error that nothing catches'); });",
)}`;

/** Starts a run that gets a signal in the middle of its writes, and returns how it ended. */
async function interrupt(
  description: TargetDescription,
  words: readonly string[],
  directory: string,
  whenStarted: (kill: (signal: NodeJS.Signals) => void) => void,
): Promise<BinaryResult> {
  writeJson(directory, 'config.json', description);
  const child = startBinary(['verify', '--config', 'config.json', ...words], directory, {
    STOCKCHECK_STATE_DIR: directory,
    NODE_OPTIONS: `--import ${FAILS_AT_SIGUSR2}`,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  whenStarted((signal) => child.kill(signal));
  return endOfBinary(child);
}

test.each([
  ['SIGINT, with a control URL', 'SIGINT', 130, true, []],
  ['SIGHUP, in real time', 'SIGHUP', 130, false, ['--profile', 'standard']],
  ['an error that nothing catches', 'SIGUSR2', 3, false, ['--profile', 'standard']],
] as const)('%s in the middle puts everything back', async (_what, signal, exitCode, control, words) => {
  const directory = temporaryDirectory();
  let kill: ((name: NodeJS.Signals) => void) | undefined;
  const target = await startTarget({ control, ...atWrite(2, () => kill?.(signal)) });
  const before = byPetId(target.inventory());
  const end = await interrupt(target.description, words, directory, (send) => (kill = send));
  expect(end.exitCode).toBe(exitCode);
  expect(byPetId(target.inventory())).toEqual(before);
  expect(journalsIn(directory)).toEqual([]);
});

test('a second signal ends a run at once, which says what may be left changed', async () => {
  const directory = temporaryDirectory();
  let kill: (() => void) | undefined;
  let isInterrupted = false;
  const { alterations = [] } = atWrite(1, () => {
    isInterrupted = true;
    kill?.();
  });
  // What would put it back is not answered.
  const silence = answering((request, service) => {
    if (!isInterrupted || request.method !== 'PATCH') {
      return service.respond(request);
    }
    kill?.();
    return new Promise(() => {});
  });
  const target = await startTarget({
    control: false,
    graceMilliseconds: 0,
    alterations: [...alterations, silence],
  });
  const before = byPetId(target.inventory());
  const end = await interrupt(target.description, ['--profile', 'standard'], directory, (send) => {
    kill = () => send('SIGINT');
  });
  const left = target.inventory().find((item) => before.get(item.petId)?.quantity !== item.quantity);
  expect(end.exitCode).toBe(130);
  expect(left).toBeDefined();
  expect(end.stderr).toContain(`pet ${left?.petId} (was ${before.get(left?.petId ?? 0n)?.quantity})`);
  expect(end.stderr).toContain(`${journalsIn(directory)[0]}.`);
});

/** Judges a server in real time, and interrupts the run when a check of that id begins. */
async function interruptAt(id: string) {
  const interruption = new AbortController();
  const onCheckStart = (check: Check): void => {
    if (check.id === id) {
      interruption.abort(new Error('Interrupted'));
    }
  };
  const { signal } = interruption;
  return judgeAltered(CHECKS, [], { control: false, signal, listener: { onCheckStart } });
}

test.each(['accepted-forms', 'minute-limit-free'])(
  'what a run has no time for, when it is interrupted at %s, stays open for that reason and for no other',
  async (id) => {
    const { judgements, plan, checks, interrupted } = await interruptAt(id);
    expect(interrupted).toBe(true);
    const over = new Set(checks.filter(({ outcome }) => outcome === 'done').map(({ check }) => check));
    const cutOff = new Set(plan.checks.filter((check) => !over.has(check)).flatMap(({ judges }) => judges));
    const open = judgements.filter(({ outcome }) => outcome === 'inconclusive' || outcome === 'skipped');
    const reasons = open.filter((row) => cutOff.has(row.id)).map(({ reason }) => reason ?? '');
    expect(reasons.filter((reason) => !reason.includes('The run was interrupted before'))).toEqual([]);
    expect(reasons.filter((reason) => reason.includes('control'))).toEqual([]);
    expect(open.find((row) => row.id === 'minute-limit-free')?.outcome).toBe('inconclusive');
    // What only a control URL can show still says so.
    expect(open.find((row) => row.id === 'day-limit-pro')?.reason).toContain('control URL');
  },
);

test('two runs at once with keys of their own do not disturb each other', async () => {
  const keys: readonly SeedKey[] = [
    { key: 'first-a', plan: 'business' },
    { key: 'first-b', plan: 'business' },
    { key: 'second-a', plan: 'business' },
    { key: 'second-b', plan: 'business' },
  ];
  // Neither is answered before both have begun.
  const begun = { first: Promise.withResolvers<void>(), second: Promise.withResolvers<void>() };
  const target = await startTarget({
    control: false,
    keys,
    alterations: [
      {
        service: (service) => {
          const watched = watchRequests(service, ({ headers }) => {
            begun[headers.some((value) => value.includes('second-')) ? 'second' : 'first'].resolve();
          });
          return {
            ...watched,
            respond: async (request) => {
              const response = await watched.respond(request);
              await Promise.all([begun.first.promise, begun.second.promise]);
              return response;
            },
          };
        },
      },
    ],
  });
  const before = byPetId(target.inventory());
  const run = (name: string) =>
    verifyTarget(
      { target: target.server.url, keys: { business: [`${name}-a`, `${name}-b`] }, profile: 'standard' },
      ['check:list', 'check:update', 'many-updates', 'concurrent-updates'].flatMap((id) => ['--only', id]),
    );
  const results = await Promise.all([run('first'), run('second')]);
  for (const { exitCode, report } of results) {
    expect(failedIds(report?.requirements)).toEqual([]);
    expect(report?.problems).toEqual([]);
    expect(exitCode).toBe(0);
  }
  expect(byPetId(target.inventory())).toEqual(before);
});
