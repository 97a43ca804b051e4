import { expect, test } from 'vitest';

import { verify } from '../library/verify/verify.ts';
import { answering, outcomeIn, withoutErrorCode, startTarget, verifyTarget } from './run.test-data.ts';

test('what is explored is found with few requests, and can be repeated with its seed', async () => {
  const target = await startTarget({ alterations: [withoutErrorCode] });
  const before = target.inventory();
  const { exitCode, report, stdout } = await verifyTarget(
    target.description,
    '--only explore --explore 120 --seed 5'.split(' '),
  );
  expect(exitCode).toBe(1);
  const finding = report?.requirements.find(({ id }) => id === 'error-code')?.findings[0];
  expect(finding).toMatchObject({
    check: 'explore',
    repeat: expect.stringContaining('--explore 120 --seed 5 --only explore'),
    curl: expect.stringContaining('curl -i'),
  });
  expect(report?.exploration).toMatchObject({
    seed: 5,
    found: expect.arrayContaining([{ requirement: 'error-code', requests: 1, repeated: true }]),
  });
  expect(stdout).toContain('with seed 5');
  expect(target.inventory()).toEqual(before);
});

test('a conformant target is explored without an accusation, within what was announced', async () => {
  const target = await startTarget();
  const report = await verify(target.description, { only: ['explore'], explore: 120, seed: 5 });
  expect(report.verdict).toBe('conformant');
  expect(outcomeIn(report, 'header-limit')).toBe('pass');
  expect(report.exploration?.found).toEqual([]);
  expect(report.exploration?.requests).toBeGreaterThanOrEqual(120);
  expect(report.budget.spent).toBeLessThanOrEqual(report.budget.announced);
});

test('without a control URL nothing is explored, and the report says why', async () => {
  const target = await startTarget();
  const { control: _control, ...description } = target.description;
  const report = await verify(description, { only: ['explore'], explore: 40, seed: 2 });
  expect(report.problems).toContainEqual(
    'Nothing was explored. It needs a control URL that offers keys and clock and inventory.',
  );
  expect(target.requests.some((request) => request.startsWith('PATCH'))).toBe(false);
});

test('a target that hangs while it is explored is inconclusive, and its report is written', async () => {
  let requests = 0;
  const hanging = answering((request, service) => {
    requests += 1;
    return requests > 30 ? new Promise(() => {}) : service.respond(request);
  });
  const target = await startTarget({ alterations: [hanging], graceMilliseconds: 0 });
  const words = ['--only', 'explore', '--explore', '60', '--seed', '225'];
  const { exitCode, report } = await verifyTarget(target.description, [...words, '--timeout', '0.6']);
  expect(exitCode).toBe(3);
  expect(report?.problems).toContainEqual(expect.stringMatching(/^The target stopped answering at request /));
  expect(report?.exploration?.requests).toBeGreaterThan(0);
});
