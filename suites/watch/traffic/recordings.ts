import { headerValues } from '../../../contract/rate-limit-headers.ts';
import { parseHttpDate } from '../../../contract/retry-after.ts';
import type { TrafficExchange, TrafficRequest } from './traffic-exchange.ts';

// What a sender gives each of its requests.
const NAMES_ONE = /^(?:idempotency-key|traceparent|(?:x-)?(?:correlation|request|trace|transaction)-?id)$/i;

// What each hop writes as it likes, or adds.
const OF_A_HOP =
  /^(?:age|alt-svc|connection|content-(?:encoding|length)|keep-alive|proxy-.*|server-timing|transfer-encoding|vary|via|x-cache.*)$/;

/**
 * Leaves out exchanges that seem to be recorded more than once, as a page and its worker, or a browser and its proxy record
 * them: the same request, answered the same in every header field but those of a hop, at the same time.
 */
export function withoutDuplicates(recording: readonly TrafficExchange[]): readonly TrafficExchange[] {
  const underWay = new Map<string, readonly TrafficExchange[]>();
  const inTime = recording.toSorted((a, b) => a.request.sentAt - b.request.sentAt);
  const kept = inTime.filter((exchange) => {
    const { request, response } = exchange;
    // Of those that were refused for their key or their rate, each may well be answered the same.
    if (response === null || !isOfContent(response.status) || response.headers.length === 0) {
      return true;
    }
    const fields = response.headers
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !OF_A_HOP.test(name))
      .toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)));
    const told = [request.method, request.url, response.status, fields];
    const content = [request.body, response.body].map((body) => body?.toString() ?? '');
    const same = JSON.stringify([...told, ...content]);
    // Moments are told in whole milliseconds.
    const beside = (underWay.get(same) ?? []).filter(({ endedAt }) => request.sentAt < Math.floor(endedAt));
    underWay.set(same, [...beside, exchange]);
    return beside.every((other) => areNamedApart(request, other.request));
  });
  const single = new Set(kept);
  return recording.filter((exchange) => single.has(exchange));
}

/** Whether a request was accepted, or refused for what it asks, so that it may have counted. */
function isOfContent(status: number): boolean {
  return status < 300 || status === 400 || status === 404;
}

function areNamedApart(one: TrafficRequest, other: TrafficRequest): boolean {
  return one.headers.some(
    ([name, value]) =>
      NAMES_ONE.test(name) && headerValues(other.headers, name).some((named) => named !== value),
  );
}

// CORS-safelisted response-header names (Fetch, section 2.2.2), and those that a service may expose to scripts.
const EXPOSED =
  /^(?:cache-control|content-(?:language|length|type)|etag|expires|last-modified|link|location|pragma|retry-after|x-.*)$/i;

/** Marks the responses if none has a field beyond those that a script in a page may see: any service sends others. */
export function markUnseenFields(recording: readonly TrafficExchange[]): readonly TrafficExchange[] {
  const seesOthers = recording.some(
    ({ response }) => response?.headers.some(([name]) => !EXPOSED.test(name)) === true,
  );
  return seesOthers
    ? recording
    : recording.map((exchange) => {
        const { response } = exchange;
        return { ...exchange, response: response && { ...response, omittedHeaders: 'all' } };
      });
}

/** How far the service's clock was ahead of the recorder's, in seconds. */
interface Offset {
  readonly low: number;
  readonly high: number;
}

/** An exchange that tells it. */
interface Told {
  readonly exchange: TrafficExchange;
  readonly offset: Offset;
}

/** Exchanges whose times were told by one clock. */
interface OneClock {
  low: number;
  high: number;
  readonly exchanges: Set<TrafficExchange>;
}

// A Date may be some seconds stale.
const APART_SECONDS = 10;
// A Date that is a second late is common.
const LATE_SECONDS = 1;
// What took longer says too little.
const LONGEST_SECONDS = 5;
// So many different ones are no clocks.
const MOST_CLOCKS = 10;

/**
 * The parts of a recording that were made by one clock each: if captures of several machines were merged, or a clock was
 * set, the Date fields of the responses show more than one. Moments of different clocks cannot be compared, nor those that
 * are none.
 * @param recording in the order of its file
 */
export function splitByClock(recording: readonly TrafficExchange[]): readonly (readonly TrafficExchange[])[] {
  if (!tellsMoments(recording)) {
    return recording.map((exchange) => [exchange]);
  }
  const told = recording.flatMap((exchange) => {
    const offset = offsetOf(exchange);
    return offset === null ? [] : [{ exchange, offset }];
  });
  const far = farClocks(told);
  const clocks = far.length > 1 ? far : nearClocks(told);
  if (clocks.length < 2 || clocks.length > MOST_CLOCKS) {
    return [recording];
  }
  const rest = new Set(recording).difference(new Set(told.map(({ exchange }) => exchange)));
  return [...clocks.map(({ exchanges }) => exchanges), rest]
    .filter(({ size }) => size > 0)
    .map((part) => recording.filter((exchange) => part.has(exchange)));
}

const MINUTE_MILLISECONDS = 60_000;
const INSTANT_MILLISECONDS = 1_000;

/** Whether its moments are those of its requests: not whole minutes, nor all that of its export, while the Dates go on. */
function tellsMoments(recording: readonly TrafficExchange[]): boolean {
  const moments = recording.map(({ request }) => request.sentAt);
  const dates = recording.flatMap(({ response }) => {
    const [value] = headerValues(response?.headers ?? [], 'Date');
    return (value === undefined ? undefined : parseHttpDate(value)) ?? [];
  });
  const isOfExport = spread(moments) < INSTANT_MILLISECONDS && spread(dates) > APART_SECONDS;
  return (
    recording.length < 2 || !(isOfExport || moments.every((moment) => moment % MINUTE_MILLISECONDS === 0))
  );
}

function spread(numbers: readonly number[]): number {
  const [first = 0] = numbers;
  const [least, most] = numbers.reduce(
    ([low, high], number) => [Math.min(low, number), Math.max(high, number)],
    [first, first],
  );
  return most - least;
}

/** Clocks that are further apart than any Date is stale, whichever was read when. */
function farClocks(told: readonly Told[]): readonly OneClock[] {
  const clocks: OneClock[] = [];
  for (const { exchange, offset } of told.toSorted((a, b) => a.offset.low - b.offset.low)) {
    const last = clocks.at(-1);
    if (last !== undefined && offset.low <= last.high + APART_SECONDS) {
      last.high = Math.max(last.high, offset.high);
      last.exchanges.add(exchange);
    } else {
      clocks.push({ ...offset, exchanges: new Set([exchange]) });
    }
  }
  return clocks;
}

/** A clock that was set by less: from one answer on, the Dates agree on another offset. If an earlier one comes back, Dates are stale. */
function nearClocks(told: readonly Told[]): readonly OneClock[] {
  const clocks: OneClock[] = [];
  for (const { exchange, offset } of told) {
    const fitting = clocks.find(
      ({ low, high }) => offset.low <= high + LATE_SECONDS && offset.high >= low - LATE_SECONDS,
    );
    if (fitting === undefined) {
      clocks.push({ ...offset, exchanges: new Set([exchange]) });
    } else if (fitting !== clocks.at(-1)) {
      return [];
    } else {
      fitting.low = Math.max(fitting.low, offset.low);
      fitting.high = Math.max(fitting.low, Math.min(fitting.high, offset.high));
      fitting.exchanges.add(exchange);
    }
  }
  return clocks;
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
