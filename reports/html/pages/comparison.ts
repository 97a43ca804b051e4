import { observationText } from '../../model/observations.ts';
import type { MatrixRow, NamedReport, ReportMatrix } from '../../model/report-matrix.ts';
import type { ReportedRequirement } from '../../model/report.ts';
import { groupByReason, OUTCOME_SIGN, VERDICT_OUTCOME, verdictSign } from '../../model/requirement-groups.ts';
import { countText, printableLine } from '../../model/words.ts';
import { choiceHtml } from '../choice.ts';
import { findingHtml } from '../finding.ts';
import { dateText, renderPage } from '../page.ts';
import {
  aboutHtml,
  anchor,
  badgeHtml,
  codeHtml,
  foldedHtml,
  listHtml,
  NO_HTML,
  scrollTableHtml,
  sectionHtml,
} from '../parts.ts';
import { html, type Html } from '../template.ts';

/** The matrix as one self-contained page; each cell that did not pass leads to what was seen, or to the reason. */
export function renderMatrixHtml(matrix: ReportMatrix, reports: readonly NamedReport[]): string {
  const differing = matrix.requirements.filter(({ differs }) => differs);
  const alike = matrix.requirements.filter(({ differs }) => !differs);
  return renderPage({
    title: `${countText(matrix.reports.length, 'report')} compared`,
    outcome: differing.length === 0 ? 'pass' : 'observed',
    sign: differing.length === 0 ? '=' : '≠',
    about: 'comparison · Petstore Inventory Service',
    verdict: `${countText(matrix.reports.length, 'report')} side by side`,
    scope: `${countText(differing.length, 'requirement')} and ${countText(matrix.observations.length, 'silence')} differ`,
    facts: [],
    isWide: true,
    body: [
      reportsHtml(matrix),
      choiceHtml({ of: 'row', by: ['level'], hasFindings: true }),
      matrixHtml('Requirements that differ', 'Requirement', matrix, differing.map(requirementRow)),
      matrixHtml('Silences that differ', 'Left open', matrix, silenceRows(matrix)),
      matrixHtml('Requirements that are alike', 'Requirement', matrix, alike.map(requirementRow)),
      ...reports.map(findingsHtml),
    ],
  });
}

function reportsHtml({ reports }: ReportMatrix): Html {
  const rows = reports.map(
    ({ name, verdict, scope, subject, startedAt, version }) =>
      html`<tr>
        <th scope="row">${printableLine(name)}</th>
        <td>
          <b class="cell ${VERDICT_OUTCOME[verdict]}">${verdictSign(verdict)}</b> ${printableLine(scope)}
        </td>
        <td>${printableLine(subject)}</td>
        <td class="cell">${dateText(printableLine(startedAt))}<br />stockcheck ${printableLine(version)}</td>
      </tr>`,
  );
  const head = headHtml(['Report', 'Verdict', 'Of', 'Made']);
  return sectionHtml('Reports', scrollTableHtml('Reports', head, rows, 'card reports'));
}

/** A table with a column for each report. */
function matrixHtml(title: string, first: string, { reports }: ReportMatrix, rows: readonly Html[]): Html {
  const head = headHtml([first, ...reports.map(({ name }) => printableLine(name))]);
  return rows.length === 0
    ? NO_HTML
    : html`<div class="rows">
        ${sectionHtml(`${title} (${rows.length})`, scrollTableHtml(title, head, rows, 'card reports'))}
      </div>`;
}

function headHtml(columns: readonly string[]): Html {
  return html`<tr>
    ${columns.map((column) => html`<th scope="col">${column}</th>`)}
  </tr>`;
}

function requirementRow(row: MatrixRow): Html {
  return html`<tr class="entry ${row.level}">
    <th scope="row">
      ${codeHtml(row.id)} <span class="level">${row.level}</span>
      <span class="about">${printableLine(row.title)}</span>
    </th>
    ${row.cells.map((_cell, index) => cellHtml(row, index))}
  </tr>`;
}

function cellHtml({ id, cells }: MatrixRow, index: number): Html {
  const cell = cells[index] ?? null;
  if (cell === null) {
    return html`<td class="muted">not in it</td>`;
  }
  const { outcome, message } = cell;
  const text = html`${OUTCOME_SIGN[outcome]} ${outcome}`;
  return html`<td class="cell ${outcome}" title="${printableLine(message ?? '', 300)}">
    ${outcome === 'pass' ? text : html`<a href="#${findingAnchor(index, id)}">${text}</a>`}
  </td>`;
}

function silenceRows({ observations }: ReportMatrix): readonly Html[] {
  return observations.map(
    ({ name, values }) =>
      html`<tr class="entry observe">
        <th scope="row">${codeHtml(name)}</th>
        ${values.map((value) =>
          value === null
            ? html`<td class="muted">not observed</td>`
            : html`<td>${printableLine(observationText(value), 300)}</td>`,
        )}
      </tr>`,
  );
}

/** What one report showed, and what it skipped. */
function findingsHtml({ name, report }: NamedReport, index: number): Html {
  const judged = report.requirements.filter(({ level }) => level !== 'observe');
  const open = judged.filter(({ outcome }) => outcome === 'fail' || outcome === 'inconclusive');
  const skipped = judged.filter(({ outcome }) => outcome === 'skipped');
  return open.length + skipped.length === 0
    ? NO_HTML
    : sectionHtml(
        `What ${printableLine(name)} showed (${open.length})`,
        html`${open.map((row) => requirementHtml(row, index))} ${skippedHtml(skipped, index)}`,
      );
}

function requirementHtml({ id, outcome, title, reason, findings }: ReportedRequirement, index: number): Html {
  return html`<article class="card shown ${outcome}" id="${findingAnchor(index, id)}">
    <h3>${badgeHtml(outcome)} ${codeHtml(id)}</h3>
    <p>${printableLine(title)}</p>
    ${aboutHtml(reason === undefined ? undefined : `Why: ${printableLine(reason)}`)}
    ${findings.map((finding) => findingHtml(finding))}
  </article>`;
}

function skippedHtml(skipped: readonly ReportedRequirement[], index: number): Html {
  const reasons = groupByReason(skipped).map(
    ([reason, group]) =>
      html`<p>${printableLine(reason)}</p>
        ${group.map(({ id }) => html`<code id="${findingAnchor(index, id)}">${printableLine(id)}</code> `)}`,
  );
  const title = `${countText(skipped.length, 'requirement')} skipped, and why`;
  return foldedHtml(title, listHtml(reasons), 'card shown skipped');
}

function findingAnchor(index: number, id: string): string {
  return anchor(`finding-${index}`, id);
}
