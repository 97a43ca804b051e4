import type { ReportedScenario } from '../../model/report.ts';

/** The time axis of a chart. */
export interface TimeScale {
  /** Seconds at the right end of the axis, more than 0. */
  readonly end: number;
  /** Round moments on the axis, from 0, in seconds. */
  readonly ticks: readonly number[];
  /** Digits after the decimal point that make the ticks distinct. */
  readonly digits: number;
}

/** A wait may take up this much more room than what happened; of a longer one the beginning is shown. */
const WAIT_SHARE = 4;
const SHORTEST_AXIS_SECONDS = 0.01;
const FEWEST_STEPS = 4;
const STEPS = [5, 2, 1] as const;

/** The axis on which all that happened in the scenario can be seen. */
export function timeScale({
  timeline,
  durationSeconds,
}: Pick<ReportedScenario, 'timeline' | 'durationSeconds'>): TimeScale {
  const happened = Math.max(
    SHORTEST_AXIS_SECONDS,
    durationSeconds,
    ...timeline.flatMap(({ receivedSeconds, answeredSeconds }) => [
      receivedSeconds,
      answeredSeconds ?? receivedSeconds,
    ]),
  );
  const allowed = Math.max(0, ...timeline.map(({ allowedSeconds }) => allowedSeconds ?? 0));
  const end = Math.max(happened, Math.min(allowed, happened * WAIT_SHARE)) * 1.02;
  const power = Math.floor(Math.log10(end / FEWEST_STEPS));
  const step = (STEPS.find((factor) => factor * 10 ** power <= end / FEWEST_STEPS) ?? 1) * 10 ** power;
  return {
    end,
    ticks: Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step),
    digits: Math.max(0, -power),
  };
}
