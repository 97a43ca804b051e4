import { answerError, type Answer, type Representation } from './answer.ts';
import type { BanRule } from './bans.ts';
import type { Decision, LimitState } from './rate-limiter.ts';

/** The answers to requests that reach no operation. */
export interface Refusals {
  readonly unauthorized: (reason: 'missing' | 'invalid') => Answer;
  /** `now` in Unix seconds. */
  readonly limited: (decision: Decision, described: LimitState, now: number) => Answer;
  readonly banned: (decision: Decision, now: number) => Answer;
  readonly notFound: () => Answer;
  readonly methodNotAllowed: (allow: string) => Answer;
}

/** Writes a Retry-After value (RFC 9110, section 10.2.3); both in seconds, `now` since the Unix epoch. */
export type RetryAfterWriter = (seconds: number, now: number) => string;

/** As delta-seconds. */
export const writeDeltaSeconds: RetryAfterWriter = (seconds) => `${seconds}`;

export interface RefusalParts {
  readonly representation: Representation;
  /** Status of the answers to a banned key. */
  readonly banStatus: BanRule['status'];
  readonly retryAfter: RetryAfterWriter;
}

export function createRefusals({ representation, banStatus, retryAfter }: RefusalParts): Refusals {
  return {
    unauthorized: (reason) => {
      const message = `The API key is ${reason === 'missing' ? 'missing' : 'not valid'}.`;
      const challenge = reason === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"';
      return answerError(representation, { code: `${reason}_api_key`, message, status: 401 }, [
        'WWW-Authenticate',
        challenge,
      ]);
    },
    limited: ({ retryAfterSeconds }, { limit }, now) => {
      const message = `The rate limit of ${limit} requests is exceeded. ${tryAgain(retryAfterSeconds)}`;
      return answerError(representation, { code: 'rate_limited', message, status: 429 }, [
        'Retry-After',
        retryAfter(retryAfterSeconds, now),
      ]);
    },
    banned: ({ retryAfterSeconds }, now) => {
      const message = `The API key is banned for continued requests after a 429. ${tryAgain(retryAfterSeconds)}`;
      const challenge = banStatus === 401 ? ['WWW-Authenticate', 'Bearer'] : [];
      return answerError(representation, { code: 'key_banned', message, status: banStatus }, [
        'Retry-After',
        retryAfter(retryAfterSeconds, now),
        ...challenge,
      ]);
    },
    notFound: () =>
      answerError(representation, { code: 'not_found', message: 'No such resource.', status: 404 }),
    methodNotAllowed: (allow) =>
      answerError(
        representation,
        { code: 'method_not_allowed', message: `Use ${allow} here.`, status: 405 },
        ['Allow', allow],
      ),
  };
}

function tryAgain(seconds: number): string {
  return `Try again in ${seconds} s.`;
}
