export {
  type ClientPolicy,
  exactPolicy,
  exponential,
  givesUpPolicy,
  ignores,
  jitterBySeconds,
  jitterByShare,
} from './client-policy.ts';
export { outcomeOf } from './outcome.ts';
export type { PopulationShare } from './population.ts';
export type { ServiceModel } from './service-queue.ts';
export { playStorm, type Storm, type StormFollower } from './storm.ts';
