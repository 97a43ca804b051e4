import { parseRetryAfter } from '../contract/retry-after.ts';
import type { Random } from '../contract/seeded-random.ts';
import { backOffSeconds, type ClientPolicy, type ClientRefusal } from './client-policy.ts';

/** A request of a client that was certified; seconds since its scenario began. */
interface MeasuredRequest {
  readonly receivedSeconds: number;
  readonly answeredSeconds: number | null;
  readonly status: number | null;
  readonly retryAfter: string | null;
  /** The earliest moment at which it was allowed to try again; `null` if nothing said. */
  readonly allowedSeconds: number | null;
}

/** One scenario of a certified client. */
export interface MeasuredScenario {
  readonly timeline: readonly MeasuredRequest[];
  /** Whether the client ended by itself. */
  readonly hasEnded: boolean;
}

/** How many clients at once came back. */
interface MeasuredHerd {
  /** After the first refusal, after the second, and so on. */
  readonly refusals: readonly {
    readonly retryAfterSeconds: number;
    /** From the moment at which each was allowed to come back until it did. */
    readonly milliseconds: readonly number[];
  }[];
  /** The shortest Retry-After, in seconds, for which it did not wait; `null` if it waited for all. */
  readonly declined: number | null;
}

/** A wait that was measured. */
interface MeasuredWait {
  /** How many refusals in a row came before it. */
  readonly inARow: number;
  /** Seconds from the answer to the next request. */
  readonly seconds: number;
  /** Seconds that were asked for; `null` if nothing said. */
  readonly asked: number | null;
}

const REFUSALS: ReadonlySet<number | null> = new Set([401, 403, 429, 503]);

/** What was measured of how a client waits. */
export interface WaitFit {
  /** What is added to Retry-After, in seconds or as a share of it, after one refusal, after two, and so on; sorted. */
  readonly added: readonly (readonly number[])[];
  readonly isShare: boolean;
  /** Waits after refusals that named no time, in the same way. */
  readonly unasked: readonly (readonly number[])[];
  /** Refusals in a row after which it gives up; `null` if it never did. */
  readonly mostInARow: number | null;
  /** The shortest Retry-After for which it gave up although it waits for shorter ones, in seconds; `null` if there is none. */
  readonly tooLong: number | null;
  readonly waits: number;
}

/**
 * Reads from the timelines of a certified client how it waits.
 * @returns `null` if it was never refused
 */
export function fitWaits(
  scenarios: readonly MeasuredScenario[],
  herd: MeasuredHerd | null = null,
): WaitFit | null {
  const waits = [
    ...scenarios.flatMap(({ timeline }) => waitsIn(timeline)),
    ...(herd?.refusals ?? []).flatMap(waitsOfHerd),
  ];
  const stops = scenarios.flatMap(stopOf);
  if (waits.length === 0 && stops.length === 0) {
    return null;
  }
  const asked = waits.flatMap(({ asked, ...wait }) => (asked === null ? [] : [{ ...wait, asked }]));
  const first = asked.filter(({ inARow, asked: seconds }) => inARow === 1 && seconds > 0);
  const isShare =
    dispersion(first.map(({ seconds, asked }) => seconds / asked - 1)) <
    dispersion(first.map(({ seconds, asked }) => seconds - asked));
  const longest = Math.max(0, ...asked.map((wait) => wait.asked));
  const tooLong = [
    ...stops.flatMap((stop) => (stop.asked !== null && stop.asked > longest ? [stop.asked] : [])),
    ...[herd?.declined ?? []].flat(),
  ];
  const tired = stops.filter((stop) => stop.asked === null || stop.asked <= longest || longest === 0);
  return {
    added: inRows(
      asked.map(({ inARow, seconds, asked }) => ({
        inARow,
        value: isShare ? (asked === 0 ? 0 : seconds / asked - 1) : seconds - asked,
      })),
    ),
    isShare,
    unasked: inRows(
      waits.flatMap(({ inARow, seconds, asked }) => (asked === null ? [{ inARow, value: seconds }] : [])),
    ),
    mostInARow: tired.length === 0 ? null : Math.max(...tired.map(({ inARow }) => inARow)),
    tooLong: longest === 0 || tooLong.length === 0 ? null : Math.min(...tooLong),
    waits: waits.length,
  };
}

