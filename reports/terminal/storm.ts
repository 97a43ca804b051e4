import type { PolicyTrial, SimulationResult } from '../../contract/simulation-result.ts';
import { figure } from '../model/load.ts';
import {
  adviceText,
  capacityText,
  clientTable,
  outcomeRows,
  searchTitle,
  secondsText,
  settingRows,
  servesWithinCapacity,
  stormHeadline,
  trialTable,
} from '../model/storm.ts';
import { alignedRows, tableTexts } from '../model/table.ts';
import { paragraphs, printableLine } from '../model/words.ts';
import { styleFor, type Style } from './style.ts';

const BARS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const MOST_BARS = 60;
const TRIALS_SHOWN = 5;

/** The storm for a terminal: what was played, what became of it, and the best policies of a search. */
export function renderStorm(result: SimulationResult, color: boolean): string {
  const style = styleFor(color);
  const { setting, outcome } = result;
  const isServed = servesWithinCapacity(result);
  const parts = [
    rowsText(settingRows(setting), style),
    ...(setting.sources.length === 0 ? [] : [setting.sources.map((text) => printableLine(text)).join('\n')]),
    `${style(isServed ? 'green' : 'yellow', `${isServed ? '✓' : '!'} ${stormHeadline(result)}`)}\n${capacityText(result)}`,
    rowsText([...outcomeRows(result), ['Goodput over time', goodputText(result)]], style),
    ...(outcome.clients.length > 1 ? [clientsText(result, style)] : []),
    ...searchText('server', result.serverPolicies, style),
    ...searchText('client', result.clientPolicies, style),
  ];
  return `${paragraphs(parts)}\n`;
}

function rowsText(rows: readonly (readonly [string, string])[], style: Style): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${style('bold', name.padEnd(width))}  ${value}`).join('\n');
}

/** A bar for each stretch of time; a full one is the capacity, or the highest rate beyond it. */
function goodputText({ outcome, setting }: SimulationResult): string {
  const { steps, stepSeconds } = outcome;
  const merged = Math.max(1, Math.ceil(steps.length / MOST_BARS));
  const rates = Array.from({ length: Math.ceil(steps.length / merged) }, (_, index) => {
    const group = steps.slice(index * merged, (index + 1) * merged);
    return group.reduce((sum, { granted }) => sum + granted, 0) / (group.length * stepSeconds);
  });
  const highest = Math.max(setting.service.capacity, ...rates);
  const bars = rates.map((rate) => BARS[Math.ceil((rate / highest) * (BARS.length - 1))] ?? ' ').join('');
  return `|${bars}| ${figure(highest)}/s at most, ${secondsText(steps.length * stepSeconds)}`;
}

/** A sentence for each policy, which goes by its name alone. */
function clientsText(result: SimulationResult, style: Style): string {
  const [, ...rows] = tableTexts(clientTable(result));
  const lines = rows.map(
    ([policy = '', clients, served, halfAfter, each, banned, gaveUp]) =>
      `  ${policy.replace(/:\s.*$/s, '')}: ${served} of ${clients} served, half after ${halfAfter}, ${each} requests each, ${banned} banned, ${gaveUp} gave up`,
  );
  return [style('bold', 'By policy'), ...lines].join('\n');
}

function searchText(
  whose: 'server' | 'client',
  trials: readonly PolicyTrial[],
  style: Style,
): readonly string[] {
  if (trials.length === 0) {
    return [];
  }
  const title = searchTitle(whose);
  const shown = trials.filter(({ isGiven }, index) => index < TRIALS_SHOWN || isGiven);
  const [head = '', ...lines] = alignedRows(trialTable(title, shown)).map((cells) =>
    cells.join('  ').trimEnd(),
  );
  return [
    [
      style('bold', `${title} (${shown.length} of ${trials.length})`),
      `  ${style('bold', head)}`,
      ...lines.map((line) => `  ${line}`),
      adviceText(whose, trials),
    ].join('\n'),
  ];
}
