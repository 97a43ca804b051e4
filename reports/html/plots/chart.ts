import { init } from 'echarts/dist/echarts.esm.min.mjs';
import { trustedHtml, type Html } from '../template.ts';

/** Width of every chart in user units: near that of a phone, so that text stays readable. */
export const CHART_WIDTH = 460;

const FONT_SIZE = 12;

/** A line, an area or a kind of mark in a chart, as its legend names it; colours are CSS colours. */
export interface LegendItem {
  readonly words: string;
  readonly color: string;
  readonly shape: 'line' | 'dashed' | 'dotted' | 'area' | 'circle' | 'diamond';
}

/**
 * Points that are drawn as their item of the legend looks; `null` interrupts a line, areas are stairs, one upon the other.
 * Lines and marks lie above those of the series that follow.
 */
export interface Series {
  readonly item: LegendItem;
  readonly points: readonly (readonly [place: number, value: number | null])[];
}

/** The horizontal axis, with labels at places of its own if it has `ticks`. */
export interface Axis {
  readonly name: string;
  readonly min?: number;
  readonly max?: number;
  readonly ticks?: readonly (readonly [place: number, label: string])[];
}

interface Bar {
  readonly item: LegendItem;
  readonly name: string;
  readonly value: number;
  readonly label: string;
}

/** A line across the chart at one place of the horizontal axis. */
export interface Mark {
  readonly item: LegendItem;
  readonly at: number;
  readonly label?: string;
}

/** What a chart shows: series over a vertical axis of that unit, which begins at zero, or bars one below the other. */
export type Chart = { readonly axis: Axis; readonly mark?: Mark } & (
  | { readonly unit: string; readonly series: readonly Series[]; readonly bars?: never }
  | { readonly bars: readonly Bar[] }
);

/** What stands in the legend: each kind of line, area or mark once. */
export function legendOf({ mark, ...chart }: Chart): readonly LegendItem[] {
  const drawn = [...(chart.bars ?? chart.series), ...(mark === undefined ? [] : [mark])];
  return [...new Map(drawn.map(({ item }) => [item.words, item])).values()];
}

/** In user units: bars are one below the other. */
export function heightOf({ bars }: Chart): number {
  return bars === undefined ? 240 : 76 + 26 * bars.length;
}

/**
 * The chart as the inside of an SVG element: no script, no style, no animation, the same for equal input. `id` is
 * unique in the page. The renderer escapes the texts in it.
 */
export function drawChart(chart: Chart, id: string): Html {
  const size = { width: CHART_WIDTH, height: heightOf(chart) };
  const drawing = init(null, null, { renderer: 'svg', ssr: true, ...size });
  try {
    drawing.setOption({
      animation: false,
      textStyle: { fontFamily: 'inherit', fontSize: FONT_SIZE, color: 'var(--muted)' },
      ...(chart.bars === undefined ? seriesOption(chart) : barsOption(chart)),
    });
    return trustedHtml(cleaned(drawing.renderToSVGString(), id));
  } finally {
    drawing.dispose();
  }
}

