import { observationText } from '../../model/observations.ts';
import type { MatrixRow, NamedReport, ReportMatrix } from '../../model/report-matrix.ts';
import type { ReportedRequirement } from '../../model/report.ts';
import { groupByReason, OUTCOME_SIGN, VERDICT_OUTCOME, verdictSign } from '../../model/requirement-groups.ts';
import { countText, printableLine } from '../../model/words.ts';
import { choiceHtml } from '../choice.ts';
import { type FindingFold, findingHtml, foldFor } from '../finding.ts';
import { dateText, renderPage } from '../page.ts';
import { anchor, NO_HTML, sectionHtml } from '../parts.ts';
import { COMPARISON_STYLE } from '../style/comparison.ts';
import { STYLE } from '../style/page.ts';
import { html, type Html } from '../template.ts';

/** The matrix as one self-contained page; each cell that did not pass leads to what was seen, or to the reason. */
export function renderMatrixHtml(matrix: ReportMatrix, reports: readonly NamedReport[]): string {
  const differing = matrix.requirements.filter(({ differs }) => differs);
  const alike = matrix.requirements.filter(({ differs }) => !differs);
  return renderPage({
    title: `${countText(matrix.reports.length, 'report')} compared – stockcheck`,
    style: html`${STYLE} ${COMPARISON_STYLE}`,
    banner: {
      outcome: differing.length === 0 ? 'pass' : 'observed',
      sign: differing.length === 0 ? '=' : '≠',
      about: 'comparison · Petstore Inventory Service',
      verdict: `${countText(matrix.reports.length, 'report')} side by side`,
      scope: `${countText(differing.length, 'requirement')} and ${countText(matrix.observations.length, 'silence')} differ`,
      facts: [],
    },
    body: html`<main class="wrap" id="main">
      ${reportsHtml(matrix)} ${choiceHtml({ of: 'row', by: ['level'], hasFindings: true })}
      ${matrixHtml('Requirements that differ', differing, matrix)} ${silencesHtml(matrix)}
      ${matrixHtml('Requirements that are alike', alike, matrix)} ${findingsHtml(reports)}
    </main>`,
  });
}

function reportsHtml({ reports }: ReportMatrix): Html {
  const rows = reports.map(
    ({ name, verdict, scope, subject, startedAt, version }) =>
      html`<tr>
        <th scope="row">${printableLine(name)}</th>
        <td class="verdict-cell ${VERDICT_OUTCOME[verdict]}">
          <b>${verdictSign(verdict)}</b> ${printableLine(scope)}
        </td>
        <td>${printableLine(subject)}</td>
        <td class="made">${dateText(printableLine(startedAt))}<br />stockcheck ${printableLine(version)}</td>
      </tr>`,
  );
  return sectionHtml('Reports', tableOf('Reports', ['Report', 'Verdict', 'Of', 'Made'], rows));
}

function matrixHtml(title: string, rows: readonly MatrixRow[], { reports }: ReportMatrix): Html {
  if (rows.length === 0) {
    return NO_HTML;
  }
  const lines = rows.map(
    (row) =>
      html`<tr class="entry ${row.level}">
        <th scope="row">
          <code>${printableLine(row.id)}</code> <span class="level">${row.level}</span>
          <span class="statement">${printableLine(row.title)}</span>
        </th>
        ${row.cells.map((_cell, index) => cellHtml(row, index))}
      </tr>`,
  );
  const columns = ['Requirement', ...reports.map(({ name }) => printableLine(name))];
  return html`<div class="rows">
    ${sectionHtml(`${title} (${rows.length})`, tableOf(title, columns, lines))}
  </div>`;
}

function cellHtml({ id, cells }: MatrixRow, index: number): Html {
  const cell = cells[index] ?? null;
  if (cell === null) {
    return html`<td class="cell muted">not in it</td>`;
  }
  const { outcome, message } = cell;
  const text = html`${OUTCOME_SIGN[outcome]} ${outcome}`;
  return html`<td class="cell ${outcome}" title="${printableLine(message ?? '', 300)}">
    ${outcome === 'pass' ? text : html`<a href="#${findingAnchor(index, id)}">${text}</a>`}
  </td>`;
}

function silencesHtml({ observations, reports }: ReportMatrix): Html {
  if (observations.length === 0) {
    return NO_HTML;
  }
  const rows = observations.map(
    ({ name, values }) =>
      html`<tr class="entry observe">
        <th scope="row"><code>${printableLine(name)}</code></th>
        ${values.map((value) =>
          value === null
            ? html`<td class="muted">not observed</td>`
            : html`<td>${printableLine(observationText(value), 300)}</td>`,
        )}
      </tr>`,
  );
  const columns = ['Left open', ...reports.map(({ name }) => printableLine(name))];
  return html`<div class="rows">
    ${sectionHtml(
      `Silences that differ (${observations.length})`,
      tableOf('Silences that differ', columns, rows),
    )}
  </div>`;
}

function findingsHtml(reports: readonly NamedReport[]): Html {
  const count = reports.reduce(
    (sum, { report }) => report.requirements.reduce((all, { findings }) => all + findings.length, sum),
    0,
  );
  const parts = reports.map(({ name, report }, index) => {
    const judged = report.requirements.filter(({ level }) => level !== 'observe');
    const open = judged.filter(({ outcome }) => outcome === 'fail' || outcome === 'inconclusive');
    const skipped = judged.filter(({ outcome }) => outcome === 'skipped');
    return open.length + skipped.length === 0
      ? NO_HTML
      : sectionHtml(
          `What ${printableLine(name)} showed (${open.length})`,
          html`${open.map((row) => requirementHtml(row, index, foldFor(count)))}
          ${skippedHtml(skipped, index)}`,
        );
  });
  return html`${parts}`;
}

function requirementHtml(
  { id, outcome, title, reason, findings }: ReportedRequirement,
  index: number,
  fold: FindingFold,
): Html {
  return html`<article class="card shown ${outcome}" id="${findingAnchor(index, id)}">
    <h3><span class="badge">${OUTCOME_SIGN[outcome]} ${outcome}</span> <code>${printableLine(id)}</code></h3>
    <p>${printableLine(title)}</p>
    ${reason === undefined ? NO_HTML : html`<p class="muted">Why: ${printableLine(reason)}</p>`}
    ${findings.map((finding) => findingHtml(finding, fold))}
  </article>`;
}

function skippedHtml(skipped: readonly ReportedRequirement[], index: number): Html {
  if (skipped.length === 0) {
    return NO_HTML;
  }
  const reasons = groupByReason(skipped).map(
    ([reason, group]) =>
      html`<li>
        <p>${printableLine(reason)}</p>
        ${group.map(({ id }) => html`<code id="${findingAnchor(index, id)}">${printableLine(id)}</code> `)}
      </li>`,
  );
  return html`<details class="card shown skipped">
    <summary>${countText(skipped.length, 'requirement')} skipped, and why</summary>
    <ul>
      ${reasons}
    </ul>
  </details>`;
}

function findingAnchor(index: number, id: string): string {
  return anchor(`finding-${index}`, id);
}

function tableOf(caption: string, columns: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="card scroll" tabindex="0" role="region" aria-label="${caption}, table">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
