export {
  acceptedForms,
  AGREED_LIMITS,
  agreedKey,
  banCheck,
  type Burst,
  burstRequests,
  type Check,
  type CheckContext,
  CHECKS,
  cheapestRequest,
  documentedMix,
  honourRetryAfter,
  mayJudge,
  takeInTurns,
  useUpMinute,
} from '../stimuli/index.ts';
export { createCheckEnvironment } from './check-environment.ts';
export { noteLeftOut } from './left-out.ts';
export { type CheckSummary, performCheck } from './perform-check.ts';
export { performGroup, type RunListener } from './perform-plan.ts';
export { EMPTY_PLAN, type ExplorationOrder, type LeftOut, type RunPlan } from './plan-run.ts';
export { type ExplorationResult, type RunOptions, type RunResult, runSuite } from './run.ts';
export { type Selection, nameOfCheck, readSelection } from './selection.ts';
export type { SeenFailure } from './failures.ts';
export { EXPLORATION_LINE, sumOfBudgets } from './budget.ts';
export { petsWrittenBy, trailCheck } from './replay/trail-check.ts';
