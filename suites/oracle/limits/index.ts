export { followBans } from './bans.ts';
export { earlyRenewalsMonitor } from './early-renewals.ts';
export { type Departure, followTraffic, labelOf, type Overlap } from './key-traffic.ts';
export { limitsMonitor } from './limits-monitor.ts';
export type { Span } from './timeline.ts';
