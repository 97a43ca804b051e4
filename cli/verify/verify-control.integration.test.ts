import type { IncomingMessage } from 'node:http';

import { expect, test } from 'vitest';

import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { startTarget, verifyTarget } from './run.test-data.ts';

function passOn({ method = 'GET' }: IncomingMessage, url: string, body: Uint8Array): Promise<Response> {
  return fetch(url, {
    method,
    ...(body.byteLength === 0
      ? {}
      : { body: Buffer.from(body), headers: { 'content-type': 'application/json' } }),
  });
}

/** A control URL that passes everything on, but answers a status of its own to one call. */
async function startPartialControl(controlUrl: string, refused: string, status = 501): Promise<string> {
  const base = await startHttpServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/v1/, '');
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    const answer = async (): Promise<void> => {
      if (`${request.method} ${path}`.startsWith(refused)) {
        response.writeHead(status).end();
        return;
      }
      const body = Buffer.concat(chunks);
      const passed = await passOn(request, `${controlUrl}${path}`, body);
      response.writeHead(passed.status).end(await passed.text());
    };
    request.on('end', () => void answer());
  });
  return base;
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
  const only = [check, 'check:update'].flatMap((id) => ['--only', id]);
  const { exitCode, report } = await verifyTarget({ ...target.description, control }, only);
  expect(report?.requirements.filter(({ outcome }) => outcome === 'inconclusive')).toEqual([]);
  expect(exitCode).toBe(0);
  expect(target.inventory()).toEqual(before);
});

test.each([
  ['answers 500', (control: string) => startPartialControl(control, 'GET /', 500)],
  ['is not there', async () => 'http://127.0.0.1:9'],
])('a control URL that %s ends the run undecided, with a report that says so', async (_what, start) => {
  const target = await startTarget();
  const control = await start(target.server.controlUrl);
  const { exitCode, stdout, report } = await verifyTarget({ ...target.description, control });
  expect(exitCode).toBe(3);
  expect(report?.verdict).toBe('inconclusive');
  expect(report?.problems.join(' ')).toMatch(/control URL.*Check "control" \(--config config\.json\)/);
  expect(stdout).toContain('Check "control" (--config config.json)');
  expect(target.requests).toEqual([]);
});

/** A control URL that answers neither of the first two calls of a kind, nor two in three that move the clock. */
async function startForgetfulControl(controlUrl: string): Promise<string> {
  const counts = new Map<string, number>();
  let calls = 0;
  return startHttpServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/v1/, '');
    const kind = `${request.method} ${path.split('/')[1]}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    calls += 1;
    const isAnswered = kind === 'POST clock' ? count % 3 === 0 : count > 2;
    const isCarriedOut = isAnswered || calls % 3 !== 0;
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    const answer = async (): Promise<void> => {
      const body = Buffer.concat(chunks);
      const passed = isCarriedOut ? await passOn(request, `${controlUrl}${path}`, body) : null;
      if (passed === null || !isAnswered) {
        response.destroy();
      } else {
        response.writeHead(passed.status).end(await passed.text());
      }
    };
    request.on('end', () => void answer());
  });
}

test('a control call that gets no answer is made again, and no moment of the clock passes twice', async () => {
  const target = await startTarget();
  const control = await startForgetfulControl(target.server.controlUrl);
  const only = ['patient-client', 'window-length', 'key-revoked-now'].flatMap((check) => ['--only', check]);
  const { exitCode, report } = await verifyTarget({ ...target.description, control }, only);
  expect(report?.requirements.filter(({ outcome }) => outcome === 'inconclusive')).toEqual([]);
  expect(exitCode).toBe(0);
});
