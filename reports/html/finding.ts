import type { Trail } from '../../contract/trail.ts';
import type { Finding } from '../../contract/verdict.ts';
import { proofRows, type TrailRow, trailRows } from '../model/trail.ts';
import { countText, printableBlock, printableLine } from '../model/words.ts';
import { exchangeHtml } from './exchange.ts';
import { copyableHtml, foldedHtml, NO_HTML } from './parts.ts';
import { html, type Html } from './template.ts';

/** Longest message shown, in characters. */
const MESSAGE_LIMIT = 2000;

/** Longest command line shown, in characters. */
const LINE_LIMIT = 8000;

/**
 * One finding: what was seen and, unfolded, what led there, the exchange as two HTTP messages, and the lines
 * that repeat it.
 * @param id such as `update-sets-1`; `null` if no file beside the page repeats it
 */
export function findingHtml(finding: Finding, isOpen = false, id: string | null = null): Html {
  const { message, exchange, curl, repeat } = finding;
  const said = printableBlock(message, MESSAGE_LIMIT);
  if (exchange === undefined && repeat === undefined && curl === undefined) {
    return html`<div class="finding"><p>${said}</p></div>`;
  }
  return html`<details class="finding" ${isOpen ? html`open` : NO_HTML}>
    <summary>${said}</summary>
    ${evidenceHtml(finding, said, id)}
  </details>`;
}

function evidenceHtml(finding: Finding, said: string, id: string | null): Html {
  const { exchange, curl, check, repeat, trail } = finding;
  const by = check === undefined ? '' : ` ${printableLine(check)}`;
  return html`${trail === undefined ? NO_HTML : labelled('What shows it', trailHtml(trail))}
  ${trail === undefined || id === null ? NO_HTML : repeatHtml(id)}
  ${exchange === undefined ? NO_HTML : exchangeHtml(exchange, said)}
  ${repeat === undefined ? NO_HTML : labelled(`Run the check${by} again`, lineHtml('the command', repeat))}
  ${curl === undefined ? NO_HTML : labelled('Send the request again', lineHtml('the curl line', curl))}`;
}

function labelled(label: string, body: Html): Html {
  return html`<p class="label">${label}</p>
    ${body}`;
}

function lineHtml(what: string, line: string): Html {
  return copyableHtml(what, printableBlock(line, LINE_LIMIT));
}

function repeatHtml(id: string): Html {
  return labelled(
    'Send it again',
    html`<p><a href="findings/${id}.sh">findings/${id}.sh</a></p>
      ${copyableHtml('the command', `npx stockcheck replay report.json ${id}`)}`,
  );
}

const MOST_ROWS = 12;
// So few are read at once.
const FEW_ROWS = 5;

/** What shows the violation as a small timeline, and folded all that was sent until then. */
function trailHtml(trail: Trail): Html {
  const all = trailRows(trail);
  const shown = proofRows(trail).slice(-MOST_ROWS);
  if (all.length <= Math.max(shown.length, FEW_ROWS)) {
    return html`<div class="trail">${rowsHtml(all)}</div>`;
  }
  const requests = all.reduce((sum, row) => sum + row.requests, 0);
  return html`<div class="trail">
    ${rowsHtml(shown)} ${foldedHtml(`All ${countText(requests, 'request')} that led there`, rowsHtml(all))}
  </div>`;
}

function rowsHtml(rows: readonly TrailRow[]): Html {
  return html`<ol>
    ${rows.map(
      ({ at, text, answers, isAtOnce }) =>
        html`<li>
          <time>${momentText(at)}</time>
          <span>
            <code>${text}</code>${isAtOnce ? html` <em>at once</em>` : NO_HTML}
            ${answers.map((answer) => html`<b class="${toneOf(answer.status)}">${answer.text}</b> `)}
          </span>
        </li>`,
    )}
  </ol>`;
}

/** The tone of an outcome in which a status is shown; none for errors that say nothing of limits. */
function toneOf(status: number | null): string {
  return status === null ? 'fail' : status < 300 ? 'pass' : status === 429 ? 'inconclusive' : 'other';
}

function momentText(milliseconds: number): string {
  return milliseconds < 10_000
    ? `+${(milliseconds / 1000).toFixed(2)} s`
    : `+${Math.round(milliseconds / 1000)} s`;
}
