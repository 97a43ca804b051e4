import type { LoadScenario } from '../scenario.ts';
import { badKeys } from './bad-keys.ts';
import { banUnderLoad } from './ban.ts';
import { capacity } from './capacity.ts';
import { fairness } from './fairness.ts';
import { limitAccuracy } from './limit-accuracy.ts';
import { mixed } from './mixed.ts';
import { latency, ramp, soak, spike } from './steady.ts';
import { throughput } from './throughput.ts';

/** All load scenarios, in the order in which they run; a new one is added here. */
export const LOAD_SCENARIOS: readonly LoadScenario[] = [
  latency,
  throughput,
  ramp,
  spike,
  soak,
  capacity,
  mixed,
  limitAccuracy,
  fairness,
  banUnderLoad,
  badKeys,
];
