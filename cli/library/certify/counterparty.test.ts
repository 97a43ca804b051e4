import { once } from 'node:events';
import { connect } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { VARIANTS } from '../../../reference-server/index.ts';
import { SCENARIOS } from '../../../suites/certify/index.ts';
import { startCounterparty } from './counterparty.ts';

test('a client that resets its connection after any byte of a CONNECT ends no scenario', async () => {
  const [scenario] = SCENARIOS;
  if (scenario === undefined) {
    throw new Error('There is no scenario');
  }
  const counterparty = await startCounterparty(scenario, '127.0.0.1');
  onTestFinished(counterparty.close);
  const { hostname, port } = new URL(counterparty.baseUrl);
  const text = 'CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n';
  for (let bytes = 1; bytes <= text.length; bytes += 1) {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write(text.slice(0, bytes), () => socket.resetAndDestroy());
    await once(socket, 'close');
  }
  const response = await fetch(`${counterparty.baseUrl}/inventory`, {
    headers: { authorization: `Bearer ${counterparty.apiKey}` },
  });
  expect(response.status).toBe(200);
  // A last CONNECT may have come whole, and is traffic as any other request.
  expect(counterparty.traffic().exchanges.at(-1)?.request.method).toBe('GET');
});

const SPELLINGS = VARIANTS.filter(({ freedom }) => freedom === 'json text' || freedom === 'media type');

test.for(SPELLINGS)('$id leaves the page of HTML as it is that a script answers', async ({ alter }) => {
  const scenario = SCENARIOS.find(({ id }) => id === 'limited-html-body');
  if (scenario?.task.operation !== 'updateInventory') {
    throw new Error('The scenario is gone');
  }
  const counterparty = await startCounterparty(scenario, '127.0.0.1', [alter]);
  onTestFinished(counterparty.close);
  const response = await fetch(`${counterparty.baseUrl}/inventory/${scenario.task.petId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${counterparty.apiKey}` },
    body: '{"quantity":1}',
  });
  expect(response.status).toBe(429);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await response.text()).toMatch(/^<!doctype html>/);
});

test('a path with dot segments is answered as the path without', async () => {
  const scenario = SCENARIOS.find(({ id }) => id === 'list-empty');
  if (scenario === undefined) {
    throw new Error('The scenario is gone');
  }
  const counterparty = await startCounterparty(scenario, '127.0.0.1');
  onTestFinished(counterparty.close);
  const { hostname, port } = new URL(counterparty.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.end(
    `GET /v1/x/../%2e/inventory?a=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${counterparty.apiKey}\r\nConnection: close\r\n\r\n`,
  );
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
  expect(counterparty.traffic().exchanges[0]?.request.target).toBe('/v1/x/../%2e/inventory?a=1');
});
