export { type Check, mayJudge, type Needs } from './check.ts';
export {
  type AcceptedForms,
  type CheckConnections,
  type CheckContext,
  type Facts,
  Undecided,
} from './check-context.ts';
export { banCheck } from './checks/bans.ts';
export { CHECKS, withAcceptedForms } from './checks/index.ts';
export { acceptedForms } from './checks/observations.ts';
export {
  AGREED_LIMITS,
  type Burst,
  burstRequests,
  documentedMix,
  takeInTurns,
  useUpMinute,
} from './provoking/burst.ts';
export { honourRetryAfter } from './provoking/honour-retry-after.ts';
export { agreedKey, cheapestRequest } from './provoking/use-up.ts';
