export { type Check, mayJudge } from '../stimuli/index.ts';
export { banCheck } from '../stimuli/index.ts';
export { CHECKS } from '../stimuli/index.ts';
export type { CheckContext } from '../stimuli/index.ts';
export {
  type ConformanceOptions,
  type ReadConformance,
  readConformance,
  readDescription,
  readTransport,
} from './conformance-options.ts';
export { createCheckEnvironment } from './check-environment.ts';
export { type CheckSummary, performCheck } from './perform-check.ts';
export { AGREED_LIMITS, burstRequests, documentedMix, useUpMinute } from '../stimuli/index.ts';
export { honourRetryAfter } from '../stimuli/index.ts';
export { agreedKey, cheapestRequest } from '../stimuli/index.ts';
export { performGroup } from './perform-group.ts';
export type { RunListener } from './perform-plan.ts';
export { EMPTY_PLAN, type RunPlan } from './plan-run.ts';
export { type ExplorationResult, type RunOptions, type RunResult, runSuite } from './run.ts';
export { type Selection, nameOfCheck, readSelection } from './selection.ts';
export type { SeenFailure } from './report-first-failures.ts';
export { EXPLORATION_LINE } from './budget.ts';
export type { ExplorationOrder } from './plan-exploration.ts';
export { petsWrittenBy, trailCheck } from './replay/trail-check.ts';
