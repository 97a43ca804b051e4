import type { LimitWindow } from '../../../contract/load-result.ts';
import { printableLine } from '../../model/words.ts';
import { CHART_GRID, level } from './chart-axes.ts';
import type { Figure, LegendItem } from './load-figure.ts';

/** More windows than this are in the table only. */
const WINDOWS_SHOWN = 40;

const BAR = 26;

/** How much wider the axis is than the longest bar. */
const ROOM_FOR_LABEL = 1.4;

/** Longest label of a key shown, in characters. */
const NAME_LIMIT = 14;

const AS_GRANTED: LegendItem = { words: 'up to the limit', color: 'var(--pass)', shape: 'area' };
const BEYOND: LegendItem = { words: 'beyond the limit', color: 'var(--fail)', shape: 'area' };
const LIMIT: LegendItem = { words: 'limit', color: 'var(--text)', shape: 'dotted' };

/** What was accepted in each window, as a share of its limit. */
export function windowFigure(id: string, windows: readonly LimitWindow[]): Figure {
  const shown = windows.slice(0, WINDOWS_SHOWN);
  const hidden = windows.length - shown.length;
  const highest = shown.reduce((high, window) => Math.max(high, percent(window)), 100);
  return {
    id,
    title: 'Accepted of each limit',
    height: 76 + BAR * shown.length,
    legend: [AS_GRANTED, BEYOND, LIMIT],
    option: {
      grid: { ...CHART_GRID, left: 140, top: 20 },
      xAxis: {
        ...level('percent of the limit'),
        min: 0,
        max: Math.ceil((highest * ROOM_FOR_LABEL) / 20) * 20,
      },
      yAxis: {
        type: 'category',
        inverse: true,
        data: shown.map(({ key, window }) => `${shortName(key)} ${window}`),
        axisLabel: { color: 'var(--text)', interval: 0 },
        axisLine: { show: true, lineStyle: { color: 'var(--muted)' } },
        axisTick: { show: false },
      },
      series: [
        {
          type: 'bar',
          name: 'accepted',
          silent: true,
          emphasis: { disabled: true },
          barWidth: 14,
          data: shown.map((window) => ({
            value: percent(window),
            itemStyle: { color: window.accepted > window.limit ? BEYOND.color : AS_GRANTED.color },
          })),
          label: {
            show: true,
            position: 'right',
            color: 'var(--text)',
            formatter: ({ dataIndex }): string => acceptedText(shown[dataIndex]),
          },
          markLine: {
            silent: true,
            symbol: 'none',
            emphasis: { disabled: true },
            lineStyle: { color: LIMIT.color, type: 'dotted', width: 1.5 },
            label: { show: false },
            data: [{ xAxis: 100 }],
          },
        },
      ],
    },
    caption: `${shown
      .map(({ key, window, accepted, limit }) => `${shortName(key)} ${window} ${accepted} of ${limit}`)
      .join(', ')}${hidden > 0 ? `, and ${hidden} more in the table` : ''}`,
  };
}

function percent({ accepted, limit }: LimitWindow): number {
  return limit === 0 ? 0 : Math.round((accepted / limit) * 10_000) / 100;
}

function acceptedText(window: LimitWindow | undefined): string {
  return window === undefined ? '' : `${window.accepted} of ${window.limit}`;
}

/** Cut without saying so, unlike elsewhere: the label is next to its bar. */
function shortName(key: string): string {
  const text = printableLine(key);
  return text.length > NAME_LIMIT ? `${text.slice(0, NAME_LIMIT - 1).toWellFormed()}…` : text;
}
