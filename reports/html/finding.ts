import type { Finding } from '../../contract/verdict.ts';
import { stepText } from '../wording/finding-text.ts';
import { exchangeHtml } from './exchange.ts';
import { copyableHtml, NO_HTML } from './parts.ts';
import { html, type Html } from './template.ts';
import { printableBlock, printableLine } from '../wording/printable.ts';

/** Longest message shown, in characters. */
const MESSAGE_LIMIT = 2000;

/** Longest command line shown, in characters. */
const LINE_LIMIT = 8000;

/** Pages of more findings than this build what is folded in a finding when it is unfolded. */
const MANY_FINDINGS = 1_000;

/** How a finding is shown: unfolded, folded, or folded and built by the script of the page, if that runs. */
export type FindingFold = 'open' | 'closed' | 'deferred';

/** How the findings of a page are folded that has so many. */
export function foldFor(findings: number): FindingFold {
  return findings > MANY_FINDINGS ? 'deferred' : 'closed';
}

/**
 * One finding: what was seen and, unfolded, the steps that led there, the exchange as two HTTP messages, and the lines
 * that repeat it.
 */
export function findingHtml(finding: Finding, fold: FindingFold): Html {
  const { message, exchange, curl, repeat, steps = [] } = finding;
  const said = printableBlock(message, MESSAGE_LIMIT);
  if (exchange === undefined && repeat === undefined && curl === undefined && steps.length === 0) {
    return html`<div class="finding"><p>${said}</p></div>`;
  }
  const evidence = evidenceHtml(finding, said);
  return html`<details class="finding" ${fold === 'open' ? html`open` : NO_HTML}>
    <summary>${said}</summary>
    ${fold === 'deferred' ? html`<noscript>${evidence}</noscript>` : evidence}
  </details>`;
}

function evidenceHtml({ exchange, curl, check, repeat, steps = [] }: Finding, said: string): Html {
  const by = check === undefined ? '' : ` ${printableLine(check)}`;
  return html`${
    steps.length === 0
      ? NO_HTML
      : html`<p class="label">What led there</p>
          <ol class="steps">
            ${steps.map((step) => html`<li><code>${stepText(step)}</code></li>`)}
          </ol>`
  }
  ${exchange === undefined ? NO_HTML : exchangeHtml(exchange, said)}
  ${
    repeat === undefined
      ? NO_HTML
      : html`<p class="label">Run the check${by} again</p>
          ${copyableHtml('the command', printableBlock(repeat, LINE_LIMIT))}`
  }
  ${
    curl === undefined
      ? NO_HTML
      : html`<p class="label">Send the request again</p>
          ${copyableHtml('the curl line', printableBlock(curl, LINE_LIMIT))}`
  }`;
}
