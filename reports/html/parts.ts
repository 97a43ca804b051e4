import type { Outcome } from '../../contract/verdict.ts';
import { type NamedValues, plainText, type Table, type Words } from '../document/document.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
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

/** A value of more characters has a row of its own. */
const LONG = 100;

/** Values by name; nothing if there are none. */
export function factsHtml(facts: NamedValues, classes = ''): Html {
  return facts.length === 0
    ? NO_HTML
    : html`<dl class="facts ${classes}">
        ${facts.map(
          ([name, value]) =>
            html`<div class="${value.length > LONG ? 'long' : ''}">
              <dt>${printableLine(name)}</dt>
              <dd>${printableLine(value)}</dd>
            </div>`,
        )}
      </dl>`;
}

/** The words with their marks, safe to show. */
export function wordsHtml(words: Words): Html {
  if (typeof words !== 'object') {
    return html`${plainText(words)}`;
  }
  if ('length' in words) {
    return html`${words.map(wordsHtml)}`;
  }
  if ('outcome' in words) {
    return badgeHtml(words.outcome, printableLine(words.words));
  }
  if ('code' in words) {
    return codeHtml(words.code);
  }
  if ('muted' in words) {
    return html`<span class="muted">${wordsHtml(words.muted)}</span>`;
  }
  return 'name' in words
    ? html`<b>${wordsHtml(words.name)}</b>`
    : html`<a href="#${words.to}">${wordsHtml(words.words)}</a>`;
}

/** A table; numbers are aligned right. Nothing if it has no row. */
export function tableHtml({ caption, columns, rows, sums, found }: Table, classes: string): Html {
  if (rows.length === 0) {
    return NO_HTML;
  }
  const head = columns.map((column, index) => {
    const isNumber = typeof rows[0]?.[index] === 'number';
    return html`<th scope="col" class="${isNumber ? 'number' : 'text'}">${printableLine(column)}</th>`;
  });
  const body = rows.map((cells, index) => rowHtml(cells, found?.[index]));
  const grid = html`<table>
    <caption class="unseen">
      ${printableLine(caption)}
    </caption>
    <thead>
      <tr>
        ${head}
      </tr>
    </thead>
    <tbody>
      ${body}
    </tbody>
    ${
      sums === undefined
        ? NO_HTML
        : html`<tfoot>
            ${rowHtml(sums)}
          </tfoot>`
    }
  </table>`;
  // A large one, whose head and first column stay in sight.
  return found === undefined
    ? html`<div class="card ${classes}">${grid}</div>`
    : html`<div
        class="card scroll reports"
        tabindex="0"
        role="region"
        aria-label="${printableLine(caption)}, table"
      >
        ${grid}
      </div>`;
}

/** @param found what the row is filtered by, if it is */
function rowHtml(cells: readonly Words[], found?: string): Html {
  const parts = cells.map((cell, index) =>
    index === 0
      ? html`<th scope="row">${wordsHtml(cell)}</th>`
      : html`<td class="${typeof cell === 'number' ? 'number' : 'text'}">${wordsHtml(cell)}</td>`,
  );
  return html`<tr class="${found === undefined ? '' : `entry ${found}`}">
    ${parts}
  </tr>`;
}
