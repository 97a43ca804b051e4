export { type Check, type FoundForms, formsFor, mayJudge, type Needs, withSurveys } from './check.ts';
export { type CheckConnections, type CheckContext, type Facts, Undecided } from './check-context.ts';
export { banCheck } from './checks/bans.ts';
export { CHECKS } from './checks/index.ts';
export type { AcceptedForms, RequestForm } from './provoking/accepted-forms.ts';
export { AGREED_LIMITS, burstRequests, documentedMix, useUpMinute } from './provoking/burst.ts';
export { honourRetryAfter } from './provoking/honour-retry-after.ts';
export { agreedKey, cheapestRequest } from './provoking/use-up.ts';
