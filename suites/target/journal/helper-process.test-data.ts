import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Another process that runs one of the suite's modules, as a second run on the same machine does. */
export interface HelperProcess {
  readonly pid: number;
  /** Ends it without giving it time to clear anything away, and waits until it is gone. */
  kill(): Promise<void>;
}

/**
 * Starts a process and waits until it has run a piece of JavaScript; it then lives on until it is killed.
 * @param body statements of an async function; `module` is what the file exports, `input` the given value
 */
export async function startHelper(file: string, input: unknown, body: string): Promise<HelperProcess> {
  const script = `
    const module = await import(process.argv[1]);
    const input = JSON.parse(process.argv[2]);
    setInterval(() => {}, 60_000);
    await (async () => { ${body} })();
    process.stdout.write('ready');`;
  const helper = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      script,
      '--',
      new URL(file, import.meta.url).href,
      JSON.stringify(input),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(helper, 'exit');
  const started = once(helper.stdout, 'data');
  const ready = await Promise.race([started, exited]);
  if (String(ready[0]) !== 'ready' || helper.pid === undefined) {
    throw new Error('The helper process ended before it was ready');
  }
  return {
    pid: helper.pid,
    kill: async () => {
      helper.kill('SIGKILL');
      await exited;
    },
  };
}
