import { DAY_SECONDS } from '../../../../contract/plans.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import { isAlone, type LimitedRequest } from '../windows/counted-requests.ts';

const MOMENT_MILLISECONDS = 1_000;
const DAY_MILLISECONDS = DAY_SECONDS * 1000;

/**
 * Finds refusals that nothing but a full minute explains. The first one after a granted request, with another granted
 * within a moment, comes of no ban, which follows further refusals (specification, section "Behaviour at the limit", 3).
 */
export function followRefusalsBetweenGrants() {
  let granted: LimitedRequest | null = null;
  let refused: { readonly request: LimitedRequest; readonly mayBeDay: boolean } | null = null;
  // When a day must have ended, if that is what explains the last one.
  let dayEndedBy = -Infinity;
  return {
    /** Takes a granted request. @returns a refusal that the minute must explain, as it was when it came */
    grant: (request: LimitedRequest): LimitedRequest | null => {
      const [before, between] = [granted, refused];
      granted = isAlone(request) ? request : null;
      refused = null;
      const isMoment =
        before !== null &&
        request.decided.to - before.decided.from <= MOMENT_MILLISECONDS &&
        isAlone(request);
      if (between === null || !isMoment) {
        return null;
      }
      const isSecond = between.request.decided.from < dayEndedBy + DAY_MILLISECONDS - MARGIN_MILLISECONDS;
      dayEndedBy = request.decided.to;
      return between.mayBeDay && !isSecond ? null : between.request;
    },
    /** Takes a 429. @param mayBeDay whether a full day may explain it, too */
    refuse: (request: LimitedRequest, mayBeDay: boolean): void => {
      // Only the first one cannot be that of a ban.
      if (refused === null) {
        refused = granted !== null && isAlone(request) ? { request, mayBeDay } : null;
        granted = refused === null ? null : granted;
      }
    },
    /** Takes anything else, which may have changed what holds. */
    interrupt: (): void => {
      granted = null;
      refused = null;
    },
  };
}
