import type { StormPeak, StormSetting } from '../../contract/simulation-result.ts';
import { figure } from './load.ts';

/** Seconds with their unit; beyond two minutes in minutes, too. */
export function secondsText(seconds: number | null): string {
  if (seconds === null) {
    return 'never';
  }
  const minutes = seconds < 120 ? '' : ` (${figure(seconds / 60)} min)`;
  return `${figure(seconds)} s${minutes}`;
}

/** Such as `120 in 100 ms at 61.2 s, 2.4 times the capacity`. */
export function peakLine({ requests, atSeconds }: StormPeak, { service }: StormSetting): string {
  return requests === 0
    ? 'none'
    : `${requests} in 100 ms at ${figure(atSeconds)} s, ${figure(requests / (service.capacity / 10))} times the capacity`;
}
