import type { Trail } from '../../contract/trail.ts';
import { trailRows, type TrailRow } from '../wording/trail-text.ts';
import { countText } from '../wording/subject-text.ts';
import { NO_HTML } from './parts.ts';
import { html, type Html } from './template.ts';

const FIRST_ROWS = 4;
const LAST_ROWS = 8;

/** A trail as a small timeline, the oldest step first; what is in the middle of a long one is folded. */
export function trailHtml(trail: Trail): Html {
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
