import type { LimitWindow } from '../../../contract/load-result.ts';
import { printableLine } from '../../model/words.ts';
import type { LegendItem } from './chart.ts';
import type { Figure } from './figure.ts';

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
  const bars = windows.slice(0, WINDOWS_SHOWN).map(({ key, window, accepted, limit }) => ({
    name: `${shortName(key)} ${window}`,
    value: limit === 0 ? 0 : Math.round((accepted / limit) * 10_000) / 100,
    color: accepted > limit ? BEYOND.color : AS_GRANTED.color,
    label: `${accepted} of ${limit}`,
  }));
  const hidden = windows.length - bars.length;
  const highest = bars.reduce((high, { value }) => Math.max(high, value), 100);
  const axis = {
    name: 'percent of the limit',
    min: 0,
    max: Math.ceil((highest * ROOM_FOR_LABEL) / 20) * 20,
  };
  return {
    id,
    title: 'Accepted of each limit',
    height: 76 + BAR * bars.length,
    legend: [AS_GRANTED, BEYOND, LIMIT],
    chart: { axis, mark: { at: 100 }, bars },
    caption: `${bars
      .map(({ name, label }) => `${name} ${label}`)
      .join(', ')}${hidden > 0 ? `, and ${hidden} more in the table` : ''}`,
  };
}

/** Cut without saying so, unlike elsewhere: the label is next to its bar. */
function shortName(key: string): string {
  const text = printableLine(key);
  return text.length > NAME_LIMIT ? `${text.slice(0, NAME_LIMIT - 1).toWellFormed()}…` : text;
}
