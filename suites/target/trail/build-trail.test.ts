import { expect, test } from 'vitest';

import { newUsage, type Key } from '../../oracle/index.ts';
import { listInventory } from '../http/operations.ts';
import { buildSteps } from './build-trail.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';

function key(label: string): Key {
  const limits = { perMinute: 60, perDay: 1_000 };
  return { label, secret: label, plan: 'free', limits, issued: true, usedToday: 0, usage: newUsage() };
}

function send(label: string, at: number): LoggedRequest {
  return {
    do: 'send',
    at,
    request: listInventory(),
    authorization: [`Bearer ${label}`],
    key: label,
    endedAt: at + 1,
    response: { status: 200, headers: [], body: Buffer.alloc(0), exchange: null },
    isRepeated: false,
  };
}

test('a key that was issued after a pause is issued after it again', () => {
  const decisive = send('second', 60_010);
  const events: readonly LoggedEvent[] = [
    { do: 'issue key', at: 0, key: 'first' },
    send('first', 1),
    { do: 'issue key', at: 60_000, key: 'second' },
    decisive,
  ];
  const { steps } = buildSteps({
    events,
    decisive,
    keys: new Map(['first', 'second'].map((label) => [label, key(label)])),
    revoked: [],
    clock: { at: () => undefined },
    redact: String,
  });
  expect(steps.map((step) => step.do)).toEqual(['issue key', 'send', 'wait', 'issue key', 'send']);
  expect(steps[2]).toEqual({ do: 'wait', at: 2, seconds: 59.998 });
});
