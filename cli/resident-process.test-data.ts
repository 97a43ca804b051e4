import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import type { ResidentRun } from './resident-program.test-data.ts';

const RESIDENT = join(import.meta.dirname, 'resident-program.test-data.ts');

/** Processes that wait for a run. */
const idle: Resident[] = [];

type Resident = ReturnType<typeof startResident>;

/** Runs the program in a process that may have run it before, whose code is compiled already. */
export async function runInResident(
  program: string,
  run: Omit<ResidentRun, 'endMark'>,
): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  const resident = idle.pop() ?? startResident(program);
  const { child, closed } = resident;
  const endMark = randomUUID();
  const written = Promise.all([textUntil(child.stdout, endMark), textUntil(child.stderr, endMark)]);
  child.send({ ...run, endMark });
  const [stdout, stderr] = await written;
  const [text = '', exitCode] = stdout.split(endMark);
  if (exitCode === undefined) {
    // As a run that calls for the end of its process does.
    await closed;
    return { exitCode: child.exitCode, stdout, stderr };
  }
  idle.push(resident);
  return { exitCode: Number(exitCode), stdout: text, stderr: stderr.slice(0, stderr.lastIndexOf(endMark)) };
}

function startResident(program: string) {
  const child = spawn(process.execPath, [RESIDENT, program], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  return { child, closed: once(child, 'close') };
}

/** What a stream holds up to the line that ends with a mark, or to its end. */
function textUntil(stream: Readable | null, mark: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  const settle = (): void => {
    stream?.off('data', onData).off('close', settle);
    resolve(text);
  };
  const onData = (chunk: string): void => {
    text += chunk;
    if (text.endsWith('\n') && text.includes(mark)) {
      settle();
    }
  };
  stream?.setEncoding('utf8').on('data', onData).once('close', settle);
  return promise;
}
