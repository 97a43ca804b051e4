import { expect, test } from 'vitest';

import { freeKey } from '../../oracle/monitors/watch.test-data.ts';
import { buildSteps } from './build-trail.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';
import { loggedRequest } from './trail-log.test-data.ts';

function send(label: string, at: number): LoggedRequest {
  return loggedRequest({ label, secret: label }, { at });
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
    proof: new Set([decisive]),
    keys: new Map(['first', 'second'].map((label) => [label, freeKey({ label, secret: label })])),
    revoked: [],
    clock: { at: () => undefined },
    redact: String,
  });
  expect(steps.map((step) => step.do)).toEqual(['issue key', 'send', 'wait', 'issue key', 'send']);
  expect(steps[2]).toEqual({ do: 'wait', at: 2, seconds: 59.998 });
});
