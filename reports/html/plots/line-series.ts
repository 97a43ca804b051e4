import type { LineSeries } from './chart-option.ts';
import type { LegendItem } from './load-figure.ts';

/** A line of a chart that looks as its item of the legend does; `null` interrupts it. */
export function lineSeries(
  { words, color, shape }: LegendItem,
  data: readonly (readonly [place: number, value: number | null])[],
): LineSeries {
  const type = shape === 'dashed' || shape === 'dotted' ? shape : 'solid';
  return {
    type: 'line',
    name: words,
    silent: true,
    emphasis: { disabled: true },
    // A line of one point could not be seen.
    showSymbol: data.filter(([, value]) => value !== null).length < 2,
    symbol: 'circle',
    symbolSize: 6,
    lineStyle: { color, type, width: 1.75 },
    itemStyle: { color },
    data: data.map(([place, value]) => [place, value]),
  };
}
