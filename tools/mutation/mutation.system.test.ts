import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

import { buildMutants } from './instrument.ts';
import { judgeMutants } from './judge-mutants.ts';
import { reasonAbout } from './reason.ts';
import { SURVIVORS } from './survivors.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const KILLED = 'now >= end → now < end';
const SURVIVING = 'now >= end → now > end';
const NOT_REACHED = 'used -= 1 → used += 1';

test('mutants are killed, survive with a reason, or are not reached; each reason fits a mutant', async () => {
  const build = await buildMutants(REPOSITORY);
  onTestFinished(() => rmSync(build.folder, { recursive: true }));
  const chosen = [KILLED, SURVIVING, NOT_REACHED].map((change) => {
    const found = build.mutants.find(
      (mutant) => mutant.file === 'service/window.ts' && mutant.change === change,
    );
    if (found === undefined) {
      throw new Error(`There is no mutant ${change} any more`);
    }
    return found;
  });
  const { signal } = new AbortController();
  const judged = await judgeMutants(build, chosen, { jobs: 2, signal }, () => {});
  expect(judged.map(({ mutant, fate }) => [mutant.change, fate])).toEqual([
    [SURVIVING, 'survived'],
    [KILLED, 'must'],
    [NOT_REACHED, 'not reached'],
  ]);
  expect(reasonAbout(judged, build.mutants, SURVIVORS)).toMatchObject({ unexplained: [], stale: [] });
  const all = [{ kind: 'equivalent', why: 'So it seems.', mutants: [KILLED, SURVIVING] }] as const;
  expect(reasonAbout(judged, build.mutants, { 'service/window.ts resumeWindow': all }).stale).toEqual([
    `service/window.ts resumeWindow: ${KILLED} (it is killed)`,
  ]);
});
