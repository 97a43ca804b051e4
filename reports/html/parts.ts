import type { Outcome } from '../../contract/verdict.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import type { Cell, Table } from '../model/table.ts';
import { printableLine } from '../model/words.ts';
import { html, type Html } from './template.ts';

export const NO_HTML: Html = html``;

/** The id of an element of that kind in a page. */
export function anchor(kind: string, id: string): string {
  return `${kind}-${id.replace(/[^\w-]/g, '_')}`;
}

/** What others may have named, safe to show. */
export function codeHtml(text: string): Html {
  return html`<code>${printableLine(text)}</code>`;
}

/** An outcome with its sign and its colour. @param words in place of its name */
export function badgeHtml(outcome: Outcome, words: string = outcome): Html {
  return html`<span class="badge ${outcome}">${OUTCOME_SIGN[outcome]} ${words}</span>`;
}

/** A line about what stands beside it; nothing if there is nothing to say. */
export function aboutHtml(text: string | Html | undefined): Html {
  return text === undefined || text === '' ? NO_HTML : html`<p class="about">${text}</p>`;
}

/** Text that the reader may want elsewhere; the script of the page adds a button. @param what after "Copy" */
export function copyableHtml(what: string, text: string): Html {
  return html`<div class="copyable" data-copy="${what}"><pre>${text}</pre></div>`;
}

/** Says how many rows are not shown; nothing if all are. */
export function moreHtml(hidden: number): Html {
  return aboutHtml(hidden > 0 ? `and ${hidden} more in report.json` : undefined);
}

/** What stands under a title; nothing if there is nothing. */
export function sectionHtml(title: string, body: Html): Html {
  return body === NO_HTML
    ? NO_HTML
    : html`<section>
        <h2>${title}</h2>
        ${body}
      </section>`;
}

/** What is folded behind a line; nothing if there is nothing. */
export function foldedHtml(summary: string | Html, body: Html, classes = 'rest'): Html {
  return body === NO_HTML
    ? NO_HTML
    : html`<details class="${classes}">
        <summary>${summary}</summary>
        ${body}
      </details>`;
}

/** A list of lines, safe to show; nothing if there are none. */
export function listHtml(lines: readonly (string | Html)[], classes = 'lines'): Html {
  return lines.length === 0
    ? NO_HTML
    : html`<ul class="${classes}">
        ${lines.map((line) => html`<li>${typeof line === 'string' ? printableLine(line) : line}</li>`)}
      </ul>`;
}

/** Values by name; nothing if there are none. */
export function factsHtml(facts: readonly (readonly [name: string, value: string])[], classes = ''): Html {
  return facts.length === 0
    ? NO_HTML
    : html`<dl class="facts ${classes}">
        ${facts.map(
          ([name, value]) =>
            html`<div>
              <dt>${printableLine(name)}</dt>
              <dd>${printableLine(value)}</dd>
            </div>`,
        )}
      </dl>`;
}

type HtmlCell = Cell | Html;

/** A table whose cells may be markup, too. */
export interface HtmlTable extends Omit<Table, 'rows' | 'sums'> {
  readonly rows: readonly (readonly HtmlCell[])[];
  readonly sums?: readonly HtmlCell[];
}

/**
 * A table whose first column names the row; numbers are aligned right. Nothing if it has no row. The caption is for who
 * cannot see what stands around it.
 */
export function tableHtml({ caption, columns, rows, sums }: HtmlTable, classes = ''): Html {
  if (rows.length === 0) {
    return NO_HTML;
  }
  const head = columns.map((column, index) => {
    const isNumber = typeof rows[0]?.[index] === 'number';
    return html`<th scope="col" class="${isNumber ? 'number' : 'text'}">${printableLine(column)}</th>`;
  });
  return html`<div class="card ${classes}">
    <table>
      <caption class="unseen">
        ${printableLine(caption)}
      </caption>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${rows.map(rowHtml)}
      </tbody>
      ${
        sums === undefined
          ? NO_HTML
          : html`<tfoot>
              ${rowHtml(sums)}
            </tfoot>`
      }
    </table>
  </div>`;
}

/** A table of figures, which stay in one line each. */
export function figureTableHtml(table: HtmlTable, classes = ''): Html {
  return tableHtml(table, `figures ${classes}`);
}

function rowHtml(cells: readonly HtmlCell[]): Html {
  const parts = cells.map((cell, index) => {
    const shown = cellHtml(cell);
    return index === 0
      ? html`<th scope="row">${shown}</th>`
      : html`<td class="${typeof cell === 'number' ? 'number' : 'text'}">${shown}</td>`;
  });
  return html`<tr>
    ${parts}
  </tr>`;
}

function cellHtml(cell: HtmlCell): string | number | Html {
  if (typeof cell === 'string') {
    return printableLine(cell);
  }
  if (typeof cell === 'number') {
    return cell;
  }
  return 'outcome' in cell
    ? badgeHtml(cell.outcome, cell.words)
    : 'code' in cell
      ? codeHtml(cell.code)
      : cell;
}

/** A wide table whose head and first column stay in sight. @param head its rows, as `rows` */
export function scrollTableHtml(caption: string, head: Html, rows: readonly Html[], classes: string): Html {
  return html`<div class="${classes} scroll" tabindex="0" role="region" aria-label="${caption}, table">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        ${head}
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
