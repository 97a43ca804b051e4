import { describe, expect, test } from 'vitest';

import type { Exchange } from '../exchange.ts';
import { sampleExchange } from '../exchange.test-data.ts';
import type { HistoryEvent, KnownKey, SentRequest } from '../history.ts';
import { openOracle } from '../oracle.ts';
import { followServerClock } from '../server-clock.ts';

const KEY: KnownKey = {
  label: 'free#1',
  plan: 'free',
  limits: { perMinute: 2, perDay: 1_000 },
  isExclusive: true,
  usedToday: 0,
};

/** A history of one key, by its requests. */
function historyOf(key = KEY) {
  const bans = openOracle(followServerClock(), []);
  const sent = new Map<number, SentRequest>();
  let ids = 0;
  const accept = (event: HistoryEvent): void => {
    bans.accept(event);
  };
  accept({ type: 'key-known', key });
  const send = (at: number): number => {
    ids += 1;
    const { request } = sampleExchange({});
    const event: SentRequest = {
      type: 'request-sent',
      id: ids,
      request,
      credential: { kind: 'valid', key: key.label },
      at,
    };
    sent.set(ids, event);
    accept(event);
    return ids;
  };
  const receive = (id: number, status: number, at: number, wait?: number | string): boolean => {
    const exchange: Exchange = sampleExchange({
      key: key.label,
      status,
      sentAt: sent.get(id)?.at ?? at,
      receivedAt: at,
      headers: wait === undefined ? [] : [['Retry-After', `${wait}`]],
    });
    accept({ type: 'response-received', id, exchange });
    return bans.mayBeBanned(key.label, exchange);
  };
  const ask = (status: number, at: number, wait?: number | string): boolean =>
    receive(send(at), status, at + 1, wait);
  return { accept, send, receive, ask, mostEndured: bans.mostEndured };
}

describe('a key may be banned', () => {
  test('neither at its first 429, nor if its client waits', () => {
    const { ask } = historyOf();
    expect([ask(200, 0), ask(429, 10, 60), ask(200, 60_012), ask(429, 60_020, 60)]).not.toContain(true);
    expect(ask(403, 120_022)).toBe(false);
  });

  test('once its client went on after a 429, until a request is accepted that had waited', () => {
    const { ask } = historyOf();
    ask(429, 0, 60);
    expect(ask(403, 59_000, 30)).toBe(true);
    // It had not waited.
    ask(200, 60_500);
    expect(ask(403, 60_600, 30)).toBe(true);
    expect(ask(200, 95_000)).toBe(false);
    expect(ask(403, 96_000)).toBe(false);
  });

  test('by a client that waited for a date, of which nobody knows by which clock', () => {
    const { ask } = historyOf();
    ask(429, 0, new Date(60_000).toUTCString());
    expect(ask(403, 62_000)).toBe(true);
    expect(ask(200, 90_000)).toBe(false);
    expect(ask(403, 91_000)).toBe(false);
  });

  test('among requests that are under way together, if so many may go beyond the limit', () => {
    const { send, receive } = historyOf();
    const [first, second] = [send(0), send(0)];
    expect(receive(first, 403, 5)).toBe(false);
    receive(second, 200, 6);
    const [third, fourth] = [send(10), send(10)];
    expect(receive(third, 403, 15)).toBe(true);
    receive(fourth, 429, 16, 60);
  });

  test('after a lost response, which may have been the first 429', () => {
    const { accept, send, ask } = historyOf();
    accept({ type: 'response-lost', id: send(0), at: 5 });
    expect(ask(403, 10)).toBe(true);
  });

  test('if it is not known what was sent before', () => {
    const { accept, ask } = historyOf({ ...KEY, usedToday: null });
    expect(ask(403, 0)).toBe(true);
    ask(200, 1_000);
    // What was sent before may still be under way.
    expect(ask(403, 2_000)).toBe(true);
    ask(200, 61_000);
    expect(ask(403, 62_000)).toBe(false);
    accept({ type: 'gap', at: 63_000 });
    expect(ask(403, 64_000)).toBe(true);
  });
});

test('a key endures what it goes on with until its wait grows, and what counts is the most of it', () => {
  const { ask, mostEndured } = historyOf();
  ask(429, 0, 60);
  expect(mostEndured()).toBe(0);
  // The same end, in whole seconds.
  ask(429, 4_000, 56);
  ask(429, 8_000, 53);
  expect(mostEndured()).toBe(2);
  // A ban.
  ask(429, 9_000, 90);
  ask(403, 10_000, 89);
  expect(mostEndured()).toBe(2);
  ask(200, 99_100);
  ask(429, 99_200, 60);
  ask(429, 99_300, 60);
  expect(mostEndured()).toBe(2);
});
