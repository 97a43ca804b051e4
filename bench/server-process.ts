import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type ServerProcess = Awaited<ReturnType<typeof startServerProcess>>;

/** Starts a server to be loaded in a process of its own. @throws if the process ends or says something else instead of listening */
export async function startServerProcess(module: URL, ...parameters: readonly string[]) {
  const child = fork(fileURLToPath(module), parameters, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error(`${module.pathname} has ended`)));

  async function nextMessage(): Promise<unknown> {
    const [message]: unknown[] = await once(child, 'message', { signal: ended.signal });
    return message;
  }

  const url = readMember(await nextMessage(), 'url');
  if (typeof url !== 'string') {
    throw new TypeError(`${module.pathname} does not say where it listens`);
  }
  return {
    url,
    /** CPU time of the process since its start, user and system. */
    cpuMicroseconds: async () => {
      const answer = nextMessage();
      child.send('cpu');
      return Number(readMember(await answer, 'microseconds'));
    },
    stop: () => child.disconnect(),
  };
}

function readMember(message: unknown, name: string): unknown {
  return typeof message === 'object' && message !== null
    ? Object.entries(message).find(([member]) => member === name)?.[1]
    : undefined;
}

/**
 * Makes sure that a comparison is one of like with like.
 * @throws if status, names of header fields, lengths of their values or bodies differ
 */
export async function requireSameResponse(
  referenceUrl: string,
  rivalUrl: string,
  authorization: string,
): Promise<void> {
  const [expected, received] = await Promise.all(
    [referenceUrl, rivalUrl].map((url) => describeResponse(url, authorization)),
  );
  if (expected !== received) {
    throw new Error(`${rivalUrl} answers\n${received}\ninstead of\n${expected}`);
  }
}

async function describeResponse(url: string, authorization: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization } });
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value.length} characters`);
  return [response.status, ...fields, await response.text()].join('\n');
}
