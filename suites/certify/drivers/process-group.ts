import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { errorCode } from '../../../contract/error-text.ts';
import type { ClientCommand } from './driver.ts';
import {
  onceAtExit,
  processorDelayOf,
  signalGroup,
  signalProcessSession,
  terminate,
} from './process-session.ts';

/** How a process ended: with an exit code, or by a signal. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type ProcessGroup = Awaited<ReturnType<typeof startProcessGroup>>;

export interface ProcessGroupOptions extends ClientCommand {
  readonly stdin: 'ignore' | 'pipe';
  /** Whether stdout is read late, as a busy reader would, so that what is still unwritten at an exit is lost each time. */
  readonly readsLate?: true;
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
}

const GRACE_MILLISECONDS = 2_000;
/** How long a killed process may take to be gone; one that nobody reaps never is. */
const REAPING_MILLISECONDS = 1_000;
/** How long output may still come after a program's end, if something holds its streams open. */
const DRAIN_MILLISECONDS = 1_000;
/** How long what a program begins to write is left in its pipe, unless it exits before. */
const UNREAD_MILLISECONDS = 1_000;
/** After such a pause a program begins to write again. */
const PAUSE_MILLISECONDS = 50;
/** One that writes much is not held up any more. */
const MOST_PAUSES = 10;
/** However late this process is, it costs one step. */
const STEP_MILLISECONDS = 50;

/**
 * Starts a program without a shell; it and its children are in a session of their own.
 * @throws {ConfigurationError} if there is no such program, or it may not be executed
 */
export async function startProcessGroup(options: ProcessGroupOptions) {
  const child = await spawnProgram(options);
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined) {
    throw new Error('A started process has no process id');
  }
  // Its drivers may never be closed.
  const isOver = onceAtExit(() => signalProcessSession(pid, 'SIGKILL'));
  let terminated: Promise<void> | undefined;
  const endSession = (): Promise<void> =>
    (terminated ??= terminate(
      (signal) => signalProcessSession(pid, signal),
      GRACE_MILLISECONDS,
      REAPING_MILLISECONDS,
    ));
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  // Without a listener the failure of a later write or kill would end this process.
  child.on('error', () => undefined);
  stdin?.on('error', () => undefined);
  const streams: readonly (readonly [Readable | null, (chunk: Buffer) => void])[] = [
    [stdout, options.readsLate ? readingLate(stdout, options.onStdout, exited) : options.onStdout],
    [stderr, options.onStderr],
  ];
  let wroteAt = Number.NEGATIVE_INFINITY;
  for (const [stream, onData] of streams) {
    stream?.on('data', onData);
    stream?.on('data', () => {
      wroteAt = performance.now();
    });
    stream?.on('error', () => undefined);
  }

  const complete = async (): Promise<ProcessExit> => {
    const exit = await exited;
    const isClosed = await settlesWithin(closed, DRAIN_MILLISECONDS);
    if (!isClosed || terminated !== undefined || signalGroup(pid, 0)) {
      await endSession();
      await settlesWithin(closed, DRAIN_MILLISECONDS);
    }
    for (const [stream, onData] of streams) {
      stream?.off('data', onData);
      stream?.destroy();
    }
    stdin?.destroy();
    isOver();
    return exit;
  };
  const completed = complete();
  return {
    /** `null` if the program was given no stdin. */
    stdin,
    isRunning: (): boolean => child.exitCode === null && child.signalCode === null,
    /** How long it was ready to run and got no processor; in seconds. */
    processorDelay: (): number => processorDelayOf(pid),
    /** For how long it has written nothing; in seconds, Infinity if it never wrote. */
    quietSeconds: (): number => (performance.now() - wroteAt) / 1_000,
    /** Resolves when the program itself has ended; its last output may be still to come. */
    exited,
    /** Resolves when all its output is in and nothing of the session runs. */
    completed,
    /** Ends the program and its children: SIGTERM, and after a grace SIGKILL. Resolves when it is completed. */
    end: async (): Promise<void> => {
      await endSession();
      await completed;
    },
  };
}

/** Takes the first piece of what a program writes at once, and the others when it has exited or a while has passed. */
function readingLate(
  stream: Readable | null,
  onData: (chunk: Buffer) => void,
  exited: Promise<unknown>,
): (chunk: Buffer) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let pauses = 0;
  const goOn = (): void => {
    lastAt = performance.now();
    stream?.resume();
  };
  return (chunk) => {
    onData(chunk);
    if (performance.now() - lastAt > PAUSE_MILLISECONDS && pauses < MOST_PAUSES) {
      pauses += 1;
      stream?.pause();
      void settlesWithin(exited, UNREAD_MILLISECONDS).then(goOn);
    } else {
      lastAt = performance.now();
    }
  };
}

/**
 * How a process ended, in a sentence.
 * @param when goes on from "It exited with code 1"; may be empty
 * @param errorLine what it wrote to stderr; may be empty
 */
export function tellExit({ code, signal }: ProcessExit, when: string, errorLine: string): string {
  const how = signal === null ? `It exited with code ${code}` : `It was ended by ${signal}`;
  const stop = /[.!?]$/.test(errorLine) ? '' : '.';
  return `${how}${when === '' ? '' : ` ${when}`}${errorLine === '' ? '.' : `; on stderr it wrote: ${errorLine}${stop}`}`;
}

/** Whether a promise settles within a time in which this process is not kept from its work; it is waited for no longer. */
export async function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const over = new AbortController();
  const late = async (): Promise<false> => {
    for (let left = milliseconds; left > 0 && !over.signal.aborted; left -= STEP_MILLISECONDS) {
      await delay(Math.min(left, STEP_MILLISECONDS), null, { signal: over.signal }).catch(() => null);
    }
    return false;
  };
  try {
    return await Promise.race([promise.then(() => true), late()]);
  } finally {
    over.abort();
  }
}

async function spawnProgram(options: ProcessGroupOptions): Promise<ChildProcess> {
  const [program = '', ...words] = options.command;
  const settings: SpawnOptions = {
    env: options.environment,
    stdio: [options.stdin, 'pipe', 'pipe'],
    detached: true,
  };
  try {
    const child = spawn(program, words, settings);
    await once(child, 'spawn');
    return child;
  } catch (error) {
    throw startFailure(error, options);
  }
}

// The machine's fault, not the command's.
const OUT_OF_RESOURCES = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** The error to throw if the system refused to start a client. */
function startFailure(error: unknown, { command }: ClientCommand): unknown {
  const code = errorCode(error);
  if (code === undefined || OUT_OF_RESOURCES.has(code)) {
    return error;
  }
  const [program = '', ...words] = command;
  const reason = reasonOf(code, program.includes('/') ? kindOf(resolve(program)) : null);
  const hint =
    /\s/.test(program) && words.length === 0
      ? '; the program and its arguments are given as separate words'
      : '';
  return new ConfigurationError(`The client cannot be started: ${program}: ${reason}${hint}`, {
    cause: error,
  });
}

type Kind = 'directory' | 'other' | 'none';

function reasonOf(code: string, kind: Kind | null): string {
  if (kind === 'directory') {
    return 'this is a directory, not a program';
  }
  if (code === 'ENOENT') {
    if (kind === null) {
      return 'no such program was found';
    }
    return kind === 'none'
      ? 'there is no such file'
      : 'the interpreter that its first line names was not found';
  }
  return code === 'EACCES' ? 'it may not be executed (is it marked as executable?)' : code;
}

function kindOf(path: string): Kind {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    return 'none';
  }
  return found.isDirectory() ? 'directory' : 'other';
}
