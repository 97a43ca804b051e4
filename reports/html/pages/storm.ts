import type { PolicyTrial, SimulationResult, StormOutcome } from '../../../contract/simulation-result.ts';
import {
  adviceText,
  capacityText,
  clientTable,
  outcomeRows,
  searchTitle,
  settingRows,
  servesWithinCapacity,
  stormHeadline,
  trialTable,
} from '../../model/storm.ts';
import { printableLine } from '../../model/words.ts';
import { renderPage } from '../page.ts';
import { aboutHtml, figureTableHtml, foldedHtml, NO_HTML, sectionHtml, tableHtml } from '../parts.ts';
import { html, type Html } from '../template.ts';

/** More policies than this are folded away. */
const TRIALS_OPEN = 8;

/**
 * The storm as one self-contained page.
 * @param measured what real clients did in its place, to be drawn beside it
 */
export async function renderStormHtml(result: SimulationResult, measured?: StormOutcome): Promise<string> {
  // They bring the chart library with them, which nothing else needs.
  const { stormPlots } = await import('../plots/storm-plots.ts');
  const { setting, holds, outcome, suite } = result;
  const isServed = servesWithinCapacity(result);
  const plots = stormPlots('storm', { setting, outcome, ...(measured === undefined ? {} : { measured }) });
  return renderPage({
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
    body: [
      html`<p>${capacityText(result)}</p>`,
      sectionHtml('What became of it', rowsHtml('What became of the storm', outcomeRows(result))),
      sectionHtml(
        'Over time',
        html`<h3 class="unseen">Plots</h3>
          ${plots}`,
      ),
      sectionHtml('By policy of the client', figureTableHtml(clientTable(result))),
      searchHtml('server', result.serverPolicies),
      searchHtml('client', result.clientPolicies),
      sectionHtml(
        'What was played',
        html`${rowsHtml('What was played', settingRows(setting))}
        ${setting.sources.map((text) => aboutHtml(printableLine(text)))}`,
      ),
    ],
  });
}

function rowsHtml(caption: string, rows: readonly (readonly [string, string])[]): Html {
  return tableHtml({ caption, columns: ['What', 'Value'], rows }, 'named');
}

function searchHtml(whose: 'server' | 'client', trials: readonly PolicyTrial[]): Html {
  if (trials.length === 0) {
    return NO_HTML;
  }
  const shown = trials.filter(({ isGiven }, index) => index < TRIALS_OPEN || isGiven);
  const folded = trials.filter((trial) => !shown.includes(trial));
  const title = searchTitle(whose);
  return sectionHtml(
    `${title} that were tried (${trials.length})`,
    html`${aboutHtml(adviceText(whose, trials))} ${figureTableHtml(trialTable(title, shown), 'tried')}
    ${foldedHtml(`${folded.length} more`, figureTableHtml(trialTable(`${title}, others`, folded), 'tried'))}`,
  );
}
