import { importOptional } from '../contract/optional-package.ts';

export { startEngine } from './engine/engine-run.ts';
export type { LoadRequest } from './engine/load-request.ts';
export { compareLoads } from './figures/compare-loads.ts';
export { measurementOf } from './figures/recording.ts';
export type { ConnectedFleet } from './fleet/coordinator.ts';
export { followKeys } from './judging/key-history.ts';
export { readThreshold, type ThresholdRule } from './judging/threshold-expression.ts';
export {
  type PlannedScenario,
  type LoadRunListener,
  type LoadRunResult,
  announcedRequests,
  parametersLine,
  runLoad,
} from './run-load.ts';
export type { LoadScenario } from './scenario.ts';
export { LOAD_SCENARIOS } from './scenarios/index.ts';
export { openLoadThreads } from './shards/load-threads.ts';

/**
 * Fleets need ioredis. It is loaded when this is called, so that nothing else waits for it.
 * @param user what needs a fleet, as messages begin
 * @throws {ConfigurationError} if it is not installed
 */
export const importFleet = (user: string) =>
  importOptional(user, 'ioredis', () => import('./fleet/index.ts'));
