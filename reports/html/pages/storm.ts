import type { PolicyTrial, SimulationResult, StormOutcome } from '../../../contract/simulation-result.ts';
import { figure, percentText } from '../../model/load.ts';
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
} from '../../model/storm.ts';
import { printableLine } from '../../model/words.ts';
import { renderPage } from '../page.ts';
import { badgeHtml, NO_HTML, sectionHtml, tableHtml } from '../parts.ts';
import { LOAD_STYLE } from '../style/load.ts';
import { STYLE } from '../style/page.ts';
import { STORM_STYLE } from '../style/storm.ts';
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
  return renderPage({
    title: 'A storm of clients – stockcheck',
    style: html`${STYLE} ${LOAD_STYLE} ${STORM_STYLE}`,
    banner: {
      outcome: holds ? 'pass' : 'inconclusive',
      sign: holds ? '✓' : '!',
      about: 'simulation · Petstore Inventory Service',
      verdict: holds ? 'Within the capacity' : 'Beyond the capacity',
      scope: stormHeadline(result),
      facts: [
        ['Clients', `${setting.clients}`],
        ['Seed', `${setting.seed}`],
        ['Suite', suite.version],
      ],
    },
    body: html`<main class="wrap" id="main">
      <p>${capacityText(result)}</p>
      ${sectionHtml('What became of it', rowsHtml('What became of the storm', outcomeRows(result)))}
      ${sectionHtml(
        'Over time',
        html`<h3 class="unseen">Plots</h3>
          ${stormPlots('storm', { setting, outcome, ...(measured === undefined ? {} : { measured }) })}`,
      )}
      ${clientsHtml(result)} ${searchHtml('server', result.serverPolicies)}
      ${searchHtml('client', result.clientPolicies)}
      ${sectionHtml(
        'What was played',
        html`${rowsHtml('What was played', settingRows(setting))}
        ${setting.sources.map((text) => html`<p class="about">${printableLine(text)}</p>`)}`,
      )}
    </main>`,
  });
}

function rowsHtml(caption: string, rows: readonly (readonly [string, string])[]): Html {
  return html`<div class="named">${tableHtml(caption, ['What', 'Value'], rows)}</div>`;
}

function clientsHtml({ outcome }: SimulationResult): Html {
  const rows = outcome.clients.map(
    ({ policy, clients, served, banned, gaveUp, requestsPerClient, medianServedSeconds }) => {
      const share = (count: number): string => percentText(clients === 0 ? 0 : count / clients);
      return [
        policyText(policy),
        clients,
        share(served),
        secondsText(medianServedSeconds),
        figure(requestsPerClient.mean),
        share(banned),
        share(gaveUp),
      ];
    },
  );
  const columns = ['Policy', 'Clients', 'Served', 'Half after', 'Requests each', 'Banned', 'Gave up'];
  return sectionHtml(
    'By policy of the client',
    html`<div class="figures">${tableHtml('Clients by policy', columns, rows)}</div>`,
  );
}

function searchHtml(whose: 'server' | 'client', trials: readonly PolicyTrial[]): Html {
  if (trials.length === 0) {
    return NO_HTML;
  }
  const shown = trials.filter(({ isGiven }, index) => index < TRIALS_OPEN || isGiven);
  const folded = trials.filter((trial) => !shown.includes(trial));
  const title = whose === 'server' ? 'Policies of the server' : 'Policies of the client';
  return sectionHtml(
    `${title} that were tried (${trials.length})`,
    html`<p class="about">${adviceText(whose, trials)}</p>
      <div class="figures tried">
        ${tableHtml(title, TRIAL_COLUMNS, shown.map(trialRow))}
        ${
          folded.length === 0
            ? NO_HTML
            : html`<details>
                <summary>${folded.length} more</summary>
                ${tableHtml(`${title}, others`, TRIAL_COLUMNS, folded.map(trialRow))}
              </details>`
        }
      </div>`,
  );
}

function trialRow(trial: PolicyTrial): readonly (string | Html)[] {
  const [policy = '', , ...others] = trialCells(trial);
  return [policy, trial.holds ? badgeHtml('pass', 'within') : badgeHtml('inconclusive', 'beyond'), ...others];
}
