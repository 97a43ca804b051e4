export { followBans } from './bans.ts';
export {
  type FirstValues,
  type FirstValuesFollower,
  fitTogether,
  followFirstValues,
} from './first-values.ts';
export { type Departure, followTraffic, isGranted, labelOf, type Overlap } from './key-traffic.ts';
export { readRemaining } from './remaining.ts';
export { limitsMonitor } from './limits-monitor.ts';
