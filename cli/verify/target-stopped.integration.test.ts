import { createServer } from 'node:http';

import { expect, test } from 'vitest';

import { listenForTest } from '../../fixtures/loopback.test-data.ts';
import type { Alteration, ServiceRequest } from '../../reference-server/index.ts';
import {
  answering,
  failedIds,
  outcomeIn,
  startTarget,
  verifyTarget,
  withoutErrorCode,
} from './run.test-data.ts';

const TIMEOUT = ['--timeout', '0.6'];

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

const problemsOf = ({ report }: Awaited<ReturnType<typeof verifyTarget>>): string =>
  (report?.problems ?? []).join('\n');

test('a target that stops answering is reported once, with the request, and the run ends', async () => {
  const target = await startAltered(silentFor((number) => number > 100));
  const before = target.inventory();
  const result = await verifyTarget(target.description, TIMEOUT);
  expect(result.exitCode).toBe(3);
  expect(problemsOf(result)).toMatch(
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
  const result = await verifyTarget(target.description, TIMEOUT);
  expect(result.exitCode).toBe(1);
  expect(outcomeIn(result.report, 'error-code')).toBe('fail');
  expect(problemsOf(result)).toMatch(/The target stopped answering at request 301/);
});

test('a target that lets one request hang goes on being judged', async () => {
  const target = await startAltered(
    silentFor((_, { method, target }) => method === 'DELETE' && target.endsWith('/inventory')),
  );
  const result = await verifyTarget(target.description, [...TIMEOUT, '--only', 'odd-requests']);
  expect(problemsOf(result)).not.toMatch(/stopped answering/);
});

const hasNoKey = (_number: number, { headers }: ServiceRequest): boolean =>
  !headers.some((part) => part.toLowerCase() === 'authorization');

test('a target that is silent each time it has to refuse a key goes on being judged', async () => {
  const target = await startAltered(silentFor(hasNoKey));
  const result = await verifyTarget(target.description, [...TIMEOUT, '--only', 'missing-key']);
  expect(problemsOf(result)).not.toMatch(/stopped answering/);
  expect(outcomeIn(result.report, 'missing-key')).toBe('inconclusive');
});

test('a target that dies of the first request is nonconformant, and nothing else is judged', async () => {
  const server = createServer(() => {
    server.close();
    server.closeAllConnections();
  });
  const target = `http://127.0.0.1:${await listenForTest(server)}/v1`;
  const { exitCode, report } = await verifyTarget({ target, keys: { free: ['a-good-key'] } });
  expect(exitCode).toBe(1);
  expect(failedIds(report?.requirements)).toEqual(['list-succeeds']);
});

// With requests that have to be answered beside it: if something else was under way, it stays open what it died of.
test.each([
  [
    'a list without a key',
    ['keyless-reads', 'many-updates'],
    (request: ServiceRequest) => request.target.endsWith('/inventory') && hasNoKey(0, request),
  ],
  [
    'the fiftieth update',
    ['many-updates', 'concurrent-updates'],
    countdown(50, ({ method }) => method === 'PATCH'),
  ],
])(
  'a target that dies of %s is nonconformant, though other requests were under way',
  async (_what, checks, isFatal) => {
    const target = await startAltered(
      answering(async (request, service) => {
        if (isFatal(request)) {
          void target.server.close();
          return new Promise(() => {});
        }
        return service.respond(request);
      }),
    );
    const { exitCode, report } = await verifyTarget(
      target.description,
      checks.flatMap((id) => ['--only', id]),
    );
    expect(exitCode).toBe(1);
    const failed = report?.requirements.filter(({ outcome }) => outcome === 'fail') ?? [];
    expect(failed.map(({ findings }) => findings[0]?.message)).toEqual([
      expect.stringContaining('From then on the target answered nothing'),
    ]);
  },
);

/** Is true once, of the request with that number among those that fit. */
function countdown(number: number, fits: (request: ServiceRequest) => boolean) {
  let left = number;
  return (request: ServiceRequest): boolean => {
    left -= fits(request) ? 1 : 0;
    return left === 0 && fits(request);
  };
}
