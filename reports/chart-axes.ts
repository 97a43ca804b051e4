import type { ValueAxis } from './chart-option.ts';

/** From this ratio of the longest to the shortest on, small values would lie on the axis. */
const LOGARITHMIC_RATIO = 50;

/** Where an axis of logarithms begins at least. */
const SMALLEST = 0.001;

const LABEL = {
  color: 'var(--muted)',
  fontSize: 12,
  hideOverlap: true,
  // As the tables write numbers.
  formatter: (place: number): string => `${Number(place.toPrecision(6))}`,
} as const;
const NAME = { color: 'var(--muted)', fontSize: 12 } as const;
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
  const known = times.filter((time) => time > 0);
  const longest = known.reduce((left, right) => Math.max(left, right), 0);
  const shortest = known.reduce((left, right) => Math.min(left, right), longest);
  if (longest / shortest < LOGARITHMIC_RATIO || shortest === 0) {
    return upright('ms');
  }
  return {
    type: 'log',
    name: 'ms',
    min: Math.max(SMALLEST, 10 ** Math.floor(Math.log10(shortest))),
    nameTextStyle: { ...NAME, align: 'right' },
    axisLabel: LABEL,
    axisLine: NO_LINE,
    axisTick: NO_LINE,
    splitLine: GRID_LINE,
  };
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
