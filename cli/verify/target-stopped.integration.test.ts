import { expect, test } from 'vitest';

import type { Alteration, ServiceRequest } from '../../reference-server/index.ts';
import { verify } from '../library/verify/verify.ts';
import { answering, outcomeIn, startTarget, verifyTarget, withoutErrorCode } from './run.test-data.ts';

const TIMEOUT = { timeoutSeconds: 0.6 };

/** Leaves requests without a response from a certain one on. */
function silentFor(isSilent: (number: number, request: ServiceRequest) => boolean): Alteration {
  let requests = 0;
  return answering(async (request, service) => {
    requests += 1;
    return isSilent(requests, request) ? new Promise(() => {}) : service.respond(request);
  });
}

const startAltered = (...alterations: readonly Alteration[]) =>
  startTarget({ graceMilliseconds: 0, alterations });

test('a target that stops answering is reported once, with the request, and the run ends', async () => {
  const target = await startAltered(silentFor((number) => number > 100));
  const before = target.inventory();
  const result = await verifyTarget(target.description, ['--timeout', '0.6']);
  expect(result.exitCode).toBe(3);
  expect(result.report?.problems.join('\n')).toMatch(
    /^The target stopped answering at request 101 [(]\S+ \S+.*[)][.] [^\n]*$/,
  );
  expect(result.stderr.match(/stopped answering/g)).toHaveLength(1);
  expect(outcomeIn(result.report, 'limit-renews')).toBe('inconclusive');
  // Checks, the one inquiry, and what hung beside the first.
  expect(target.requests.length).toBeLessThan(200);
  expect(target.inventory()).toEqual(before);
});

test('what had been seen of a target that stops answering stays seen', async () => {
  const target = await startAltered(
    withoutErrorCode,
    silentFor((number) => number > 300),
  );
  const report = await verify(target.description, TIMEOUT);
  expect(report.verdict).toBe('nonconformant');
  expect(outcomeIn(report, 'error-code')).toBe('fail');
  expect(report.problems).toContainEqual(
    expect.stringContaining('The target stopped answering at request 301'),
  );
});

test('a target that lets one request hang goes on being judged', async () => {
  const target = await startAltered(
    silentFor((_, { method, target }) => method === 'DELETE' && target.endsWith('/inventory')),
  );
  const { problems } = await verify(target.description, { ...TIMEOUT, only: ['odd-requests'] });
  expect(problems.join()).not.toContain('stopped answering');
});

const hasNoKey = (_number: number, { headers }: ServiceRequest): boolean =>
  !headers.some((part) => part.toLowerCase() === 'authorization');

test('a target that is silent each time it has to refuse a key goes on being judged', async () => {
  const target = await startAltered(silentFor(hasNoKey));
  const report = await verify(target.description, { ...TIMEOUT, only: ['missing-key'] });
  expect(report.problems.join()).not.toContain('stopped answering');
  expect(outcomeIn(report, 'missing-key')).toBe('inconclusive');
});

// With requests that have to be answered beside it: if something else was under way, it stays open what it died of. Whichever
// was given up first is blamed, so that the checks judge each of them.
const FATAL: readonly (readonly [checks: string, isFatal: (request: ServiceRequest) => boolean])[] = [
  [
    'keyless-reads,many-updates,list',
    (request) => request.target.endsWith('/inventory') && hasNoKey(0, request),
  ],
  ['many-updates,concurrent-updates', countdown(50, ({ method }) => method === 'PATCH')],
];

test('a target that dies of a list without a key, or of the fiftieth update, is nonconformant', async () => {
  const judged = FATAL.map(async ([checks, isFatal]) => {
    const target = await startAltered(
      answering(async (request, service) => {
        if (isFatal(request)) {
          void target.server.close();
          return new Promise(() => {});
        }
        return service.respond(request);
      }),
    );
    const only = checks.split(',').flatMap((id) => ['--only', id]);
    const { exitCode, report } = await verifyTarget(target.description, only);
    const failed = report?.requirements.filter(({ outcome }) => outcome === 'fail') ?? [];
    return { exitCode, found: failed.map(({ findings }) => findings[0]?.message) };
  });
  const found = [expect.stringContaining('From then on the target answered nothing')];
  expect(await Promise.all(judged)).toEqual(FATAL.map(() => ({ exitCode: 1, found })));
});

/** Is true once, of the request with that number among those that fit. */
function countdown(number: number, fits: (request: ServiceRequest) => boolean) {
  let left = number;
  return (request: ServiceRequest): boolean => {
    left -= fits(request) ? 1 : 0;
    return left === 0 && fits(request);
  };
}
