import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import type { Trail, TrailRequest } from '../../contract/trail.ts';
import { startReferenceServer } from '../../reference-server/index.ts';
import { listedTimes } from '../../reports/model/sample-report.test-data.ts';
import { renderScript } from '../../reports/script/render-script.ts';
import { endOfBinary, temporaryDirectory } from '../run-binary.test-data.ts';

const KEY = {
  label: 'free#1',
  plan: 'free',
  perMinute: 60,
  perDay: 1_000,
  usedToday: 0,
  issued: true,
} as const;
const LIST: TrailRequest = { ...listedTimes(1), answers: [] };
const UPDATE: TrailRequest = {
  ...LIST,
  method: 'PATCH',
  path: '/inventory/7',
  headers: [['Content-Type', 'application/json']],
  body: '{"quantity":"it\'s $HOME"}',
};

const send = (connections: number, ...requests: readonly TrailRequest[]) =>
  ({ do: 'send', at: 0, connections, requests }) as const;

const PET = { petId: '9223372036854775807', quantity: '5', status: 'sold' };

/** All that a trail may hold. */
const STEPS: Trail['steps'] = [
  { do: 'replace inventory', at: 0, items: [PET, { ...PET, petId: '7' }] },
  { do: 'issue key', at: 0, key: 1 },
  send(1, LIST, UPDATE, {
    ...UPDATE,
    body: Buffer.from('{"quantity":\u0000}').toString('base64'),
    isBase64: true,
  }),
  send(1, { ...LIST, authorization: [['Bearer ', { key: 1, to: -1 }, { key: 1, from: -1, as: 'changed' }]] }),
  send(1, {
    ...LIST,
    authorization: [['Basic ', { base64: [{ key: 1, as: 'backwards' }, ':'] }]],
    key: null,
  }),
  send(4, { ...LIST, times: 4 }),
  { do: 'wait', at: 900, seconds: 59.2, told: 1 },
  { do: 'wait', at: 900, seconds: 1e16, told: 1 },
  send(1, { ...LIST, authorization: [], key: null }),
  { do: 'revoke key', at: 0, key: 1 },
  send(1, { ...LIST, path: '/inventory?after' }),
];

function scriptOf(steps: Trail['steps'], target: string, control: string | null): string {
  const trail: Trail = { keys: [KEY], startedAt: null, steps, wrote: [], attempts: 1 };
  const finding = { id: 'update-sets-1', requirement: 'update-sets', title: 'T', clause: 'C', message: 'M' };
  return renderScript({ ...finding, check: null, checks: [], trail, exploration: null, target, control });
}

async function run(script: string, variables: Readonly<Record<string, string>> = {}) {
  const path = join(temporaryDirectory(), 'finding.sh');
  writeFileSync(path, script);
  const env = { PATH: process.env['PATH'], ...variables };
  const child = spawn('sh', [path], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const { stdout: shown, stderr: told, exitCode } = await endOfBinary(child);
  return { shown, told, exitCode };
}

const NOWHERE = 'http://127.0.0.1:9/v1';

test('a script sends all that a trail may hold, shows the answers, and judges nothing', async () => {
  const { url, controlUrl, close } = await startReferenceServer({ graceMilliseconds: 0 });
  onTestFinished(close);
  const script = scriptOf(STEPS, url, controlUrl);
  const { shown, told, exitCode } = await run(script);
  expect({ told, exitCode }).toEqual({ told: '', exitCode: 0 });
  const answers = [...shown.matchAll(/^> (?<request>.*)\nHTTP\/1.1 (?<status>\d+)/gm)].map(({ groups }) =>
    [groups?.['request'], groups?.['status']].join(' '),
  );
  expect(answers.slice(0, 5)).toEqual([
    'GET /inventory 200',
    'PATCH /inventory/7 400',
    'PATCH /inventory/7 400',
    'GET /inventory 401',
    'GET /inventory 401',
  ]);
  expect(answers.slice(5)).toEqual([
    ...Array.from({ length: 4 }, () => 'GET /inventory 200'),
    'GET /inventory 401',
    'GET /inventory?after 401',
  ]);
  expect(shown).toContain('"petId":9223372036854775807');
  expect(shown).toMatch(/npx stockcheck replay \S+ update-sets-1 --target http/);
  expect(script).toContain('more than 31 days');
});

test('a long trail is cut at its beginning, and the script says so', () => {
  const many = Array.from({ length: 2_000 }, (_, index) => send(1, { ...LIST, path: `/inventory?${index}` }));
  const script = scriptOf([{ do: 'issue key', at: 0, key: 1 }, ...many], NOWHERE, null);
  expect(script.split('\n').length).toBeLessThanOrEqual(61);
  expect(script).toContain('/inventory?1999');
  expect(script).toContain('issue ');
  expect(script).toMatch(/[\d,]+ requests came before these/);
  const block = { ...UPDATE, body: '\n'.repeat(99) };
  const short = scriptOf([{ do: 'issue key', at: 0, key: 1 }, send(1, block)], NOWHERE, null);
  expect(short).toContain('# PATCH is too long for this script');
});

test('a script whose target cannot be reached ends there', async () => {
  const script = scriptOf([{ do: 'issue key', at: 0, key: 1 }, send(1, LIST), send(1, LIST)], NOWHERE, null);
  const { told, exitCode } = await run(script, { KEY_FREE_1: 'any' });
  expect(told.match(/curl/g)).toHaveLength(1);
  expect(exitCode).toBe(1);
});

test('another target has its own control URL, or none', async () => {
  const recorded = await startReferenceServer({ graceMilliseconds: 0 });
  onTestFinished(recorded.close);
  const other = await startReferenceServer({ graceMilliseconds: 0 });
  onTestFinished(other.close);
  const steps: Trail['steps'] = [
    { do: 'replace inventory', at: 0, items: [PET] },
    { do: 'issue key', at: 0, key: 1 },
    send(1, LIST),
  ];
  const script = scriptOf(steps, recorded.url, recorded.controlUrl);
  const TARGET = other.url;
  expect((await run(script, { TARGET })).told).toContain('KEY_FREE_1: set it');
  const { shown } = await run(script, { TARGET, CONTROL: other.controlUrl });
  expect(shown).toContain(`"petId":${PET.petId}`);
});

test('a script without a key says which is missing', async () => {
  const script = scriptOf([{ do: 'issue key', at: 0, key: 1 }, send(1, LIST)], NOWHERE, null);
  const { told, exitCode } = await run(script);
  expect(told).toContain('KEY_FREE_1: set it to a key of the plan free (free#1)');
  expect(exitCode).toBe(2);
});
