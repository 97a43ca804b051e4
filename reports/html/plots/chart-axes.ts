import type { ValueAxis } from './chart-option.ts';
import type { LoadStep } from './thin-seconds.ts';

/** From this ratio of the longest to the shortest on, small values would lie on the axis. */
const LOGARITHMIC_RATIO = 50;

const LABEL = {
  color: 'var(--muted)',
  hideOverlap: true,
  // As the tables write numbers.
  formatter: (place: number): string => `${Number(place.toPrecision(6))}`,
} as const;
const NAME = { color: 'var(--muted)' } as const;
const GRID_LINE = { show: true, lineStyle: { color: 'var(--line)' } } as const;
const AXIS_LINE = { show: true, lineStyle: { color: 'var(--muted)' } } as const;
const NO_LINE = { show: false } as const;

/** What is left free around the drawing, for labels. */
export const CHART_GRID = { left: 52, right: 16, top: 28, bottom: 40 } as const;

/** The upright axis, from zero; `name` is its unit. */
export function upright(name: string): ValueAxis {
  return {
    type: 'value',
    name,
    min: 0,
    nameTextStyle: { ...NAME, align: 'right' },
    axisLabel: LABEL,
    axisLine: NO_LINE,
    axisTick: NO_LINE,
    splitLine: GRID_LINE,
  };
}

/** The upright axis for times in milliseconds: of logarithms where they lie far apart. */
export function uprightTime(times: readonly number[]): ValueAxis {
  const longest = times.reduce((left, right) => Math.max(left, right), 0);
  const shortest = times.reduce((left, right) => Math.min(left, right), longest);
  // Zero has no logarithm.
  if (shortest === 0 || longest / shortest < LOGARITHMIC_RATIO) {
    return upright('ms');
  }
  return { ...upright('ms'), type: 'log', min: 10 ** Math.floor(Math.log10(shortest)) };
}

/** The level axis with a number for each place. */
export function level(name: string): ValueAxis {
  return {
    type: 'value',
    name,
    nameLocation: 'middle',
    nameGap: 24,
    nameTextStyle: NAME,
    axisLabel: LABEL,
    axisLine: AXIS_LINE,
    axisTick: NO_LINE,
    splitLine: NO_LINE,
  };
}

/** The level axis for the seconds of these steps. */
export function secondsAxis(steps: readonly LoadStep[]): ValueAxis {
  const last = steps.at(-1);
  return { ...level('seconds'), min: 0, max: Math.max(1, (last?.second ?? 0) + (last?.length ?? 0)) };
}
