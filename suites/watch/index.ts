export { judgeRecordings, type TrafficFindings } from './judge-recordings.ts';
export { judgeStream, type StreamJudge } from './judge-stream.ts';
export { findBaseAddress, noteNothingToJudge } from './traffic/base-address.ts';
export { readHar, readHarLines } from './traffic/har.ts';
export type { TrafficExchange, TrafficRequest } from './traffic/traffic-exchange.ts';
export { watchTraffic, type Watch } from './watch-traffic.ts';
