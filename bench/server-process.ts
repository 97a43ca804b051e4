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

  function ask(question: 'cpu' | 'arrivals'): Promise<unknown> {
    const answer = nextMessage();
    child.send(question);
    return answer;
  }

  const url = readMember(await nextMessage(), 'url');
  if (typeof url !== 'string') {
    throw new TypeError(`${module.pathname} does not say where it listens`);
  }
  return {
    url,
    /** CPU time of the process since its start, user and system. */
    cpuMicroseconds: async () => Number(readMember(await ask('cpu'), 'microseconds')),
    /** When requests have come since the last call, in Unix milliseconds; empty if the server does not record them. */
    takeArrivals: async (): Promise<readonly number[]> => {
      const moments = readMember(await ask('arrivals'), 'moments');
      return Array.isArray(moments) ? moments.map(Number) : [];
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
 * @param extent `all` compares the names of the header fields and the lengths of their values, too
 * @throws if the responses differ
 */
export async function requireSameResponse(
  referenceUrl: string,
  rivalUrl: string,
  authorization: string,
  extent: 'all' | 'body',
): Promise<void> {
  const [expected, received] = await Promise.all(
    [referenceUrl, rivalUrl].map((url) => describeResponse(url, authorization, extent)),
  );
  if (expected !== received) {
    throw new Error(`${rivalUrl} answers\n${received}\ninstead of\n${expected}`);
  }
}

async function describeResponse(url: string, authorization: string, extent: 'all' | 'body'): Promise<string> {
  const response = await fetch(url, { headers: { authorization } });
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value.length} characters`);
  return [response.status, ...(extent === 'all' ? fields : []), await response.text()].join('\n');
}
