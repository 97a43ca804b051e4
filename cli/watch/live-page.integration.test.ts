import { afterEach, expect, test } from 'vitest';

import type { Watch } from '../../suites/watch/index.ts';
import { openWatchPage, type WatchPage } from './live-page.ts';
import { startWatch } from './start-watch.test-data.ts';

const BASE = 'http://127.0.0.1:1/v1';
const SECRET = 'free-Hidden-Otter-0123456789';

const opened: { readonly close: () => Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function open(): Promise<readonly [watch: Watch, page: WatchPage]> {
  const page = await openWatchPage(0, BASE);
  const watch = await startWatch(BASE, { onExchange: page.note });
  opened.push(page, watch);
  return [watch, page];
}

async function eventsOf({ url, close }: WatchPage): Promise<readonly unknown[]> {
  const response = await fetch(new URL('events', url));
  await close();
  return (await response.text())
    .split('\n\n')
    .filter((message) => message.startsWith('data: '))
    .map((message) => JSON.parse(message.slice('data: '.length)));
}

const answered = (status: number, milliseconds: number): Parameters<WatchPage['note']>[0] => ({
  sentAt: 1_000,
  response: { status, headers: [], body: new Uint8Array() },
  endedAt: 1_000 + milliseconds,
});

test('a viewer gets each second, and what was seen so far once', async () => {
  const [watch, page] = await open();
  [answered(200, 4), answered(200, 6), answered(404, 90), { ...answered(200, 1), response: null }].forEach(
    page.note,
  );
  page.tick(watch);
  page.tick(watch);
  expect(await eventsOf(page)).toEqual([
    { kind: 'second', answered: 3, lost: 1, statuses: { '2xx': 2, '4xx': 1 }, p50: 6, p99: 90 },
    { kind: 'second', answered: 0, lost: 0, statuses: {}, p50: null, p99: null },
    expect.objectContaining({ kind: 'traffic', exchanges: 0, violations: [] }),
  ]);
});

test('what passed is shown by the label of its key', async () => {
  const [watch, page] = await open();
  const answer = await fetch(`${watch.url}/inventory`, { headers: { authorization: `Bearer ${SECRET}` } });
  expect(answer.status).toBe(502);
  await watch.close();
  page.tick(watch);
  const events = await eventsOf(page);
  expect(events.at(-1)).toMatchObject({
    exchanges: 1,
    keys: [{ label: 'key#1', requests: 1, lastStatus: null }],
  });
  expect(JSON.stringify(events)).not.toContain(SECRET);
});
