import { medianOf } from '../../../contract/quantile.ts';
import type { ReportedHerd, ReportedReturns } from '../../../reports/index.ts';
import { type HerdFigures, spreadOf, WATCHED_SECONDS } from '../../../suites/certify/index.ts';

/** The figures of clients that were started together, as reports show them. */
export function reportHerd(herd: HerdFigures): ReportedHerd {
  const { clients, refusals, growth, earliness, longestWait, trials } = herd;
  const { waits, early, habit } = earliness;
  return {
    clients,
    refusals: refusals.map(reportReturns),
    growth,
    earliness: {
      waits,
      early,
      habit:
        habit === null
          ? null
          : {
              kind: habit.kind,
              size: habit.kind === 'share' ? round(habit.size, 4) : milliseconds(habit.size),
              mostMilliseconds: milliseconds(habit.most),
            },
    },
    longestWait: {
      ...longestWait,
      watched: WATCHED_SECONDS,
      trials: trials.map(({ seconds, conduct }) => ({ seconds, conduct })),
    },
  };
}

function reportReturns(waits: HerdFigures['refusals'][number]): ReportedReturns {
  const moments = waits.map(({ after }) => after).toSorted((one, other) => one - other);
  const { range, interquartile, busiestShare } = spreadOf(moments);
  return {
    retryAfterSeconds: waits[0]?.asked ?? 0,
    milliseconds: moments.map(milliseconds),
    median: milliseconds(medianOf(moments)),
    range: milliseconds(range),
    interquartileRange: milliseconds(interquartile),
    busiestShare: round(busiestShare, 3),
  };
}

function milliseconds(seconds: number): number {
  return round(seconds * 1_000, 1);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
