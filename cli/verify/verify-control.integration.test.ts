import { buffer } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { verify } from '../library/verify/verify.ts';
import { startTarget, verifyTarget } from './run.test-data.ts';

interface Call {
  /** Such as `POST /keys`. */
  readonly name: string;
  /** Has the control URL itself answer. */
  readonly passOn: () => Promise<Response>;
}

/** A control URL that answers each call as told; it closes the connection if that is nothing. */
function startControl(controlUrl: string, answer: (call: Call) => Promise<Response | null>): Promise<string> {
  return startHttpServer((request, response) => {
    const { method = 'GET' } = request;
    const path = (request.url ?? '').replace(/^\/v1/, '');
    const respond = async (): Promise<void> => {
      const body = await buffer(request);
      const content = { body, headers: { 'content-type': 'application/json' } };
      const passOn = () => fetch(`${controlUrl}${path}`, { method, ...(body.length === 0 ? {} : content) });
      const answered = await answer({ name: `${method} ${path}`, passOn });
      if (answered === null) {
        response.destroy();
      } else {
        response.writeHead(answered.status).end(await answered.text());
      }
    };
    void respond();
  });
}

/** A control URL that passes everything on, but answers a status of its own to one call. */
function startPartialControl(controlUrl: string, refused: string, status = 501): Promise<string> {
  return startControl(controlUrl, async ({ name, passOn }) =>
    name.startsWith(refused) ? new Response(null, { status }) : passOn(),
  );
}

// Each with a check that needs it.
test.each([
  ['PUT /inventory', 'edge-pets'],
  ['DELETE /keys', 'key-revoked-now'],
  ['POST /clock', 'patient-day'],
  ['POST /keys', 'key-revoked-now'],
])('a control URL that names %s and answers 501 to it is done without', async (call, check) => {
  const target = await startTarget();
  const before = target.inventory();
  const control = await startPartialControl(target.server.controlUrl, call);
  const report = await verify({ ...target.description, control }, { only: [check, 'check:update'] });
  expect(report.requirements.filter(({ outcome }) => outcome === 'inconclusive')).toEqual([]);
  expect(report.verdict).toBe('conformant');
  expect(target.inventory()).toEqual(before);
});

test('without a clock, days are judged by keys that have used most of theirs', async () => {
  const target = await startTarget();
  const control = await startPartialControl(target.server.controlUrl, 'POST /clock');
  const report = await verify({ ...target.description, control }, { only: ['day-limit-pro'] });
  expect(report.requirements.find(({ id }) => id === 'day-limit-pro')?.outcome).toBe('pass');
});

test.each([
  ['answers 500', (control: string) => startPartialControl(control, 'GET /', 500), []],
  ['is not there', async () => 'http://127.0.0.1:9', []],
  ['is not there, with --dry-run,', async () => 'http://127.0.0.1:9', ['--dry-run']],
])(
  'a control URL that %s ends the run undecided, with a report that says so',
  async (_what, start, words) => {
    const target = await startTarget();
    const control = await start(target.server.controlUrl);
    const { exitCode, stdout, report } = await verifyTarget({ ...target.description, control }, words);
    expect(exitCode).toBe(3);
    expect(report?.verdict).toBe('inconclusive');
    expect(report?.problems.join(' ')).toMatch(/control URL.*Check "control" \(--config config\.json\)/);
    expect(stdout).toContain('Check "control" (--config config.json)');
    expect(target.requests).toEqual([]);
  },
);

/** A control URL that answers neither of the first two calls of a kind, nor two in three that move the clock. */
function startForgetfulControl(controlUrl: string): Promise<string> {
  const counts = new Map<string, number>();
  let calls = 0;
  return startControl(controlUrl, async ({ name, passOn }) => {
    const kind = name.split('/', 2).join('/');
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    calls += 1;
    const isAnswered = kind === 'POST /clock' ? count % 3 === 0 : count > 2;
    const isCarriedOut = isAnswered || calls % 3 !== 0;
    const passed = isCarriedOut ? await passOn() : null;
    return isAnswered ? passed : null;
  });
}

test('a control call that gets no answer is made again, and no moment of the clock passes twice', async () => {
  const target = await startTarget();
  const control = await startForgetfulControl(target.server.controlUrl);
  const only = ['patient-for-long', 'window-length', 'key-revoked-now'];
  const report = await verify({ ...target.description, control }, { only });
  expect(report.requirements.filter(({ outcome }) => outcome === 'inconclusive')).toEqual([]);
  expect(report.verdict).toBe('conformant');
});
