export { type Check, mayJudge } from './check.ts';
export { banCheck } from './checks/ban.ts';
export { CHECKS } from './checks/index.ts';
export type { CheckContext } from './check-context.ts';
export {
  type ConformanceOptions,
  type ReadConformance,
  readConformance,
  readDescription,
  readTransport,
} from './conformance-options.ts';
export { createCheckEnvironment } from './check-environment.ts';
export { type CheckSummary, performCheck } from './perform-check.ts';
export { AGREED_LIMITS, burstRequests, documentedMix, useUpMinute } from './provoking/burst.ts';
export { honourRetryAfter } from './provoking/honour-retry-after.ts';
export { agreedKey, cheapestRequest } from './provoking/use-up.ts';
export { performGroup } from './perform-group.ts';
export type { RunListener } from './perform-plan.ts';
export { EMPTY_PLAN, type RunPlan } from './plan-run.ts';
export { type ExplorationResult, type RunOptions, type RunResult, runSuite } from './run.ts';
export { type Selection, nameOfCheck, readSelection } from './selection.ts';
export type { SeenFailure } from './report-first-failures.ts';
export { EXPLORATION_LINE } from './budget.ts';
export type { ExplorationOrder } from './plan-exploration.ts';
export { petsWrittenBy, trailCheck } from './replay/trail-check.ts';
