import { once } from 'node:events';
import { connect } from 'node:net';

import { afterEach, expect, test } from 'vitest';

import type { LoadSecond } from '../../contract/load-result.ts';
import { DEFAULT_PARAMETERS } from '../../contract/load-parameters.ts';
import { latency } from '../../load/index.ts';
import { SAMPLE_LOAD_SCENARIOS } from '../../reports/model/sample-load-scenarios.test-data.ts';
import { both, openLivePage, type LivePage } from './live-page.ts';

const SECOND: LoadSecond = {
  second: 0,
  scheduled: 100,
  sent: 100,
  answered: 99,
  lost: 1,
  statuses: { '2xx': 99 },
  p50: 1.5,
  p99: 20,
  max: 30,
};

const opened: LivePage[] = [];

async function open(port = 0): Promise<LivePage> {
  const page = await openLivePage(port, 'http://127.0.0.1:1/v1');
  opened.push(page);
  return page;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((page) => page.close()));
});

/** The events that a viewer gets until the stream ends. */
async function events({ url }: LivePage): Promise<() => Promise<readonly unknown[]>> {
  const response = await fetch(new URL('events', url));
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  return async () =>
    (await response.text())
      .split('\n\n')
      .filter((message) => message.startsWith('data: '))
      .map((message) => JSON.parse(message.slice('data: '.length)));
}

function start({ listener }: LivePage): void {
  listener.onScenarioStart({ scenario: latency, parameters: DEFAULT_PARAMETERS, thresholds: [] }, 10);
}

test('the page shows its target as text and reads the events beside it', async () => {
  const page = await openLivePage(0, 'http://127.0.0.1:1/<b>');
  opened.push(page);
  const response = await fetch(page.url);
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(text).toContain('load on http://127.0.0.1:1/&lt;b&gt;');
  expect(text).toContain("new EventSource('events')");
  expect((await fetch(new URL('other', page.url))).status).toBe(404);
});

test.each([
  ['Host: rebound.example', 421],
  ['Host: 127.0.0.1:1\r\nOrigin: https://web.example', 403],
  ['Host: 127.0.0.1:1\r\nSec-Fetch-Site: cross-site', 403],
  ['Host: localhost:1', 200],
])('only a page of its own is answered: %s', async (fields, status) => {
  const { url } = await open();
  for (const path of ['/', '/events']) {
    const answer = await firstLine(url, `GET ${path} HTTP/1.1\r\n${fields}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  }
});

/** The first bytes that the server answers to what is written to it. */
async function firstLine(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(text);
  const [chunk]: readonly unknown[] = await once(socket, 'data');
  socket.destroy();
  return String(chunk);
}

test('a viewer gets the events in their order', async () => {
  const page = await open();
  const told = await events(page);
  start(page);
  page.listener.onPhase('measuring', 10);
  page.listener.onSecond(SECOND);
  await page.close();
  const { second: _second, sent: _sent, max: _max, ...shown } = SECOND;
  expect(await told()).toEqual([
    expect.objectContaining({ kind: 'scenario', id: 'latency', title: latency.title }),
    { kind: 'phase', text: 'measuring' },
    { kind: 'second', ...shown },
  ]);
});

test('a late viewer gets this scenario, and the outcomes of the earlier ones', async () => {
  const page = await open();
  start(page);
  page.listener.onSecond(SECOND);
  SAMPLE_LOAD_SCENARIOS.filter(({ id }) => id === 'ramp').forEach(page.listener.onScenarioEnd);
  start(page);
  const told = await events(page);
  await page.close();
  expect(await told()).toEqual([
    { kind: 'done', id: 'ramp', outcome: 'inconclusive' },
    expect.objectContaining({ kind: 'scenario' }),
  ]);
});

test('a port that is taken is named with the option', async () => {
  const { url } = await open();
  const { port } = new URL(url);
  await expect(openLivePage(Number(port), '')).rejects.toThrow(
    `--live: port ${port} is in use; choose another`,
  );
});

test('two listeners are both told', async () => {
  const [first, second] = [await open(), await open()];
  const told = [await events(first), await events(second)];
  both(first.listener, second.listener).onPhase('measuring', 1);
  await Promise.all([first.close(), second.close()]);
  const phase = [{ kind: 'phase', text: 'measuring' }];
  expect(await Promise.all(told.map((read) => read()))).toEqual([phase, phase]);
});
