export { judgeRecordings, type TrafficFindings } from './judge-recordings.ts';
export { findBaseAddress, noteNothingToJudge } from './traffic/base-address.ts';
export { readHar, readHarLines } from './traffic/har.ts';
export type { TrafficExchange } from './traffic/traffic-exchange.ts';
export { watchTraffic, type Watch } from './watch-traffic.ts';
