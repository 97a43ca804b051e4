import { expect, test } from 'vitest';

import type { Check, RunResult } from '../../suites/verify/index.ts';
import { runForTest } from '../../suites/verify/run-suite.test-data.ts';
import { startTarget } from './run.test-data.ts';

/** Judges a server in real time, and interrupts the run when a check of that id begins. */
async function interruptAt(id: string): Promise<RunResult> {
  const { description } = await startTarget({ control: false, graceMilliseconds: 0 });
  const interruption = new AbortController();
  const onCheckStart = (check: Check): void => {
    if (check.id === id) {
      interruption.abort(new Error('Interrupted'));
    }
  };
  const { signal } = interruption;
  return runForTest({ ...description, profile: 'full' }, { signal, listener: { onCheckStart } });
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
