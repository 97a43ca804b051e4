import { findingHtml } from '../html/finding.ts';
import { renderPage } from '../html/page.ts';
import { anchor, NO_HTML, sectionHtml } from '../html/parts.ts';
import { STYLE } from '../html/style/page.ts';
import { html, type Html } from '../html/template.ts';
import type { MatrixRow, NamedReport, ReportMatrix } from '../model/report-matrix.ts';
import type { ReportedRequirement } from '../model/report.ts';
import { observationText } from '../wording/observation-text.ts';
import { OUTCOME_SIGN, verdictSign } from '../wording/outcome-signs.ts';
import { printableLine } from '../wording/printable.ts';
import { countText } from '../wording/subject-text.ts';
import { COMPARISON_STYLE } from './style.ts';

/** The matrix as one self-contained page; each cell that did not pass leads to what was seen. */
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
    body: html`<main class="wrap">
      ${reportsHtml(matrix)} ${matrixHtml('Requirements that differ', differing, matrix)}
      ${silencesHtml(matrix)} ${matrixHtml('Requirements that are alike', alike, matrix)}
      ${findingsHtml(reports)}
    </main>`,
  });
}

function reportsHtml({ reports }: ReportMatrix): Html {
  const rows = reports.map(
    ({ name, verdict, scope, subject, startedAt, version }) =>
      html`<tr>
        <th scope="row">${printableLine(name)}</th>
        <td>${verdictSign(verdict)} ${printableLine(scope)}</td>
        <td>${printableLine(subject)}</td>
        <td>${printableLine(startedAt)}, stockcheck ${printableLine(version)}</td>
      </tr>`,
  );
  return sectionHtml('Reports', tableOf(['Report', 'Verdict', 'Of', 'Made'], rows));
}

function matrixHtml(title: string, rows: readonly MatrixRow[], { reports }: ReportMatrix): Html {
  if (rows.length === 0) {
    return NO_HTML;
  }
  const lines = rows.map(
    (row) =>
      html`<tr>
        <th scope="row" title="${printableLine(row.title)}">
          <code>${printableLine(row.id)}</code> <span class="level">${row.level}</span>
        </th>
        ${row.cells.map((_cell, index) => cellHtml(row, index))}
      </tr>`,
  );
  const columns = ['Requirement', ...reports.map(({ name }) => printableLine(name))];
  return sectionHtml(`${title} (${rows.length})`, tableOf(columns, lines));
}

function cellHtml({ id, cells }: MatrixRow, index: number): Html {
  const cell = cells[index] ?? null;
  if (cell === null) {
    return html`<td class="muted">–</td>`;
  }
  const { outcome, message } = cell;
  const text = html`${OUTCOME_SIGN[outcome]} ${outcome}`;
  const hasFinding = outcome === 'fail' || outcome === 'inconclusive';
  return html`<td class="cell ${outcome}" title="${printableLine(message ?? '', 300)}">
    ${hasFinding ? html`<a href="#${findingAnchor(index, id)}">${text}</a>` : text}
  </td>`;
}

function silencesHtml({ observations, reports }: ReportMatrix): Html {
  if (observations.length === 0) {
    return NO_HTML;
  }
  const rows = observations.map(
    ({ name, values }) =>
      html`<tr>
        <th scope="row"><code>${printableLine(name)}</code></th>
        ${values.map((value) =>
          value === null
            ? html`<td class="muted">–</td>`
            : html`<td>${printableLine(observationText(value), 300)}</td>`,
        )}
      </tr>`,
  );
  const columns = ['Left open', ...reports.map(({ name }) => printableLine(name))];
  return sectionHtml(`Silences that differ (${observations.length})`, tableOf(columns, rows));
}

function findingsHtml(reports: readonly NamedReport[]): Html {
  const parts = reports.map(({ name, report }, index) => {
    const open = report.requirements.filter(
      ({ level, outcome }) => level !== 'observe' && (outcome === 'fail' || outcome === 'inconclusive'),
    );
    return open.length === 0
      ? NO_HTML
      : sectionHtml(
          `What ${printableLine(name)} showed (${open.length})`,
          html`${open.map((row) => requirementHtml(row, index))}`,
        );
  });
  return html`${parts}`;
}

function requirementHtml({ id, outcome, title, reason, findings }: ReportedRequirement, index: number): Html {
  return html`<article class="card shown ${outcome}" id="${findingAnchor(index, id)}">
    <p><span class="badge">${OUTCOME_SIGN[outcome]} ${outcome}</span> <code>${printableLine(id)}</code></p>
    <p>${printableLine(title)}</p>
    ${reason === undefined ? NO_HTML : html`<p class="about">Why: ${printableLine(reason)}</p>`}
    ${findings.slice(0, 1).map(findingHtml)}
  </article>`;
}

function findingAnchor(index: number, id: string): string {
  return anchor(`finding-${index}`, id);
}

function tableOf(columns: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="card scroll" tabindex="0" role="region" aria-label="${columns[0] ?? ''}">
    <table>
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
