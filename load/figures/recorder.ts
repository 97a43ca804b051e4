import type { Histogram } from 'hdr-histogram-js';

import { quantilesOfTimes, type Recording, type SecondRecording } from './recording.ts';
import type { LoadLoss, LoadResponse } from '../engine/load-request.ts';
import { TIMEOUT } from '../engine/load-request.ts';
import { encodeTimes, newCoarseHistogram, newHistogram, timesOf, toValue } from './times.ts';

/** Collects what the engines tell into histograms, each second by itself and all together. */
export interface Recorder {
  readonly due: (dueAt: number, lagMilliseconds: number) => void;
  readonly sent: (sentAt: number) => void;
  readonly response: (response: LoadResponse) => void;
  readonly loss: (loss: LoadLoss) => void;
  /** What the last whole second was like, for a line of progress. */
  readonly latest: () => { readonly second: number; readonly recording: SecondRecording } | undefined;
  /** All that was written down so far. */
  readonly recording: () => Recording;
}

interface Second {
  scheduled: number;
  sent: number;
  answered: number;
  lost: number;
  readonly statuses: Record<string, number>;
  /** Of what was answered in it, until it is over. */
  histogram: Histogram | null;
  /** What is kept of that afterwards. */
  times: SecondRecording['times'] | null;
}

/** Responses of one operation; each is recorded as few times as possible, and the sums are made in the end. */
interface Operation {
  readonly statuses: Record<string, number>;
  readonly onTime: Histogram;
  readonly delayed: Histogram;
}

/**
 * @param startsAt moment of `performance.now()` from which on requests count; what was due before is left out
 * @param isPart whether others carry parts of the same load, so that all times of a second are kept
 */
export function createRecorder(startsAt: number, isPart = false): Recorder {
  const delayedService = newHistogram();
  const timedOut = newHistogram();
  const lag = newHistogram();
  const seconds: Second[] = [];
  const lost: Record<string, number> = {};
  const operations = new Map<string, Operation>();
  let scheduled = 0;
  let sent = 0;
  let answered = 0;
  let unsent = 0;
  let latestAt = startsAt;

  function secondAt(moment: number): Second {
    const index = Math.max(0, Math.floor((moment - startsAt) / 1000));
    for (let missing = seconds.length; missing <= index; missing += 1) {
      seconds.push({
        scheduled: 0,
        sent: 0,
        answered: 0,
        lost: 0,
        statuses: {},
        histogram: null,
        times: null,
      });
      close(missing - 1);
    }
    const found = seconds[index];
    if (found === undefined) {
      throw new RangeError(`There is no second ${index}`);
    }
    return found;
  }

  /** Keeps of a second that is over only what is needed. */
  function close(index: number): void {
    const second = seconds[index];
    if (second !== undefined) {
      second.times = timesOfSecond(second);
      second.histogram = null;
    }
  }

  function timesOfSecond({ histogram }: Second): SecondRecording['times'] {
    const times = timesOf(histogram ?? newCoarseHistogram());
    return isPart ? { all: encodeTimes(times) } : { quantiles: quantilesOfTimes(times) };
  }

  function secondRecording(second: Second): SecondRecording {
    return {
      scheduled: second.scheduled,
      sent: second.sent,
      answered: second.answered,
      lost: second.lost,
      statuses: { ...second.statuses },
      times: second.times ?? timesOfSecond(second),
    };
  }

  return {
    due: (dueAt, lagMilliseconds) => {
      if (dueAt >= startsAt) {
        scheduled += 1;
        secondAt(dueAt).scheduled += 1;
        if (lagMilliseconds > 0) {
          lag.recordValue(toValue(lagMilliseconds));
        }
      }
    },
    sent: (sentAt) => {
      if (sentAt >= startsAt) {
        secondAt(sentAt).sent += 1;
      }
    },
    response: ({ request, status, dueAt, sentAt, answeredAt }) => {
      if (dueAt < startsAt) {
        return;
      }
      sent += 1;
      answered += 1;
      latestAt = Math.max(latestAt, answeredAt);
      const taken = toValue(answeredAt - dueAt);
      const second = secondAt(answeredAt);
      second.answered += 1;
      second.histogram ??= newCoarseHistogram();
      second.histogram.recordValue(taken);
      const name = nameOf(status);
      count(second.statuses, name.ofClass);
      let operation = operations.get(request.operation);
      if (operation === undefined) {
        operation = { statuses: {}, onTime: newHistogram(), delayed: newHistogram() };
        operations.set(request.operation, operation);
      }
      count(operation.statuses, name.itself);
      if (sentAt === dueAt) {
        operation.onTime.recordValue(taken);
      } else {
        operation.delayed.recordValue(taken);
        delayedService.recordValue(toValue(answeredAt - sentAt));
      }
    },
    loss: ({ dueAt, sentAt, givenUpAt, cause }) => {
      if (dueAt < startsAt) {
        return;
      }
      if (sentAt === null) {
        unsent += 1;
      } else {
        sent += 1;
        count(lost, cause);
      }
      // Who waited in vain has waited at least this long; to leave it out would flatter.
      if (cause === TIMEOUT || sentAt === null) {
        timedOut.recordValue(toValue(givenUpAt - dueAt));
      }
      secondAt(givenUpAt).lost += 1;
    },
    latest: () => {
      const second = seconds.at(-2);
      return second === undefined
        ? undefined
        : { second: seconds.length - 2, recording: secondRecording(second) };
    },
    recording: () => ({
      scheduled,
      sent,
      answered,
      unsent,
      lost: { ...lost },
      latestAfter: latestAt - startsAt,
      operations: [...operations].map(([name, { statuses, onTime, delayed }]) => ({
        name,
        statuses: { ...statuses },
        onTime: timesOf(onTime),
        delayed: timesOf(delayed),
      })),
      delayedService: timesOf(delayedService),
      timedOut: timesOf(timedOut),
      lag: timesOf(lag),
      seconds: seconds.map(secondRecording),
    }),
  };
}

interface StatusName {
  readonly itself: string;
  /** `2xx`, `429` and so on: refusals for the rate are a class of their own. */
  readonly ofClass: string;
}

// To make such short texts for every response takes longer than to count them.
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
