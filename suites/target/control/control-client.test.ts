import { expect, onTestFinished, test } from 'vitest';
import {
  ENDLESS_ANSWERS,
  startHostileServer,
  type HostileAnswer,
} from '../../../fixtures/hostile-answers.test-data.ts';
import { callControl } from './control-client.ts';

const TIMEOUT_MILLISECONDS = 150;

async function callAnswered(answer: HostileAnswer) {
  const server = await startHostileServer(answer);
  onTestFinished(server.close);
  return callControl({ method: 'GET', url: `${server.origin}/` }, TIMEOUT_MILLISECONDS);
}

test.each(Object.entries(ENDLESS_ANSWERS))(
  'a control URL that answers with %s is given up',
  async (_, answer) => {
    await expect(callAnswered(answer)).rejects.toThrow(/./);
  },
);

test('what a control URL answers comes with the moments between which it did', async () => {
  const server = await startHostileServer((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n{"now":1}'));
  onTestFinished(server.close);
  const answer = await callControl({ method: 'GET', url: `${server.origin}/` }, 10_000);
  expect(answer).toMatchObject({ status: 200, text: '{"now":1}' });
  expect(answer.receivedAt).toBeGreaterThanOrEqual(answer.sentAt);
});
