import type { RequirementId } from '../../../contract/requirements/index.ts';

/** What became of requests on connections that had just been used for another one, by what was answered to that. */
export interface Reuse {
  /** After which answers a request on the same connection was answered. */
  readonly answered: Set<string>;
  /** After which answers nothing came to it, though it was answered on a new connection, and how often. */
  readonly hung: Map<string, number>;
  /** Whether each request is to have a connection of its own from now on. */
  isAvoided: boolean;
}

export function nothingReused(): Reuse {
  return { answered: new Set(), hung: new Map(), isAvoided: false };
}

/** What was answered on a connection just before. */
export interface AnswerBefore {
  readonly words: string;
  readonly status: number;
}

// What has been idle for longer may have been forgotten by something on the way.
const IDLE_MILLISECONDS = 1_000;

/** Follows one connection that takes one request after the other. */
export interface ReusedConnection {
  /** A connection was opened or closed. */
  readonly begin: () => void;
  /** A request leaves. */
  readonly leave: () => AnswerBefore | null;
  readonly answer: (
    request: { readonly method: string; readonly body: unknown },
    status: number,
    before: AnswerBefore | null,
  ) => void;
}

export function followConnection({ answered }: Reuse): ReusedConnection {
  let last: (AnswerBefore & { readonly at: number }) | null = null;
  return {
    begin: () => {
      last = null;
    },
    leave: () => (last !== null && performance.now() - last.at < IDLE_MILLISECONDS ? last : null),
    answer: ({ method, body }, status, before) => {
      if (before !== null) {
        answered.add(before.words);
      }
      const words = `${method}${body === null ? '' : ' with a body'} was answered ${status}`;
      last = { words, status, at: performance.now() };
    },
  };
}

const HUNG = 3;
// In a network that loses more, as many may be lost in a row.
const MOST_OTHER_LOSSES = 0.1;

/**
 * Notes a request that got nothing on a used connection, and was answered on a new one.
 * @returns whether it happened often enough, and never otherwise, to prove that the connection is the reason; once for a run
 */
export function provesHanging(
  reuse: Reuse,
  { words }: AnswerBefore,
  { requests, recovered }: { readonly requests: number; readonly recovered: number },
): boolean {
  const hung = (reuse.hung.get(words) ?? 0) + 1;
  reuse.hung.set(words, hung);
  const isProven =
    hung >= HUNG &&
    !reuse.isAvoided &&
    !reuse.answered.has(words) &&
    recovered - hung <= requests * MOST_OTHER_LOSSES;
  reuse.isAvoided ||= isProven;
  return isProven;
}

const REQUIREMENT_OF_STATUS: ReadonlyMap<number, RequirementId> = new Map([
  [400, 'update-missing-quantity'],
  [401, 'missing-key'],
  [404, 'update-unknown-pet'],
  [429, 'refusal-is-429'],
]);
const OF_OTHER_STATUS: RequirementId = 'valid-key-accepted';

/** What fails if a connection hangs that was used before, whoever sends on it. */
export const REUSE_FAILS: readonly RequirementId[] = [...REQUIREMENT_OF_STATUS.values(), OF_OTHER_STATUS];

/** The requirement that an answer does not meet which leaves its connection unusable. */
export function requirementOfAnswer({ status }: AnswerBefore): RequirementId {
  return REQUIREMENT_OF_STATUS.get(status) ?? OF_OTHER_STATUS;
}
