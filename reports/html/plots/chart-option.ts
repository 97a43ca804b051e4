/** The part of the options of echarts that the charts of a report need; colours are CSS colours. */
export interface ChartOption {
  readonly grid: {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
  };
  readonly xAxis: ValueAxis;
  readonly yAxis: ValueAxis | CategoryAxis;
  readonly series: readonly (LineSeries | ScatterSeries | BarSeries)[];
}

interface TextStyle {
  readonly color: string;
  readonly align?: 'left' | 'right';
}

interface LineStyle {
  readonly color?: string;
  readonly type?: 'solid' | 'dashed' | 'dotted';
  readonly width?: number;
}

interface AxisLine {
  readonly show: boolean;
  readonly lineStyle?: LineStyle;
}

interface CommonAxis {
  readonly axisLine: AxisLine;
  readonly axisTick: { readonly show: boolean };
}

export interface ValueAxis extends CommonAxis {
  readonly type: 'value' | 'log';
  readonly name: string;
  readonly nameLocation?: 'middle' | 'end';
  readonly nameGap?: number;
  readonly nameTextStyle: TextStyle;
  readonly min?: number;
  readonly max?: number;
  readonly axisLabel: TextStyle & {
    readonly hideOverlap?: boolean;
    /** Places with a label, if not those that the library chooses. */
    readonly customValues?: readonly number[];
    readonly formatter?: (place: number) => string;
  };
  readonly splitLine: AxisLine;
}

interface CategoryAxis extends CommonAxis {
  readonly type: 'category';
  readonly inverse: boolean;
  readonly data: readonly string[];
  readonly axisLabel: TextStyle & { readonly interval: number };
}

interface CommonSeries {
  readonly name: string;
  /** Nothing is for a pointer. */
  readonly silent: true;
  readonly emphasis: { readonly disabled: true };
  readonly itemStyle?: { readonly color: string };
  readonly markLine?: MarkLine;
}

/** A line across the chart at one place. */
interface MarkLine {
  readonly silent: true;
  readonly symbol: 'none';
  readonly emphasis: { readonly disabled: true };
  readonly lineStyle: LineStyle;
  readonly label:
    | { readonly show: false }
    | (TextStyle & { readonly formatter: string; readonly position: 'end' });
  readonly data: readonly { readonly xAxis: number }[];
}

/** Places and values; `null` interrupts a line. */
type Points = readonly (readonly [place: number, value: number | null])[];

export interface LineSeries extends CommonSeries {
  readonly type: 'line';
  readonly stack?: string;
  readonly step?: 'start' | 'end';
  readonly showSymbol: boolean;
  readonly symbol?: 'circle';
  readonly symbolSize?: number;
  readonly lineStyle: LineStyle;
  readonly areaStyle?: { readonly color: string; readonly opacity: number };
  readonly data: Points;
}

export interface ScatterSeries extends CommonSeries {
  readonly type: 'scatter';
  readonly symbol: 'circle' | 'diamond';
  readonly symbolSize: number;
  readonly data: Points;
}

interface BarSeries extends CommonSeries {
  readonly type: 'bar';
  readonly barWidth: number;
  readonly data: readonly { readonly value: number; readonly itemStyle: { readonly color: string } }[];
  readonly label: TextStyle & {
    readonly show: true;
    readonly position: 'right';
    readonly formatter: (bar: { readonly dataIndex: number }) => string;
  };
}
