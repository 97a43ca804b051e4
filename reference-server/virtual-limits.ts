import { alterOptions, composeAnswers } from './alterations/alteration.ts';
import { headerOf, LIST_REQUEST } from './service/messages.ts';
import type { KeyRecord } from './service/key-store.ts';
import { createAlteredParts, type ReferenceServerOptions } from './start.ts';

/** What limits and bans decide on a request of a key. */
interface Ruling {
  /** 200 if it is accepted, else that of the refusal. */
  readonly status: number;
  readonly accepted: boolean;
  /** Whether it is refused for a ban rather than for a limit. */
  readonly banned: boolean;
  /** The field of a refusal; `null` if there is none. */
  readonly retryAfter: string | null;
}

const ACCEPTED: Ruling = { status: 200, accepted: true, banned: false, retryAfter: null };

/**
 * Opens the limits and bans that a reference server with these options would enforce, with the same code and without its
 * ports and its clock. What alters whole requests or responses on their way has no part in it.
 */
export function openVirtualLimits(given: Pick<ReferenceServerOptions, 'alterations' | 'ban'>) {
  const { alterations = [] } = given;
  const options = alterOptions({ ...given, inventory: [], keys: [] }, alterations);
  let current = 0;
  const parts = createAlteredParts(options, { now: () => current }, alterations);
  const { limiter, describe } = parts;
  const answers = composeAnswers(parts, alterations);
  return {
    /**
     * Decides on one request of a key and counts it if accepted.
     * @param now Unix seconds; never falls
     */
    decide: (key: KeyRecord, now: number): Ruling => {
      current = now;
      const decision = limiter.decide(key, now, LIST_REQUEST);
      if (decision.accepted) {
        return ACCEPTED;
      }
      const { banned } = decision;
      const answer = banned
        ? answers.banned(decision, now)
        : answers.limited(decision, describe(decision), now);
      return {
        status: answer.status,
        accepted: false,
        banned,
        retryAfter: headerOf(answer, 'Retry-After') ?? null,
      };
    },
  };
}
