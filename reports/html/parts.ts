import type { Outcome } from '../../contract/verdict.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { html, type Html } from './template.ts';

export const NO_HTML: Html = html``;

type Cell = string | number | Html;

/** The id of an element of that kind in a page. */
export function anchor(kind: string, id: string): string {
  return `${kind}-${id.replace(/[^\w-]/g, '_')}`;
}

/** An outcome with its sign and its colour. @param words in place of its name */
export function badgeHtml(outcome: Outcome, words: string = outcome): Html {
  return html`<span class="badge ${outcome}">${OUTCOME_SIGN[outcome]} ${words}</span>`;
}

/** Text that the reader may want elsewhere; the script of the page adds a button. @param what after "Copy" */
export function copyableHtml(what: string, text: string | Html): Html {
  return html`<div class="copyable" data-copy="${what}"><pre>${text}</pre></div>`;
}

/** Says how many rows are not shown; nothing if all are. */
export function moreHtml(hidden: number): Html {
  return hidden > 0 ? html`<p class="about">and ${hidden} more in report.json</p>` : NO_HTML;
}

export function sectionHtml(title: string, body: Html): Html {
  return html`<section>
    <h2>${title}</h2>
    ${body}
  </section>`;
}

/**
 * A table whose first column names the row; numbers are aligned right. `sums` is the last row. The caption is for who
 * cannot see what stands around it.
 */
export function tableHtml(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  sums?: readonly Cell[],
): Html {
  const numeric = columns.map((_, index) => typeof rows[0]?.[index] === 'number');
  const head = columns.map(
    (column, index) =>
      html`<th scope="col" class="${numeric[index] === true ? 'number' : 'text'}">${column}</th>`,
  );
  const foot =
    sums === undefined
      ? NO_HTML
      : html`<tfoot>
          ${rowHtml(sums)}
        </tfoot>`;
  return html`<div class="card">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${rows.map(rowHtml)}
      </tbody>
      ${foot}
    </table>
  </div>`;
}

function rowHtml(cells: readonly Cell[]): Html {
  const parts = cells.map((cell, index) => {
    if (index === 0) {
      return html`<th scope="row">${cell}</th>`;
    }
    return html`<td class="${typeof cell === 'number' ? 'number' : 'text'}">${cell}</td>`;
  });
  return html`<tr>
    ${parts}
  </tr>`;
}
