import { DAY_SECONDS } from './plans.ts';

/** What a banned key may be answered (sections "Authentication 4" and "Behaviour at the limit"). */
export const BAN_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

/** The length of a ban is not shown; up to 31 days it may still be called temporary. */
export const LONGEST_TEMPORARY_SECONDS = 31 * DAY_SECONDS;
