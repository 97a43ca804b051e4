import { headerValues } from '../../../contract/rate-limit-headers.ts';
import { parseHttpDate } from '../../../contract/retry-after.ts';
import type { TrafficExchange } from './traffic-exchange.ts';

/**
 * Leaves out exchanges that were recorded more than once, as a page and its worker, or a browser and its proxy record them:
 * the same request, answered the same in every header field, at the same time.
 */
export function withoutDuplicates(recording: readonly TrafficExchange[]): readonly TrafficExchange[] {
  const endings = new Map<string, number>();
  return recording.filter((exchange) => {
    const { request, response, endedAt } = exchange;
    // Of those that were refused, each may well be answered the same.
    if (response === null || response.status >= 300 || (response.headers ?? []).length === 0) {
      return true;
    }
    const told = [request.method, request.url, response.status, response.headers];
    const content = [request.body, response.body].map((body) => body?.toString() ?? '');
    const same = JSON.stringify([...told, ...content]);
    const ended = endings.get(same);
    endings.set(same, Math.max(endedAt, ended ?? endedAt));
    return ended === undefined || request.sentAt > ended;
  });
}

/** How far the service's clock was ahead of the recorder's, in seconds. */
interface Offset {
  readonly low: number;
  readonly high: number;
}

interface Cluster {
  high: number;
  readonly exchanges: Set<TrafficExchange>;
}

// A Date may be some seconds stale.
const APART_SECONDS = 10;
// What took longer says too little.
const LONGEST_SECONDS = 5;
// So many different ones are no clocks.
const MOST_CLOCKS = 10;

/**
 * The parts of a recording that were made by one clock each: if captures of several machines were merged, or a clock was
 * set, the Date fields of the responses show more than one. Moments of different clocks cannot be compared.
 */
export function splitByClock(recording: readonly TrafficExchange[]): readonly (readonly TrafficExchange[])[] {
  const told = recording.flatMap((exchange) => {
    const offset = offsetOf(exchange);
    return offset === null ? [] : [{ exchange, offset }];
  });
  const clusters: Cluster[] = [];
  for (const { exchange, offset } of told.toSorted((a, b) => a.offset.low - b.offset.low)) {
    const last = clusters.at(-1);
    if (last !== undefined && offset.low <= last.high + APART_SECONDS) {
      last.high = Math.max(last.high, offset.high);
      last.exchanges.add(exchange);
    } else {
      clusters.push({ high: offset.high, exchanges: new Set([exchange]) });
    }
  }
  if (clusters.length < 2 || clusters.length > MOST_CLOCKS) {
    return [recording];
  }
  const rest = new Set(recording).difference(new Set(told.map(({ exchange }) => exchange)));
  return [...clusters.map(({ exchanges }) => exchanges), rest]
    .filter(({ size }) => size > 0)
    .map((part) => recording.filter((exchange) => part.has(exchange)));
}

/** `null` if an exchange says nothing of it. */
function offsetOf({ request: { sentAt }, response, endedAt }: TrafficExchange): Offset | null {
  const [value] = headerValues(response?.headers ?? [], 'Date');
  const stated = value === undefined ? undefined : parseHttpDate(value);
  if (stated === undefined || endedAt - sentAt > LONGEST_SECONDS * 1000) {
    return null;
  }
  return { low: stated - endedAt / 1000, high: stated + 1 - sentAt / 1000 };
}