/** A client that waits as another one was measured to; between what was measured, any wait may come. */
export function fittedPolicy(name: string, fit: WaitFit): ClientPolicy {
  const { added, unasked, isShare, mostInARow, tooLong, waits } = fit;
  const ends = [
    ...(mostInARow === null ? [] : [`gives up after ${mostInARow} refusals in a row`]),
    ...(tooLong === null ? [] : [`gives up if it is to wait ${rounded(tooLong)} s or more`]),
  ];
  const sum = (extra: number): string => (isShare ? `${rounded(extra * 100)} %` : `${rounded(extra)} s`);
  const usual = added[0] ?? [];
  const addition =
    usual.length === 0
      ? 'was never measured to wait for Retry-After'
      : `adds ${sum(usual[0] ?? 0)} to ${sum(usual.at(-1) ?? 0)} to Retry-After at first`;
  return {
    name,
    title: [`as measured in ${waits} waits: ${addition}`, ...ends].join(', '),
    wait: ({ retryAfterSeconds, inARow }: ClientRefusal, random: Random) => {
      if (mostInARow !== null && inARow >= mostInARow) {
        return null;
      }
      if (retryAfterSeconds === null) {
        return sample(unasked, inARow, random) ?? backOffSeconds(inARow, random);
      }
      if (tooLong !== null && retryAfterSeconds >= tooLong) {
        return null;
      }
      const extra = sample(added, inARow, random) ?? 0;
      return Math.max(0, retryAfterSeconds + (isShare ? retryAfterSeconds * extra : extra));
    },
  };
}

function waitsIn(timeline: readonly MeasuredRequest[]): readonly MeasuredWait[] {
  let inARow = 0;
  return timeline.flatMap((request, index) => {
    const next = timeline[index + 1];
    inARow = isRefusal(request) ? inARow + 1 : 0;
    return inARow === 0 || next === undefined || request.answeredSeconds === null
      ? []
      : [
          {
            inARow,
            seconds: next.receivedSeconds - request.answeredSeconds,
            asked: askedBy(request),
          },
        ];
  });
}

function waitsOfHerd(
  { retryAfterSeconds, milliseconds }: MeasuredHerd['refusals'][number],
  index: number,
): readonly MeasuredWait[] {
  return milliseconds.map((late) => ({
    inARow: index + 1,
    seconds: retryAfterSeconds + late / 1_000,
    asked: retryAfterSeconds,
  }));
}

/** The refusal after which a client tried no more by itself. */
function stopOf({ timeline, hasEnded }: MeasuredScenario): readonly Omit<MeasuredWait, 'seconds'>[] {
  const last = timeline.at(-1);
  if (!hasEnded || last === undefined || last.status !== 429) {
    return [];
  }
  const before = timeline.findLastIndex((request) => !isRefusal(request));
  return [{ inARow: timeline.length - 1 - before, asked: askedBy(last) }];
}

function isRefusal({ status }: MeasuredRequest): boolean {
  return REFUSALS.has(status);
}

function askedBy({ retryAfter, answeredSeconds, allowedSeconds }: MeasuredRequest): number | null {
  return retryAfter === null ||
    parseRetryAfter(retryAfter) === undefined ||
    allowedSeconds === null ||
    answeredSeconds === null
    ? null
    : Math.max(0, allowedSeconds - answeredSeconds);
}

/** Values by refusals in a row, from one on, each row sorted. */
function inRows(
  values: readonly { readonly inARow: number; readonly value: number }[],
): readonly (readonly number[])[] {
  const most = Math.max(0, ...values.map(({ inARow }) => inARow));
  return Array.from({ length: most }, (_, index) =>
    values
      .flatMap(({ inARow, value }) => (inARow === index + 1 ? [value] : []))
      .toSorted((one, other) => one - other),
  ).filter((row) => row.length > 0);
}

/** A value between those measured after so many refusals, or the most that were measured; `null` if there are none. */
function sample(rows: readonly (readonly number[])[], inARow: number, random: Random): number | null {
  const row = rows[Math.min(inARow, rows.length) - 1];
  if (row === undefined) {
    return null;
  }
  const place = random() * (row.length - 1);
  const low = row[Math.floor(place)] ?? 0;
  const high = row[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}

/** Standard deviation by the mean; how alike values are, whatever their unit. */
function dispersion(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return Math.sqrt(variance) / Math.max(Math.abs(mean), Number.MIN_VALUE);
}

function rounded(value: number): number {
  return Number(value.toPrecision(2));
}
