import { init } from 'echarts/dist/echarts.esm.min.mjs';
import { trustedHtml, type Html } from '../template.ts';

/** Size of every chart in user units: near that of a phone, so that text stays readable. */
export const CHART_SIZE = { width: 460, height: 240 };

const FONT_SIZE = 12;

/** A line or an area in a chart, as its legend names it; colours are CSS colours. */
export interface LegendItem {
  readonly words: string;
  readonly color: string;
  readonly shape: 'line' | 'dashed' | 'dotted' | 'area';
}

/**
 * Points that are drawn as their item of the legend looks; `null` interrupts a line, areas are stairs, one upon the other.
 * Lines lie above those of the series that follow.
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

/** A line across the chart at one place of the horizontal axis. */
export interface Mark {
  readonly item: LegendItem;
  readonly at: number;
}

/** What a chart shows: series over a vertical axis of that unit, which begins at zero. */
export interface Chart {
  readonly axis: Axis;
  readonly mark?: Mark;
  readonly unit: string;
  readonly series: readonly Series[];
}

/** What stands in the legend: each kind of line or area once. */
export function legendOf({ mark, series }: Chart): readonly LegendItem[] {
  const drawn = [...series, ...(mark === undefined ? [] : [mark])];
  return [...new Map(drawn.map(({ item }) => [item.words, item])).values()];
}

/**
 * The chart as the inside of an SVG element: no script, no style, no animation, the same for equal input. `id` is
 * unique in the page. The renderer escapes the texts in it.
 */
export function drawChart(chart: Chart, id: string): Html {
  const drawing = init(null, null, { renderer: 'svg', ssr: true, ...CHART_SIZE });
  try {
    drawing.setOption({
      animation: false,
      textStyle: { fontFamily: 'inherit', fontSize: FONT_SIZE, color: 'var(--muted)' },
      ...seriesOption(chart),
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

function seriesOption({ axis, mark, unit, series }: Chart): object {
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
  return shape === 'area'
    ? {
        type: 'line',
        stack: 'areas',
        step: 'end',
        showSymbol: false,
        lineStyle: { width: 0 },
        areaStyle: { color, opacity: 0.85 },
      }
    : {
        type: 'line',
        // A line of one point could not be seen.
        showSymbol: points.filter(([, value]) => value !== null).length < 2,
        symbol: 'circle',
        symbolSize: 6,
        lineStyle: { color, type: shape === 'line' ? 'solid' : shape, width: 1.75 },
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
          label: NO_LINE,
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
