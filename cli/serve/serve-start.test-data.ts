import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** The lines up to the last one that a server prints when it is ready, by name. */
export async function readStart(stdout: Readable): Promise<ReadonlyMap<string, string>> {
  const rows = new Map<string, string>();
  for await (const line of createInterface({ input: stdout })) {
    const [, name = '', value = ''] = /^(.{15}) (.*)$/.exec(line) ?? [];
    rows.set(name.trim(), value);
    if (name.trim() === 'stop it') {
      break;
    }
  }
  return rows;
}
