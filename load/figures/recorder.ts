import type { Histogram } from 'hdr-histogram-js';

import type { LoadSecond } from '../../contract/load-result.ts';
import type { LoadLoss, LoadResponse } from '../engine/load-request.ts';
import { TIMEOUT } from '../engine/load-request.ts';
import {
  encodeTimes,
  newCoarseHistogram,
  newHistogram,
  quantilesOfTimes,
  timesOf,
  toValue,
  type EncodedTimes,
  type Quantiles,
} from './times.ts';

/** The first and the last of some moments, in milliseconds from the start. */
export interface RecordedSpan {
  readonly first: number;
  readonly last: number;
}

export interface SecondRecording extends Pick<
  LoadSecond,
  'scheduled' | 'sent' | 'answered' | 'lost' | 'statuses'
> {
  /** Of what was answered in it: all times if they are to be added to those of others, otherwise only quantiles. */
  readonly times: { readonly quantiles: Quantiles } | { readonly all: EncodedTimes };
}

/** The class of the answers that the goodput counts. */
export const SUCCESS_CLASS = '2xx';

interface RecorderOptions {
  /** Moment of `performance.now()` from which requests count. */
  readonly startsAt: number;
  /**
   * An open model counts what is due since then. A closed one, in which nothing is due by itself, counts what ends since
   * then: what was under way at the end is left out, and as much at the beginning, else a slow target would seem slower.
   */
  readonly model: 'open' | 'closed';
  /** Whether other generators send parts of the same load, so that all times of a second are kept. */
  readonly isPart?: boolean;
}

export type Recorder = ReturnType<typeof createRecorder>;

/**
 * What a recorder has counted of its part of a load, as JSON carries it; the recordings of all parts add up to the whole. Its
 * spans say when requests left, and when answers 2xx and all others came.
 */
export type Recording = ReturnType<Recorder['recording']>;

/** Records the events of an engine into histograms, by second and in total. */
export function createRecorder({ startsAt, model, isPart = false }: RecorderOptions) {
  const isClosed = model === 'closed';
  const seconds = recordSeconds(startsAt, isPart);
  const operations = recordOperations();
  const losses = recordLosses();
  const lag = newHistogram();
  let scheduled = 0;
  let repeated = 0;
  const spans = { sent: followSpan(startsAt), success: followSpan(startsAt), other: followSpan(startsAt) };
  const noteDue = (moment: number): void => {
    scheduled += 1;
    seconds.at(moment).scheduled += 1;
  };
  const noteSent = (moment: number): void => {
    seconds.at(moment).sent += 1;
    spans.sent.add(moment);
  };
  return {
    due: (dueAt: number, lagMilliseconds: number): void => {
      if (!isClosed && dueAt >= startsAt) {
        noteDue(dueAt);
        if (lagMilliseconds > 0) {
          lag.recordValue(toValue(lagMilliseconds));
        }
      }
    },
    sent: (sentAt: number, dueAt: number): void => {
      if (!isClosed && dueAt >= startsAt) {
        noteSent(sentAt);
      }
    },
    /** It is sent once more, since a connection that was used before ended. */
    repeat: ({ dueAt, givenUpAt }: LoadLoss): void => {
      repeated += (isClosed ? givenUpAt : dueAt) < startsAt ? 0 : 1;
    },
    response: (response: LoadResponse): void => {
      const { status, dueAt, answeredAt } = response;
      if ((isClosed ? answeredAt : dueAt) < startsAt) {
        return;
      }
      const taken = toValue(answeredAt - dueAt);
      const name = nameOf(status);
      countAnswer(seconds.at(answeredAt), name.ofClass, taken);
      if (isClosed) {
        noteDue(answeredAt);
        noteSent(answeredAt);
      }
      (name.ofClass === SUCCESS_CLASS ? spans.success : spans.other).add(answeredAt);
      operations.answered(response, name, taken);
    },
    loss: (loss: LoadLoss): void => {
      const { dueAt, sentAt, givenUpAt } = loss;
      if ((isClosed ? givenUpAt : dueAt) < startsAt) {
        return;
      }
      losses.add(loss);
      seconds.at(givenUpAt).lost += 1;
      if (isClosed) {
        noteDue(givenUpAt);
      }
      if (isClosed && sentAt !== null) {
        noteSent(givenUpAt);
      }
    },
    /** What the last whole second was like, for a line of progress. */
    latest: seconds.latest,
    recording: () => ({
      scheduled,
      repeated,
      ...losses.recording(),
      spans: { sent: spans.sent.span(), success: spans.success.span(), other: spans.other.span() },
      ...operations.recording(),
      lag: encodeTimes(lag),
      seconds: seconds.recording(),
    }),
  };
}

