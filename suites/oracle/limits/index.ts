export { followBans } from './bans.ts';
export { type Departure, followTraffic, labelOf, type Overlap } from './key-traffic.ts';
export { limitsMonitor } from './limits-monitor.ts';
