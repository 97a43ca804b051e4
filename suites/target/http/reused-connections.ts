import { BAN_STATUSES } from '../../../contract/bans.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { HeaderField } from '../../../contract/verdict.ts';

/** What became of requests on connections that had just been used for another one, by what was answered to that. */
export type Reuse = ReturnType<typeof nothingReused>;

export function nothingReused() {
  return {
    /** After which answers a request on the same connection was answered. */
    answered: new Set<string>(),
    /** After which answers nothing came to it, or a stray answer, unlike on a new connection, and how often. */
    failed: new Map<string, number>(),
    /** Whether each request is to have a connection of its own from now on. */
    isAvoided: false,
    /** How many were opened or closed. */
    connections: 0,
  };
}

/** What was answered on a connection just before. */
export interface AnswerBefore {
  readonly words: string;
  readonly status: number;
  /** The status of what came instead of the answer to the next request. */
  readonly stray?: number;
}

interface Asked {
  readonly method: string;
  readonly body: string | Uint8Array | null;
}

interface Answer {
  readonly status: number;
  readonly headers: readonly HeaderField[];
}

// What no server says of a request that the specification names, but of one that it cannot read.
const NEVER_DUE = new Set([405, 501]);
const OFTEN_OF_GATEWAYS = new Set([400, 404]);

/** Whether it can hardly be the answer to a request that the specification names. */
export function mayBeStray({ method }: Asked, { status, headers }: Answer): boolean {
  return (
    NEVER_DUE.has(status) ||
    (status === 400 && method === 'GET') ||
    (OFTEN_OF_GATEWAYS.has(status) && headerValues(headers, 'X-RateLimit-Limit').length === 0)
  );
}

// What has been idle for longer may have been forgotten by something on the way.
const IDLE_MILLISECONDS = 1_000;

/** Follows one connection that takes one request after the other. */
export type ReusedConnection = ReturnType<typeof followConnection>;

export function followConnection(reuse: Reuse) {
  const { answered } = reuse;
  let last: (AnswerBefore & { readonly at: number }) | null = null;
  let number = 0;
  return {
    /** Stands for the connection that is open now. */
    name: (): string => String(number),
    /** A connection was opened or closed. */
    begin: (): void => {
      last = null;
      reuse.connections += 1;
      number = reuse.connections;
    },
    isReused: (): boolean => last !== null,
    /** A request leaves. */
    leave: (): AnswerBefore | null =>
      last !== null && performance.now() - last.at < IDLE_MILLISECONDS ? last : null,
    answer: (request: Asked, answer: Answer, before: AnswerBefore | null): void => {
      // A key that is refused may be told so whatever its request was taken for.
      if (before !== null && !mayBeStray(request, answer) && !BAN_STATUSES.has(answer.status)) {
        answered.add(before.words);
      }
      const { method, body } = request;
      const { status } = answer;
      const hasBody = body !== null && body.length > 0;
      const words = `${method}${hasBody ? ' with a body' : ''} was answered ${status}`;
      last = { words, status, at: performance.now() };
    },
  };
}

const OFTEN = 3;
// In a network that loses more, as many may be lost in a row.
const MOST_OTHER_LOSSES = 0.1;

/**
 * Notes a request that got nothing on a used connection, or a stray answer, and was answered on a new one.
 * @param exchange that on the new connection
 * @returns whether it happened often enough, and never otherwise, to prove that the connection is the reason; once for a run
 */
export function provesSpoilt(
  reuse: Reuse,
  { words, stray }: AnswerBefore,
  { request, response }: { readonly request: Asked; readonly response: Answer },
  { requests, recovered }: { readonly requests: number; readonly recovered: number },
): boolean {
  if (stray !== undefined && mayBeStray(request, response)) {
    reuse.answered.add(words);
    return false;
  }
  const failed = (reuse.failed.get(words) ?? 0) + 1;
  reuse.failed.set(words, failed);
  const isProven =
    failed >= OFTEN &&
    !reuse.isAvoided &&
    !reuse.answered.has(words) &&
    recovered - failed <= requests * MOST_OTHER_LOSSES;
  reuse.isAvoided ||= isProven;
  return isProven;
}