/** Counts requests that were due and not sent, or sent and not answered. */
function recordLosses() {
  const timedOut = newHistogram();
  const lost: Record<string, number> = {};
  const unsentBy: Record<string, number> = {};
  return {
    add: ({ dueAt, sentAt, givenUpAt, cause }: LoadLoss): void => {
      if (sentAt === null) {
        count(unsentBy, cause);
      } else {
        count(lost, cause);
      }
      // Whoever gave up has waited at least this long; to leave it out would flatter.
      if (cause === TIMEOUT || sentAt === null) {
        timedOut.recordValue(toValue(givenUpAt - dueAt));
      }
    },
    recording: () => ({
      unsentBy: { ...unsentBy },
      lost: { ...lost },
      /** How long the requests that timed out had waited. */
      timedOut: encodeTimes(timedOut),
    }),
  };
}

interface Second {
  scheduled: number;
  sent: number;
  answered: number;
  lost: number;
  readonly statuses: Record<string, number>;
  /** Of what was answered in it, until it is long over. */
  histogram: Histogram | null;
  /** What is kept of that afterwards. */
  times: SecondRecording['times'] | null;
}

function countAnswer(second: Second, ofClass: string, taken: number): void {
  second.answered += 1;
  second.histogram ??= newCoarseHistogram();
  second.histogram.recordValue(taken);
  count(second.statuses, ofClass);
}

// An answer may be recorded after what came later, by as much as the generator stood still.
const SECONDS_OPEN = 10;

/** Counts by second; of a second that is long over, only what is needed is kept. */
function recordSeconds(startsAt: number, isPart: boolean) {
  const seconds: Second[] = [];

  function secondRecording({ histogram, times, ...counts }: Second): SecondRecording {
    const all = histogram ?? newCoarseHistogram();
    const kept = isPart ? { all: encodeTimes(all) } : { quantiles: quantilesOfTimes(timesOf(all)) };
    return { ...counts, statuses: { ...counts.statuses }, times: times ?? kept };
  }

  /** Opens the seconds up to it, and ends those of long ago. */
  function open(index: number): Second {
    for (;;) {
      const over = seconds.at(-SECONDS_OPEN);
      if (over !== undefined) {
        over.times = secondRecording(over).times;
        over.histogram = null;
      }
      const second: Second = {
        scheduled: 0,
        sent: 0,
        answered: 0,
        lost: 0,
        statuses: {},
        histogram: null,
        times: null,
      };
      if (seconds.push(second) > index) {
        return second;
      }
    }
  }

  return {
    at: (moment: number): Second => {
      const index = Math.max(0, Math.floor((moment - startsAt) / 1000));
      return seconds[index] ?? open(index);
    },
    /** The last second that is over, counted from the start. */
    latest: (): { readonly second: number; readonly recording: SecondRecording } | null => {
      const second = seconds.at(-2);
      return second === undefined ? null : { second: seconds.length - 2, recording: secondRecording(second) };
    },
    recording: (): readonly SecondRecording[] => seconds.map(secondRecording),
  };
}

/** Follows when the first and the last of something came. */
function followSpan(startsAt: number) {
  let first = Infinity;
  let last = -Infinity;
  return {
    add: (moment: number): void => {
      if (moment < first) {
        first = moment;
      }
      if (moment > last) {
        last = moment;
      }
    },
    span: (): RecordedSpan | null =>
      last < first ? null : { first: first - startsAt, last: last - startsAt },
  };
}

/** Response times of one operation; the sums are made in the end. */
interface Operation {
  readonly statuses: Record<string, number>;
  readonly success: Histogram;
  readonly other: Histogram;
}

/** Counts by operation. */
function recordOperations() {
  const operations = new Map<string, Operation>();
  const service = newHistogram();
  const named = (name: string): Operation => {
    let operation = operations.get(name);
    if (operation === undefined) {
      operation = { statuses: {}, success: newHistogram(), other: newHistogram() };
      operations.set(name, operation);
    }
    return operation;
  };
  return {
    /** @param taken its response time, as histograms have it */
    answered: (
      { request, dueAt, sentAt, answeredAt }: LoadResponse,
      name: StatusName,
      taken: number,
    ): void => {
      const { statuses, success, other } = named(request.operation);
      count(statuses, name.itself);
      (name.ofClass === SUCCESS_CLASS ? success : other).recordValue(taken);
      service.recordValue(sentAt === dueAt ? taken : toValue(answeredAt - sentAt));
    },
    recording: () => ({
      operations: [...operations].map(([name, { statuses, success, other }]) => ({
        name,
        statuses: { ...statuses },
        /** Response times of those answered 2xx apart from all others. */
        success: encodeTimes(success),
        other: encodeTimes(other),
      })),
      /** Service times of all answers. */
      service: encodeTimes(service),
    }),
  };
}

interface StatusName {
  readonly itself: string;
  /** `2xx`, `429` and so on: refusals for the rate are a class of their own. */
  readonly ofClass: string;
}

// Making such short texts for every response takes longer than counting them.
const STATUS_NAMES = new Map<number, StatusName>();

function nameOf(status: number): StatusName {
  let name = STATUS_NAMES.get(status);
  if (name === undefined) {
    name = { itself: `${status}`, ofClass: status === 429 ? '429' : `${Math.floor(status / 100)}xx` };
    STATUS_NAMES.set(status, name);
  }
  return name;
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
