import { findingHtml } from './finding.ts';
import { anchor, moreHtml, NO_HTML, sectionHtml, tableHtml } from './parts.ts';
import { html, type Html } from './template.ts';
import { observationText } from '../wording/observation-text.ts';
import { tallyText } from '../wording/finding-text.ts';
import { OUTCOME_SIGN } from '../wording/outcome-signs.ts';
import { printableLine } from '../wording/printable.ts';
import { countText } from '../wording/subject-text.ts';
import {
  groupByArea,
  groupByReason,
  type CertifyReport,
  type Report,
  type ReportedRequirement,
} from '../model/report.ts';
import { scenarioOf } from '../model/timeline.ts';
import { listedFailures } from '../model/attention.ts';
import { type Cause, countFailures } from '../model/causes.ts';

/** More findings than this are counted, not shown; report.json has all. */
const FINDINGS_SHOWN = 10;

function linkHtml(id: string): Html {
  return html`<a href="#${anchor('requirement', id)}"><code>${printableLine(id)}</code></a>`;
}

/** The failures of one kind by cause in brief, each with a link to its row. */
export function seenHtml(title: string, causes: readonly Cause[]): Html {
  return seenListHtml(title, causes, ({ findings, title: statement, tally }) => {
    const times = tally === undefined ? NO_HTML : html` <span class="muted">${tallyText(tally)}</span>`;
    return html`<p>${printableLine(findings[0]?.message ?? statement)}${times}</p>`;
  });
}

/** Like `seenHtml`, with what was seen in each scenario and a link to it. */
export function seenInScenariosHtml(
  title: string,
  causes: readonly Cause[],
  { scenarios }: CertifyReport,
): Html {
  return seenListHtml(title, causes, ({ findings, title: statement, tally }) => {
    const seen = findings.slice(0, FINDINGS_SHOWN).map((finding) => {
      const scenario = scenarioOf(finding, scenarios);
      const link =
        scenario === undefined
          ? NO_HTML
          : html` <a href="#${anchor('scenario', scenario.id)}">see timeline</a>`;
      return html`<p>${printableLine(finding.message)}${link}</p>`;
    });
    return html`<p class="muted">${printableLine(statement)}</p>
      ${tally === undefined ? NO_HTML : html`<p class="muted">${tallyText(tally)}</p>`} ${seen}
      ${moreHtml(findings.length - FINDINGS_SHOWN)}`;
  });
}

function seenListHtml(
  title: string,
  causes: readonly Cause[],
  seen: (requirement: ReportedRequirement) => Html,
): Html {
  if (causes.length === 0) {
    return NO_HTML;
  }
  const itemHtml = (requirement: ReportedRequirement, followers: Html): Html => {
    const { id, level, clause, outcome } = requirement;
    return html`<li class="${outcome}">
      <p>${linkHtml(id)} <span class="level">${level}</span> <span class="muted">${clause}</span></p>
      ${seen(requirement)} ${followers}
    </li>`;
  };
  const items = causes.map(({ root, followers }) =>
    itemHtml(
      root,
      followers.length === 0
        ? NO_HTML
        : html`<details class="followers">
            <summary>
              ${countText(followers.length, 'more failure')}, probably because of
              <code>${printableLine(root.id)}</code>
            </summary>
            <ul class="seen">
              ${followers.map((row) => itemHtml(row, NO_HTML))}
            </ul>
          </details>`,
    ),
  );
  return sectionHtml(
    `${title} (${countFailures(causes)})`,
    html`<ul class="seen card">
      ${items}
    </ul>`,
  );
}

/** Requirements without a judgement, by reason. */
export function unjudgedHtml(title: string, requirements: readonly ReportedRequirement[]): Html {
  if (requirements.length === 0) {
    return NO_HTML;
  }
  const rows = groupByReason(requirements).map(([reason, group]) => [
    printableLine(reason),
    group.length,
    html`${group.map(({ id }) => html`${linkHtml(id)} `)}`,
  ]);
  return sectionHtml(
    `${title} (${requirements.length})`,
    tableHtml(['Reason', 'Count', 'Requirements'], rows),
  );
}

const FILTERS = [
  ['all', 'all'],
  ['only-fail', 'failed'],
  ['only-undecided', 'not judged'],
  ['only-pass', 'passed'],
  ['only-observed', 'observed'],
] as const;

/** Every requirement with its outcome and findings, by area; a choice of outcomes to show. */
export function requirementsHtml(report: Report): Html {
  const choices = FILTERS.map(([id, word]) => {
    const checked = id === 'all' ? html`checked` : NO_HTML;
    return html`<input type="radio" name="filter" id="${id}" ${checked} /><label for="${id}">${word}</label>`;
  });
  const roots = new Map(listedFailures(report).map(({ row, root }) => [row.id, root]));
  const areas = groupByArea(report.requirements).map(
    ([area, requirements]) =>
      html`<section class="area card">
        <h3>${printableLine(area)}</h3>
        ${requirements.map((requirement) =>
          requirementHtml(report, requirement, roots.get(requirement.id) ?? null),
        )}
      </section>`,
  );
  return sectionHtml(
    'Requirements by area',
    html`<fieldset class="filter">
        <legend>Show</legend>
        ${choices}
      </fieldset>
      ${areas}`,
  );
}

function requirementHtml(report: Report, requirement: ReportedRequirement, root: string | null): Html {
  const { id, outcome, level, clause, title, reading, reason, evidence, tally, checks, findings } =
    requirement;
  const observation = report.observations[id];
  const expected = requirement.expectedFailure === true ? ' (expected)' : '';
  const by = checks.length === 0 ? '' : ` · judged by ${checks.join(', ')}`;
  return html`<article class="requirement ${outcome}" id="${anchor('requirement', id)}">
    <div><span class="badge">${OUTCOME_SIGN[outcome]} ${outcome}${expected}</span></div>
    <div>
      <p>${title}</p>
      ${root === null ? NO_HTML : html`<p class="about">Probably follows from ${linkHtml(root)}</p>`}
      ${reason === undefined ? NO_HTML : html`<p class="about">Why: ${printableLine(reason)}</p>`}
      ${
        observation === undefined
          ? NO_HTML
          : html`<p class="about">Seen: <code>${observationText(observation)}</code></p>`
      }
      ${reading === undefined ? NO_HTML : html`<p class="about">Read as: ${printableLine(reading)}</p>`}
      <p class="about">
        <code>${printableLine(id)}</code> <span class="level">${level}</span> ${printableLine(clause)} ·
        evidence: ${evidence}${printableLine(by)}
      </p>
      ${tally === undefined ? NO_HTML : html`<p class="about">${tallyText(tally)}</p>`}
      ${
        findings.length === 0
          ? NO_HTML
          : html`<details ${outcome === 'fail' && root === null ? html`open` : NO_HTML}>
              <summary>${findings.length === 1 ? '1 finding' : `${findings.length} findings`}</summary>
              ${findings.slice(0, FINDINGS_SHOWN).map(findingHtml)}
              ${moreHtml(findings.length - FINDINGS_SHOWN)}
            </details>`
      }
    </div>
  </article>`;
}
