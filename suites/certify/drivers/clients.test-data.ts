import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { onTestFinished } from 'vitest';

import { temporaryDirectory } from '../../../contract/temporary-directory.test-data.ts';
import type { ClientCommand, ClientDriver, ClientOrder, ClientOutcome } from './driver.ts';

export const ORDERED_KEY = 'test-key-0123456789';
export const BASE_URL = 'http://127.0.0.1:9/v1';

export const LIST_ORDER: ClientOrder = {
  id: 'list',
  baseUrl: BASE_URL,
  apiKey: ORDERED_KEY,
  task: { operation: 'listInventory' },
};

export const UPDATE_ORDER: ClientOrder = {
  ...LIST_ORDER,
  id: 'update',
  task: { operation: 'updateInventory', petId: 9_007_199_254_740_993n, quantity: 7 },
};

/** An end that never comes. */
export const NO_END: AbortSignal = new AbortController().signal;

const environment = { PATH: process.env['PATH'] };

/** A client in JavaScript. */
export function nodeClient(script: string, ...words: readonly string[]): ClientCommand {
  return { command: [process.execPath, '--eval', script, '--', ...words], environment };
}

/** A client in the language of the shell. */
export function shellClient(script: string, ...words: readonly string[]): ClientCommand {
  return { command: ['/bin/sh', '-c', script, 'sh', ...words], environment };
}

/** Has a driver closed when the test is over. */
export function closedAfterTest(driver: ClientDriver): ClientDriver {
  onTestFinished(driver.close);
  return driver;
}

export function writeProgram(text: string, mode: number): string {
  const file = join(temporaryDirectory(), 'client');
  writeFileSync(file, text, { mode });
  return file;
}

/** Waits until a file holds a whole line, and gives it. */
export async function lineOf(file: string): Promise<string> {
  for (;;) {
    const text = readIfThere(file);
    if (text.endsWith('\n')) {
      return text.trim();
    }
    await delay(5);
  }
}

/** Whether a process runs; one that was only not reaped yet does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/^State:\s+[ZX]/m.test(readIfThere(`/proc/${pid}/status`));
}

export function valueOf(outcome: ClientOutcome): unknown {
  return outcome.kind === 'replied' && outcome.reply.ok ? outcome.reply.value : outcome;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
