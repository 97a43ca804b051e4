import type { Trail } from '../../contract/trail.ts';
import type { Finding } from '../../contract/verdict.ts';
import { stepText } from '../model/findings.ts';
import { type TrailRow, trailRows } from '../model/trail.ts';
import { countText, printableBlock, printableLine } from '../model/words.ts';
import { exchangeHtml } from './exchange.ts';
import { copyableHtml, NO_HTML } from './parts.ts';
import { html, type Html } from './template.ts';

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
 * @param id such as `update-sets-1`; `null` if no file beside the page repeats it
 */
export function findingHtml(finding: Finding, fold: FindingFold, id: string | null = null): Html {
  const { message, exchange, curl, repeat, steps = [] } = finding;
  const said = printableBlock(message, MESSAGE_LIMIT);
  if (exchange === undefined && repeat === undefined && curl === undefined && steps.length === 0) {
    return html`<div class="finding"><p>${said}</p></div>`;
  }
  const evidence = evidenceHtml(finding, said, id);
  return html`<details class="finding" ${fold === 'open' ? html`open` : NO_HTML}>
    <summary>${said}</summary>
    ${fold === 'deferred' ? html`<noscript>${evidence}</noscript>` : evidence}
  </details>`;
}

function evidenceHtml(finding: Finding, said: string, id: string | null): Html {
  const { exchange, curl, check, repeat, trail, steps = [] } = finding;
  const by = check === undefined ? '' : ` ${printableLine(check)}`;
  return html`${
    trail === undefined
      ? NO_HTML
      : html`<p class="label">What led there</p>
          ${trailHtml(trail)} ${id === null ? NO_HTML : repeatHtml(id)}`
  }
  ${
    steps.length === 0 || trail !== undefined
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
    curl === undefined || trail !== undefined
      ? NO_HTML
      : html`<p class="label">Send the request again</p>
          ${copyableHtml('the curl line', printableBlock(curl, LINE_LIMIT))}`
  }`;
}

function repeatHtml(id: string): Html {
  return html`<p class="label">Send it again</p>
    <p><a href="findings/${id}.sh">findings/${id}.sh</a> with curl</p>
    ${copyableHtml('the command', `npx stockcheck replay report.json ${id}`)}`;
}

const FIRST_ROWS = 4;
const LAST_ROWS = 8;

/** A trail as a small timeline, the oldest step first; what is in the middle of a long one is folded. */
function trailHtml(trail: Trail): Html {
  const rows = trailRows(trail);
  const isLong = rows.length > FIRST_ROWS + LAST_ROWS + 2;
  const middle = isLong ? rows.slice(FIRST_ROWS, -LAST_ROWS) : [];
  const requests = middle.reduce((sum, row) => sum + row.requests, 0);
  return html`<div class="trail">
    ${rowsHtml(isLong ? rows.slice(0, FIRST_ROWS) : rows)}
    ${
      isLong
        ? html`<details>
              <summary>
                ${countText(middle.length, 'more step')} with ${countText(requests, 'request')}
              </summary>
              ${rowsHtml(middle)}
            </details>
            ${rowsHtml(rows.slice(-LAST_ROWS))}`
        : NO_HTML
    }
  </div>`;
}

function rowsHtml(rows: readonly TrailRow[]): Html {
  return html`<ol>
    ${rows.map(
      ({ at, kind, text, answers, isAtOnce, number, requests }) =>
        html`<li class="${kind} ${isAtOnce ? 'at-once' : ''}">
          <time>${momentText(at)}</time>
          <i>${number === 0 ? '' : requests === 1 ? `${number}` : `${number}–${number + requests - 1}`}</i>
          <span>
            <code>${text}</code>${isAtOnce ? html` <em>at once</em>` : NO_HTML}
            ${answers.map((answer) => html`<b class="${classOf(answer.status)}">${answer.text}</b> `)}
          </span>
        </li>`,
    )}
  </ol>`;
}

function classOf(status: number | null): string {
  return status === null ? 'lost' : status < 300 ? 'granted' : status === 429 ? 'refused' : 'other';
}

function momentText(milliseconds: number): string {
  return milliseconds < 10_000
    ? `+${(milliseconds / 1000).toFixed(2)} s`
    : `+${Math.round(milliseconds / 1000)} s`;
}
