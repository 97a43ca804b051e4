import { listedFailures } from '../model/attention.ts';
import { type Cause, countFailures } from '../model/causes.ts';
import { findingId, tallyText } from '../model/findings.ts';
import { observationText } from '../model/observations.ts';
import type { CertifyReport, Report, ReportedRequirement } from '../model/report.ts';
import { groupByArea, groupByReason, OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { powerOfRequirementText } from '../model/run.ts';
import { scenarioOf } from '../model/timeline.ts';
import { countText, printableLine } from '../model/words.ts';
import { choiceHtml } from './choice.ts';
import { type FindingFold, findingHtml, foldFor } from './finding.ts';
import { anchor, NO_HTML, sectionHtml, tableHtml } from './parts.ts';
import { html, type Html } from './template.ts';

/** More findings of a requirement than this are folded. */
const FINDINGS_SHOWN = 10;

/** More checks than this are counted, and named when unfolded. */
const CHECKS_NAMED = 3;

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
    const seen = findings.map((finding) => {
      const scenario = scenarioOf(finding, scenarios);
      const link =
        scenario === undefined
          ? NO_HTML
          : html` <a href="#${anchor('scenario', scenario.id)}">see timeline</a>`;
      return html`<p>${printableLine(finding.message)}${link}</p>`;
    });
    return html`<p class="muted">${printableLine(statement)}</p>
      ${tally === undefined ? NO_HTML : html`<p class="muted">${tallyText(tally)}</p>`}
      ${foldedAfter(FINDINGS_SHOWN, seen)}`;
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
    tableHtml(title, ['Reason', 'Count', 'Requirements'], rows),
  );
}

/** Every requirement with its outcome and findings, by area; a choice of those to show. */
export function requirementsHtml(report: Report): Html {
  const roots = new Map(listedFailures(report).map(({ row, root }) => [row.id, root]));
  const fold = foldFor(report.requirements.reduce((sum, { findings }) => sum + findings.length, 0));
  const powers = new Map(
    report.power?.byRequirement?.map((row) => [row.requirement, powerOfRequirementText(row)]),
  );
  const areas = groupByArea(report.requirements).map(
    ([area, requirements]) =>
      html`<section class="area card">
        <h3>${printableLine(area)}</h3>
        ${requirements.map((requirement) =>
          requirementHtml(report, requirement, {
            root: roots.get(requirement.id) ?? null,
            power: powers.get(requirement.id),
            fold,
          }),
        )}
      </section>`,
  );
  return sectionHtml(
    'Requirements by area',
    html`${choiceHtml({ of: 'requirement', by: ['outcome', 'level'], hasFindings: true })} ${areas}`,
  );
}

function requirementHtml(
  report: Report,
  requirement: ReportedRequirement,
  {
    root,
    power,
    fold,
  }: { readonly root: string | null; readonly power: string | undefined; readonly fold: FindingFold },
): Html {
  const { id, outcome, level, title, reading, reason, tally, findings } = requirement;
  const observation = report.observations[id];
  const expected = requirement.expectedFailure === true ? ' (expected)' : '';
  const isOpen = outcome === 'fail' && root === null;
  return html`<article class="requirement ${outcome} ${level}" id="${anchor('requirement', id)}">
    <div><span class="badge">${OUTCOME_SIGN[outcome]} ${outcome}${expected}</span></div>
    <div>
      <h4>${title}</h4>
      ${root === null ? NO_HTML : html`<p class="about">Probably follows from ${linkHtml(root)}</p>`}
      ${reason === undefined ? NO_HTML : html`<p class="about">Why: ${printableLine(reason)}</p>`}
      ${
        observation === undefined
          ? NO_HTML
          : html`<p class="about">Seen: <code>${observationText(observation)}</code></p>`
      }
      ${reading === undefined ? NO_HTML : html`<p class="about">Read as: ${printableLine(reading)}</p>`}
      ${basisHtml(requirement)} ${power === undefined ? NO_HTML : html`<p class="about">${power}.</p>`}
      ${tally === undefined ? NO_HTML : html`<p class="about">${tallyText(tally)}</p>`}
      ${foldedAfter(
        FINDINGS_SHOWN,
        findings.map((finding, index) =>
          findingHtml(finding, isOpen && index === 0 ? 'open' : fold, findingId(id, index)),
        ),
      )}
    </div>
  </article>`;
}

/** What the requirement is called, where it stands, and what judged it. */
function basisHtml({ id, level, clause, evidence, checks }: ReportedRequirement): Html {
  const names = printableLine(checks.join(', '));
  const judged =
    checks.length <= CHECKS_NAMED
      ? html`${checks.length === 0 ? '' : ` · judged by ${names}`}`
      : html` ·
          <details class="checks">
            <summary>judged by ${countText(checks.length, 'check')}</summary>
            ${names}
          </details>`;
  return html`<div class="about">
    <code>${printableLine(id)}</code> <span class="level">${level}</span> ${printableLine(clause)} · evidence:
    ${evidence}${judged}
  </div>`;
}

/** The first of them, and the others behind a line that says how many there are. */
function foldedAfter(count: number, parts: readonly Html[]): Html {
  return parts.length <= count
    ? html`${parts}`
    : html`${parts.slice(0, count)}
        <details class="rest">
          <summary>${countText(parts.length - count, 'more finding')}</summary>
          ${parts.slice(count)}
        </details>`;
}
