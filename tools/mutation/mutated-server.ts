import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What the process of a server says: where it listens, or which mutants were reached. */
export type ServerMessage =
  | { readonly url: string; readonly controlUrl: string }
  | { readonly reached: readonly string[] };

/** A reference server with one mutant, in a process of its own, so that it can hang or die. */
export interface MutatedServer {
  readonly url: string;
  readonly controlUrl: string;
  /** How the process ended, with the last line that it wrote; `null` while it runs. */
  readonly death: () => string | null;
  /** Ids of the mutants whose place was reached so far. */
  readonly reached: () => Promise<readonly string[]>;
  readonly stop: () => void;
}

const PROGRAM = fileURLToPath(new URL('server-program.ts', import.meta.url));
const START_MILLISECONDS = 20_000;
const MEMORY_MEGABYTES = 512;
const KEPT_CHARACTERS = 4_000;

/**
 * Starts the server of a build. @param mutant its id; `null` for none
 * @throws if the server does not start
 */
export async function startMutatedServer(folder: string, mutant: string | null): Promise<MutatedServer> {
  const { __STRYKER_ACTIVE_MUTANT__: _, ...env } = process.env;
  const child = fork(PROGRAM, [folder], {
    env: mutant === null ? env : { ...env, __STRYKER_ACTIVE_MUTANT__: mutant },
    execArgv: [`--max-old-space-size=${MEMORY_MEGABYTES}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let written = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written = (written + text).slice(-KEPT_CHARACTERS);
  });
  let death: string | null = null;
  const ended = new AbortController();
  child.once('close', (code, signal) => {
    death = [`ended with ${signal ?? code}`, errorLine(written)].filter((part) => part !== '').join(': ');
    ended.abort(new Error(`The server ${death}`));
  });

  async function nextMessage(signal: AbortSignal): Promise<ServerMessage> {
    const [message]: ServerMessage[] = await once(child, 'message', { signal });
    if (message === undefined) {
      throw new TypeError('The process of the server said nothing');
    }
    return message;
  }

  try {
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(START_MILLISECONDS)]);
    const message = await nextMessage(signal);
    if (!('url' in message) || !URL.canParse(message.url)) {
      throw new TypeError('The process of the server does not say where it listens');
    }
    return {
      url: message.url,
      controlUrl: URL.canParse(message.controlUrl) ? message.controlUrl : '',
      death: () => death,
      reached: async () => {
        const answer = nextMessage(ended.signal);
        child.send('reached');
        const message = await answer;
        return 'reached' in message ? message.reached : [];
      },
      stop: () => child.kill('SIGKILL'),
    };
  } catch (error) {
    child.kill('SIGKILL');
    throw ended.signal.aborted ? ended.signal.reason : error;
  }
}

function errorLine(written: string): string {
  return written.split('\n').findLast((line) => /^\w*Error\b|^Uncaught|FATAL/.test(line)) ?? '';
}
