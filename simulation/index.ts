export {
  type ClientPolicy,
  exactPolicy,
  exponential,
  givesUpPolicy,
  ignores,
  jitterBySeconds,
  jitterByShare,
} from './client-policy.ts';
export { fittedPolicy, fitWaits } from './fitted-policy.ts';
export { outcomeOf } from './outcome.ts';
export type { PopulationShare } from './population.ts';
export {
  clientChanges,
  keepsWithinCapacity,
  ranked,
  serverChanges,
  type StormChange,
  trialOf,
} from './search.ts';
export type { ServiceModel } from './service-queue.ts';
export { playStorm, type Storm, type StormFollower } from './storm.ts';