/** Takes out what is for a pointer, and names what the renderer numbers through all charts of the process. */
function cleaned(svg: string, id: string): string {
  return svg
    .replace(/^\s*<svg[^>]*>/, '')
    .replace(/<\/svg>\s*$/, '')
    .replace(/<style[^>]*>.*?<\/style>/gs, '')
    .replace(/ (?:class|pointer-events|xml:space|ecmeta_\w+)="[^"]*"/g, '')
    .replace(/(?<=(?: id="| clip-path="url\(#))zr\d+-/g, `${id}-`);
}

/** Space around the drawing, for labels. */
const GRID = { left: 52, right: 16, top: 28, bottom: 40 };

const LABEL = {
  color: 'var(--muted)',
  hideOverlap: true,
  // As the tables write numbers.
  formatter: (place: number): string => `${Number(place.toPrecision(6))}`,
};
const AXIS_LINE = { show: true, lineStyle: { color: 'var(--muted)' } };
const NO_LINE = { show: false };

/** Nothing is for a pointer. */
const STILL = { silent: true, emphasis: { disabled: true } };

function seriesOption({ axis, mark, unit, series }: Extract<Chart, { unit: string }>): object {
  return {
    grid: GRID,
    xAxis: horizontal(axis),
    yAxis: vertical(unit, series),
    series: series.map((one, index) => ({
      ...STILL,
      name: one.item.words,
      z: series.length - index,
      itemStyle: { color: one.item.color },
      data: one.points,
      ...looksOf(one),
      ...(index === 0 ? markLine(mark) : {}),
    })),
  };
}

function looksOf({ item: { color, shape }, points }: Series): object {
  switch (shape) {
    case 'area': {
      const areaStyle = { color, opacity: 0.85 };
      return {
        type: 'line',
        stack: 'areas',
        step: 'end',
        showSymbol: false,
        lineStyle: { width: 0 },
        areaStyle,
      };
    }
    case 'circle':
    case 'diamond':
      return { type: 'scatter', symbol: shape, symbolSize: shape === 'circle' ? 9 : 11 };
    default:
      return {
        type: 'line',
        // A line of one point could not be seen.
        showSymbol: points.filter(([, value]) => value !== null).length < 2,
        symbol: 'circle',
        symbolSize: 6,
        lineStyle: { color, type: shape === 'line' ? 'solid' : shape, width: 1.75 },
      };
  }
}

const BARS_LEFT = 140;
const LABEL_DISTANCE = 5;

function barsOption({ axis, mark, bars }: Extract<Chart, { bars: readonly Bar[] }>): object {
  const perUnit = (CHART_WIDTH - BARS_LEFT - GRID.right) / (axis.max ?? 1);
  // No label lies under the mark.
  const distanceOf = (value: number): number =>
    LABEL_DISTANCE + perUnit * Math.max(0, (mark?.at ?? 0) - value);
  return {
    grid: { ...GRID, left: BARS_LEFT, top: 20 },
    xAxis: horizontal(axis),
    yAxis: {
      type: 'category',
      inverse: true,
      data: bars.map(({ name }) => name),
      axisLabel: { color: 'var(--text)', interval: 0 },
      axisLine: AXIS_LINE,
      axisTick: NO_LINE,
    },
    series: [
      {
        ...STILL,
        type: 'bar',
        barWidth: 14,
        data: bars.map(({ value, item: { color } }) => ({
          value,
          itemStyle: { color },
          label: { distance: distanceOf(value) },
        })),
        label: {
          show: true,
          position: 'right',
          color: 'var(--text)',
          formatter: ({ dataIndex }: { readonly dataIndex: number }): string => bars[dataIndex]?.label ?? '',
        },
        ...markLine(mark),
      },
    ],
  };
}

function markLine(mark: Mark | undefined): object {
  return mark === undefined
    ? {}
    : {
        markLine: {
          ...STILL,
          symbol: 'none',
          lineStyle: { color: 'var(--text)', type: 'dotted', width: 1.5 },
          label:
            mark.label === undefined
              ? NO_LINE
              : { formatter: mark.label, color: 'var(--text)', position: 'end' },
          data: [{ xAxis: mark.at }],
        },
      };
}

function horizontal({ ticks, ...axis }: Axis): object {
  const labels = new Map(ticks);
  return {
    ...axis,
    type: 'value',
    nameLocation: 'middle',
    nameGap: 24,
    nameTextStyle: { color: 'var(--muted)' },
    axisLabel:
      ticks === undefined
        ? LABEL
        : {
            color: LABEL.color,
            customValues: [...labels.keys()],
            formatter: (place: number): string => labels.get(place) ?? '',
          },
    axisLine: AXIS_LINE,
    axisTick: NO_LINE,
    splitLine: NO_LINE,
  };
}

/** From this ratio of longest to shortest, times are drawn by their logarithm: small ones would vanish otherwise. */
const LOGARITHMIC_RATIO = 50;

function vertical(unit: string, series: readonly Series[]): object {
  const values = series.flatMap(({ points }) => points.flatMap(([, value]) => value ?? []));
  const longest = values.reduce((left, right) => Math.max(left, right), 0);
  const shortest = values.reduce((left, right) => Math.min(left, right), longest);
  // Zero has no logarithm.
  const isLogarithmic = unit === 'ms' && shortest > 0 && longest / shortest >= LOGARITHMIC_RATIO;
  return {
    type: isLogarithmic ? 'log' : 'value',
    min: isLogarithmic ? 10 ** Math.floor(Math.log10(shortest)) : 0,
    name: unit,
    nameTextStyle: { color: 'var(--muted)', align: 'right' },
    axisLabel: LABEL,
    axisLine: NO_LINE,
    axisTick: NO_LINE,
    splitLine: { show: true, lineStyle: { color: 'var(--line)' } },
  };
}
