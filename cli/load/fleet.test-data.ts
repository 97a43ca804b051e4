import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';

import { startBinary } from '../run-binary.test-data.ts';

export interface WorkerProcess {
  /** What it printed since `forget`. */
  readonly lines: readonly string[];
  /** Resolves with the first of these lines that holds the text. */
  readonly told: (text: string) => Promise<string>;
  readonly forget: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts `stockcheck worker` as a process of its own, and waits until it is in the fleet. */
export async function startWorkerProcess(redis: string, name: string): Promise<WorkerProcess> {
  const child = startBinary(['worker', '--redis', redis, '--name', name], tmpdir());
  const ended = Promise.withResolvers<number | null>();
  child.once('close', (code) => ended.resolve(code));
  const lines: string[] = [];
  const waiting = new Map<string, (line: string) => void>();
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      for (const [text, resolve] of waiting) {
        if (line.includes(text)) {
          waiting.delete(text);
          resolve(line);
        }
      }
    });
  }
  const told = (text: string): Promise<string> => {
    const known = lines.find((line) => line.includes(text));
    const { promise, resolve } = Promise.withResolvers<string>();
    if (known === undefined) {
      waiting.set(text, resolve);
    } else {
      resolve(known);
    }
    return promise;
  };
  await told('is in the fleet');
  const forget = (): void => void lines.splice(0);
  return { lines, told, forget, kill: (signal) => void child.kill(signal), ended: ended.promise };
}
