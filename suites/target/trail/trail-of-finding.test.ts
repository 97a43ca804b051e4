import { describe, expect, test } from 'vitest';
import { followServerClock, type Exchange, type Key } from '../../oracle/index.ts';
import { freeKey } from '../../oracle/monitors/watch.test-data.ts';
import { sampleExchange } from '../../oracle/exchange.test-data.ts';
import { beginHistory } from '../history.ts';
import { listInventory, updateInventory } from '../http/operations.ts';
import { judgeTranscript } from '../transcript/judge-transcript.ts';
import { readLineFile } from '../transcript/line-file.ts';
import { recordTranscript } from '../transcript/record-transcript.ts';
import { eventsOfAll } from './trail-of-finding.ts';
import { openTrailLog, type FoundRequest, type LoggedEvent, type TrailLog } from './trail-log.ts';
import { buildSteps } from './build-trail.ts';

const LISTER = freeKey({ label: 'lister', secret: 'lister' });
const WRITER = freeKey({ label: 'writer', secret: 'writer' });
const OTHER = freeKey({ label: 'other', secret: 'other' });

/** Sends something, and is answered at once. */
function send(log: TrailLog, by: Key, at: number, { status = 200, petId = 0n } = {}): Exchange {
  const request = petId === 0n ? listInventory() : updateInventory(petId, 5);
  const { method, operation } = request;
  const exchange = sampleExchange({
    method,
    operation,
    key: by.label,
    status,
    sentAt: at,
    receivedAt: at + 1,
  });
  const authorization = [`Bearer ${by.secret}`];
  log.tell({ type: 'request-sent', id: at, request, authorization, spender: by, at });
  log.tell({ type: 'response-received', id: at, exchange });
  return exchange;
}

function find(log: TrailLog, exchange: Exchange): FoundRequest {
  const found = log.find(exchange);
  if (found === undefined) {
    throw new Error('The exchange is in no log');
  }
  return found;
}

const words = (events: readonly LoggedEvent[]): readonly string[] =>
  events.map((event) => `${event.do} ${'key' in event ? event.key?.label : ''} ${event.at}`);

const first = openTrailLog();
const second = first.openBeside();
send(second, WRITER, 1);
const accepted = send(second, WRITER, 3, { petId: 7n });
const list = send(second, OTHER, 4);
send(second, WRITER, 5);
const refused = send(second, WRITER, 6, { petId: 8n, status: 429 });
send(second, WRITER, 7);
send(first, LISTER, 2);
const decisive = find(first, send(first, LISTER, 8));
const length = first.events()?.length ?? 0;
send(first, LISTER, 9);
const own = ['issue key lister 2', 'send lister 2', 'send lister 8'];

test.each([
  ['its own exchanges, and a list of another check, which changes nothing', [list], own],
  [
    'an update of another check, which needs nothing but its key',
    [accepted],
    ['issue key writer 1', 'issue key lister 2', 'send lister 2', 'send writer 3', 'send lister 8'],
  ],
  [
    'a refusal of another check, which needs all that its key did before',
    [accepted, refused],
    [
      'issue key writer 1',
      'send writer 1',
      'issue key lister 2',
      'send lister 2',
      'send writer 3',
      'send writer 5',
      'send writer 6',
      'send lister 8',
    ],
  ],
])('the trail of a finding that rests on %s', (_what, others, expected) => {
  const events = eventsOfAll(decisive, length, others);
  expect(words(events)).toEqual(expected);
});

test('a key of two checks is issued once', () => {
  const again = first.openBeside();
  const last = find(again, send(again, WRITER, 10));
  const events = eventsOfAll(last, again.events()?.length ?? 0, [refused]);
  expect(words(events).filter((word) => word.startsWith('issue'))).toEqual(['issue key writer 1']);
  expect(words(events).at(-1)).toBe('send writer 10');
});

test('an update of another check comes with those of the same pet before it', () => {
  const log = openTrailLog();
  send(log, OTHER, 1, { petId: 7n });
  send(log, WRITER, 2, { petId: 8n });
  const update = send(log, WRITER, 3, { petId: 7n });
  const mine = log.openBeside();
  const last = find(mine, send(mine, LISTER, 4));
  const events = eventsOfAll(last, mine.events()?.length ?? 0, [update]);
  expect(words(events)).toEqual([
    'issue key other 1',
    'send other 1',
    'issue key writer 2',
    'send writer 3',
    'issue key lister 4',
    'send lister 4',
  ]);
});

describe('the inventory', () => {
  const item = { petId: 7n, quantity: 3n, status: 'sold' } as const;

  test('is what a check found, before what others did to it', () => {
    const log = openTrailLog();
    const update = send(log, WRITER, 1, { petId: 7n });
    const mine = log.openBeside();
    mine.found([item]);
    const last = find(mine, send(mine, LISTER, 3));
    const events = eventsOfAll(last, mine.events()?.length ?? 0, [update]);
    expect(words(events).slice(0, 2)).toEqual(['replace inventory  1', 'issue key writer 1']);
  });
});

test('a key that was issued after a pause is issued after it again', () => {
  const log = openTrailLog();
  send(log, LISTER, 1);
  log.issued(WRITER, 60_000);
  const decisive = find(log, send(log, WRITER, 60_010)).request;
  const { steps } = buildSteps({
    events: log.events() ?? [],
    decisive,
    proof: new Set([decisive]),
    revoked: [],
    clock: { at: () => undefined },
    redact: String,
  });
  expect(steps.map((step) => step.do)).toEqual(['issue key', 'send', 'wait', 'issue key', 'send']);
  expect(steps[2]).toEqual({ do: 'wait', at: 1, seconds: 59.998 });
});

test('a request that got no response can be sent again from a history', async () => {
  const transcript = recordTranscript();
  const { tell } = transcript.history(beginHistory(followServerClock()));
  const sent = { id: 1, request: listInventory(), authorization: [`Bearer ${LISTER.secret}`] };
  tell({ type: 'key-known', key: LISTER });
  tell({ type: 'request-sent', ...sent, spender: LISTER, at: 1 });
  tell({ type: 'response-lost', id: 1, at: 2 });
  tell({ type: 'request-unanswered', id: 1, words: 'Nothing came.', since: 'others answered', at: 3 });
  const [, ...lines] = readLineFile(await transcript.finish({ do: 'begin' }));
  const [finding] = judgeTranscript(lines).judgements.judgementOf('list-succeeds').findings;
  expect(finding?.trail?.steps).toMatchObject([
    { do: 'issue key' },
    { do: 'send', requests: [{ path: '/inventory', answers: [{ status: null, times: 1 }] }] },
  ]);
});
