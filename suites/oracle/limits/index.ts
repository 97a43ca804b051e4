export { followBans } from './bans.ts';
export { limitsMonitor } from './limits-monitor.ts';
