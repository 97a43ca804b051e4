import type { ValueAxis } from './chart-option.ts';
import type { LoadStep } from './thin-seconds.ts';

/** From this ratio of longest to shortest, the axis is logarithmic: small values would vanish on a linear one. */
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

/** Space around the drawing, for labels. */
export const CHART_GRID = { left: 52, right: 16, top: 28, bottom: 40 } as const;

/** The vertical axis, from zero; `name` is its unit. */
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

/** The vertical axis for times in milliseconds: logarithmic if they are far apart. */
export function uprightTime(times: readonly number[]): ValueAxis {
  const longest = times.reduce((left, right) => Math.max(left, right), 0);
  const shortest = times.reduce((left, right) => Math.min(left, right), longest);
  // Zero has no logarithm.
  if (shortest === 0 || longest / shortest < LOGARITHMIC_RATIO) {
    return upright('ms');
  }
  return { ...upright('ms'), type: 'log', min: 10 ** Math.floor(Math.log10(shortest)) };
}

/** The horizontal axis with a number for each place. */
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

/** The horizontal axis for the seconds of these steps. */
export function secondsAxis(steps: readonly LoadStep[]): ValueAxis {
  const last = steps.at(-1);
  return { ...level('seconds'), min: 0, max: Math.max(1, (last?.second ?? 0) + (last?.length ?? 0)) };
}
