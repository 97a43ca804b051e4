import { countText } from './subject-text.ts';
import type { ReportedResponseTimes } from '../model/report.ts';

/** Such as `half within 1.2 ms, 95 % within 4 ms, of 1,024 requests sent alone`. */
export function responseTimesText({ requests, p50, p95 }: ReportedResponseTimes): string {
  return `half within ${inMilliseconds(p50)}, 95 % within ${inMilliseconds(p95)}, of ${countText(requests, 'request')} sent alone`;
}

function inMilliseconds(milliseconds: number): string {
  return `${milliseconds < 10 ? Math.round(milliseconds * 10) / 10 : Math.round(milliseconds)} ms`;
}
