import type { PolicyTrial, SimulationResult } from '../../contract/simulation-result.ts';
import { figure, percentText } from '../model/load.ts';
import {
  adviceText,
  capacityText,
  outcomeRows,
  policyText,
  secondsText,
  settingRows,
  stormHeadline,
  TRIAL_COLUMNS,
  trialCells,
} from '../model/storm.ts';
import { printableLine } from '../model/words.ts';
import { type Style, styleFor } from './style.ts';

const BARS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const MOST_BARS = 60;
const TRIALS_SHOWN = 5;

/** The storm for a terminal: what was played, what became of it, and the best policies of a search. */
export function renderStorm(result: SimulationResult, color: boolean): string {
  const style = styleFor(color);
  const { setting, outcome, holds } = result;
  const parts = [
    rowsText(settingRows(setting), style),
    ...(setting.sources.length === 0 ? [] : [setting.sources.map((text) => printableLine(text)).join('\n')]),
    `${style(holds ? 'green' : 'yellow', `${holds ? '✓' : '!'} ${stormHeadline(result)}`)}\n${capacityText(result)}`,
    rowsText([...outcomeRows(result), ['Goodput over time', goodputText(result)]], style),
    ...(outcome.clients.length > 1 ? [clientsText(result, style)] : []),
    ...searchText('server', result.serverPolicies, style),
    ...searchText('client', result.clientPolicies, style),
  ];
  return `${parts.join('\n\n')}\n`;
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

function clientsText({ outcome }: SimulationResult, style: Style): string {
  const lines = outcome.clients.map(
    ({ policy, clients, served, banned, gaveUp, requestsPerClient, medianServedSeconds }) => {
      const share = (count: number): string => percentText(clients === 0 ? 0 : count / clients);
      return [
        `  ${policyText(policy.replace(/:\s.*$/s, ''))}: ${share(served)} of ${clients} served`,
        `half after ${secondsText(medianServedSeconds)}`,
        `${figure(requestsPerClient.mean)} requests each`,
        `${share(banned)} banned`,
        `${share(gaveUp)} gave up`,
      ].join(', ');
    },
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
  const shown = trials.filter(({ isGiven }, index) => index < TRIALS_SHOWN || isGiven);
  const rows = [[...TRIAL_COLUMNS], ...shown.map(trialCells)];
  const widths = TRIAL_COLUMNS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row, index) => {
    const line = row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
    return `  ${index === 0 ? style('bold', line) : line}`;
  });
  const title = whose === 'server' ? 'Policies of the server' : 'Policies of the client';
  return [
    [
      style('bold', `${title} (${shown.length} of ${trials.length})`),
      ...lines,
      adviceText(whose, trials),
    ].join('\n'),
  ];
}
