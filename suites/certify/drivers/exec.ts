import { parseIfJson } from '../../../contract/json/index.ts';
import {
  withOrder,
  type ClientCommand,
  type ClientDriver,
  type ClientOrder,
  type ClientOutcome,
} from './driver.ts';
import { LONGEST_LINE_BYTES, splitLines } from './lines.ts';
import { captureOutput } from './output.ts';
import { type ProcessGroup, startProcessGroup, tellExit } from './process-group.ts';
import { markDescendants } from './process-session.ts';
import { excerpt, lineText, readReplyLine, type ReadReply } from './reply.ts';

/** Bytes up to the space are white space or control characters. */
const SPACE = 0x20;
const NEWLINE = 0x0a;
// As much as a pipe takes at once; what is written beyond is lost if the program exits too early.
const PIPE_BYTES = 65_536;

/**
 * Starts a client once for each order, which it is told in its environment.
 * @throws {ConfigurationError} if the command is empty; `perform` throws it if it cannot be started
 */
export function createExecDriver(client: ClientCommand): ClientDriver {
  const marked = markDescendants(client);
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const running = new Map<string, ProcessGroup>();
  return {
    starts: 'each',
    perform: async (order, end) => {
      const performing = performOrder(marked.client, order, AbortSignal.any([end, closing.signal]), running);
      underWay.add(performing);
      try {
        return await performing;
      } finally {
        underWay.delete(performing);
        running.delete(order.apiKey);
      }
    },
    processorDelay: (apiKey) => running.get(apiKey)?.processorDelay() ?? 0,
    quietSeconds: (apiKey) => running.get(apiKey)?.quietSeconds() ?? Infinity,
    garbles: () => false,
    close: async () => {
      closing.abort();
      await Promise.allSettled(underWay);
      await marked.end();
    },
  };
}

async function performOrder(
  client: ClientCommand,
  order: ClientOrder,
  end: AbortSignal,
  running: Map<string, ProcessGroup>,
): Promise<ClientOutcome> {
  if (end.aborted) {
    return { kind: 'ended', output: '' };
  }
  const output = captureOutput();
  let lastLine: Buffer | null | undefined;
  let written = 0;
  let isWithinLine = false;
  let endless: string | undefined;
  const lines = splitLines(
    (line) => {
      lastLine = line?.every((byte) => byte <= SPACE) === true ? lastLine : line;
    },
    (problem) => {
      endless = problem;
      void running.get(order.apiKey)?.end();
    },
  );
  const group = await startProcessGroup({
    ...client,
    environment: withOrder(client.environment, order),
    stdin: 'ignore',
    readsLate: true,
    onStdout: (chunk) => {
      written += chunk.length;
      isWithinLine = chunk.at(-1) !== NEWLINE;
      output.onStdout(chunk);
      lines.push(chunk);
    },
    onStderr: output.onStderr,
  });
  running.set(order.apiKey, group);
  let wasEnded = false;
  const onEnd = (): void => {
    if (group.isRunning()) {
      wasEnded = true;
      void group.end();
    }
  };
  end.addEventListener('abort', onEnd, { once: true });
  if (end.aborted) {
    onEnd();
  }
  const exit = await group.completed;
  end.removeEventListener('abort', onEnd);
  lines.flush();
  const secrets = [order.apiKey];
  const shown = output.text(secrets);
  if (endless !== undefined) {
    return { kind: 'broken', problem: endless, output: shown };
  }
  if (wasEnded) {
    const hasReplied = 'reply' in readLastLine(lastLine, null, secrets);
    return { kind: 'ended', output: shown, ...(hasReplied ? { replied: true } : {}) };
  }
  const read =
    exit.code === 0
      ? readLastLine(lastLine, isWithinLine ? written : null, secrets)
      : { problem: tellExit(exit, '', output.errorLine(secrets)) };
  return 'reply' in read
    ? { kind: 'replied', reply: read.reply, output: shown }
    : { kind: 'broken', problem: read.problem, output: shown };
}

/** Whether a line that no newline ends is the beginning of an object. */
function isBegun(line: Buffer): boolean {
  const text = lineText(line).trim();
  return text.startsWith('{') && parseIfJson(text) === undefined;
}

/**
 * @param lastLine `null` if it was too long to be kept, `undefined` if there was none
 * @param endedAt how many bytes stdout had if it ended within a line
 */
function readLastLine(
  lastLine: Buffer | null | undefined,
  endedAt: number | null,
  secrets: readonly string[],
): ReadReply {
  if (lastLine === undefined) {
    return { problem: 'It exited with code 0 and wrote nothing to stdout.' };
  }
  if (lastLine === null) {
    return { problem: `The last line of stdout is longer than ${LONGEST_LINE_BYTES / 2 ** 20} MiB.` };
  }
  const byte = endedAt?.toLocaleString('en');
  if (endedAt !== null && isBegun(lastLine)) {
    return {
      problem: `stdout was cut off at byte ${byte}, in the middle of its last line: ${excerpt(lineText(lastLine), { secrets })}. Exit only once stdout has taken all that was written.`,
    };
  }
  const read = readReplyLine(lastLine, secrets);
  return 'problem' in read && endedAt !== null && endedAt >= PIPE_BYTES
    ? {
        problem: `${read.problem} stdout ended at byte ${byte}, within a line. If more was written, exit only once stdout has taken all of it.`,
      }
    : read;
}
