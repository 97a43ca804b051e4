import type { PolicyTrial, SimulationResult, StormOutcome } from '../../contract/simulation-result.ts';
import { stormFigures } from '../html/plots/storm-plots.ts';
import { figure } from '../model/load.ts';
import {
  adviceText,
  capacityText,
  clientTable,
  outcomeRows,
  searchTitle,
  secondsText,
  servesWithinCapacity,
  settingRows,
  stormHeadline,
  trialTable,
} from '../model/storm.ts';
import * as doc from './document.ts';
import { figures } from './figures.ts';

/** @param measured what real clients did in its place, to be drawn beside it */
export function stormDocument(result: SimulationResult, measured?: StormOutcome): doc.Document {
  const { setting, holds, outcome, suite } = result;
  const isServed = servesWithinCapacity(result);
  const storm = { setting, outcome, ...(measured === undefined ? {} : { measured }) };
  return {
    title: 'A storm of clients',
    outcome: isServed ? 'pass' : 'inconclusive',
    sign: isServed ? '✓' : '!',
    about: 'simulation · Petstore Inventory Service',
    verdict: holds ? 'Within the capacity' : 'Beyond the capacity',
    scope: stormHeadline(result),
    facts: [
      ['Clients', `${setting.clients}`],
      ['Seed', `${setting.seed}`],
      ['Suite', suite.version],
    ],
    blocks: [
      doc.line(capacityText(result)),
      doc.section(
        'What became of it',
        doc.onPage(doc.facts(outcomeRows(result), 'What became of the storm')),
        doc.onTerminal(doc.facts([...outcomeRows(result), ['Goodput over time', goodputText(result)]])),
        doc.section('Over time', figures('storm', stormFigures(storm))),
      ),
      ...(outcome.clients.length > 1
        ? [doc.section('By policy of the client', doc.table(clientTable(result)))]
        : []),
      searchSection('server', result.serverPolicies),
      searchSection('client', result.clientPolicies),
      doc.section(
        'What was played',
        doc.facts(settingRows(setting), 'What was played'),
        ...setting.sources.map((source) => doc.line(source, 'about')),
      ),
    ],
  };
}

/** More policies than this are folded away. */
const TRIALS_SHOWN = 5;

function searchSection(whose: 'server' | 'client', trials: readonly PolicyTrial[]): doc.DocumentBlock {
  const title = searchTitle(whose);
  const shown = trials.filter(({ isGiven }, index) => index < TRIALS_SHOWN || isGiven);
  const others = trials.filter((trial) => !shown.includes(trial));
  return doc.section(
    `${title} (${shown.length} of ${trials.length})`,
    doc.table(trialTable(title, shown), 'figures tried'),
    doc.line(adviceText(whose, trials), 'about'),
    doc.unlessTerminal(
      doc.folded(`${others.length} more`, [
        doc.table(trialTable(`${title}, others`, others), 'figures tried'),
      ]),
    ),
  );
}

const BARS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const MOST_BARS = 60;

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
