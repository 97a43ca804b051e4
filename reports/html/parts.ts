import { html, type Html } from './template.ts';

export const NO_HTML: Html = html``;

type Cell = string | number | Html;

export function sectionHtml(title: string, body: Html): Html {
  return html`<section>
    <h2>${title}</h2>
    ${body}
  </section>`;
}

/** A table whose first column names the row; numbers stand to the right. `sums` is a last row. */
export function tableHtml(
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
