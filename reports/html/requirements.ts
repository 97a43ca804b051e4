import { attention, type Cause, countFailures, listedFailures } from '../model/attention.ts';
import { findingId, tallyText } from '../model/findings.ts';
import { observationTable, observationText } from '../model/observations.ts';
import type { CertifyReport, Report, ReportedRequirement } from '../model/report.ts';
import { groupByArea, groupByReason, LEVELS, OUTCOME_SIGN, OUTCOMES } from '../model/requirement-groups.ts';
import { failureLists, powerOfRequirementText } from '../model/run.ts';
import { scenarioOf } from '../model/timeline.ts';
import { countText, printableLine } from '../model/words.ts';
import { choiceHtml } from './choice.ts';
import { findingHtml } from './finding.ts';
import {
  aboutHtml,
  anchor,
  badgeHtml,
  codeHtml,
  foldedHtml,
  listHtml,
  NO_HTML,
  sectionHtml,
  tableHtml,
} from './parts.ts';
import { html, type Html } from './template.ts';

/** More findings of a requirement than this are folded. */
const FINDINGS_SHOWN = 10;

/** More checks than this are counted, and named when unfolded. */
const CHECKS_NAMED = 3;

/** What a page on one kind of run has, besides what the pages on all kinds have. */
export interface OwnSections {
  /** Before what failed. */
  readonly first?: readonly Html[];
  /** Before all requirements. */
  readonly own?: readonly Html[];
  /** At the end. */
  readonly last?: readonly Html[];
}

/** The sections of a page on a run, in the order in which it is read. */
export function runSections(
  report: Report,
  { first = [], own = [], last = [] }: OwnSections,
): readonly Html[] {
  const { inconclusive, skipped } = attention(report);
  const seen = report.kind === 'certify' ? seenInScenarios(report) : seenOnce;
  const isJudged = report.requirements.length > 0;
  return [
    sectionHtml('Problems of the run', listHtml(report.problems, 'card lines notice')),
    ...first,
    ...failureLists(report).map(([title, causes]) => causesHtml(title, causes, seen)),
    ...(isJudged ? [countsHtml(report)] : []),
    unjudgedHtml('Inconclusive', inconclusive),
    unjudgedHtml('Skipped', skipped),
    ...own,
    ...(isJudged ? [requirementsHtml(report)] : []),
    sectionHtml('Observations', tableHtml(observationTable(report.observations))),
    ...last,
  ];
}

/** How many requirements of each level had each outcome. */
function countsHtml({ counts }: Report): Html {
  const levels = LEVELS.map((level) => {
    const present = OUTCOMES.filter((outcome) => counts[level][outcome] > 0);
    const total = present.reduce((sum, outcome) => sum + counts[level][outcome], 0);
    const bar = present.map(
      (outcome) => html`<i class="${outcome}" style="flex: ${counts[level][outcome]} 0 0"></i>`,
    );
    const tally = present.map(
      (outcome) =>
        html`<b class="${outcome}">${OUTCOME_SIGN[outcome]} ${counts[level][outcome]}</b> ${outcome}`,
    );
    return html`<div class="card">
      <h3>${level} <span class="muted">· ${total}</span></h3>
      <div class="bar" aria-hidden="true">${bar}</div>
      ${listHtml(tally, 'inline')}
    </div>`;
  });
  return sectionHtml('Outcomes', html`<div class="levels">${levels}</div>`);
}

type ShowRequirement = (requirement: ReportedRequirement) => Html;

function linkHtml(id: string): Html {
  return html`<a href="#${anchor('requirement', id)}">${codeHtml(id)}</a>`;
}

/** What was seen of a failure, in brief. */
function seenOnce({ findings, title, tally }: ReportedRequirement): Html {
  const times = tally === undefined ? NO_HTML : html` <span class="muted">${tallyText(tally)}</span>`;
  return html`<p>${printableLine(findings[0]?.message ?? title)}${times}</p>`;
}

/** What was seen of a failure in each scenario, with a link to it. */
function seenInScenarios({ scenarios }: CertifyReport): ShowRequirement {
  return ({ findings, title, tally }) => {
    const seen = findings.map((finding) => {
      const scenario = scenarioOf(finding, scenarios);
      const link =
        scenario === undefined
          ? NO_HTML
          : html` <a href="#${anchor('scenario', scenario.id)}">see timeline</a>`;
      return html`<p>${printableLine(finding.message)}${link}</p>`;
    });
    return html`<p class="muted">${printableLine(title)}</p>
      ${tally === undefined ? NO_HTML : html`<p class="muted">${tallyText(tally)}</p>`}
      ${foldedAfter(FINDINGS_SHOWN, seen)}`;
  };
}

/** The failures of one kind by cause, each with a link to its row; nothing if there are none. */
function causesHtml(title: string, causes: readonly Cause[], seen: ShowRequirement): Html {
  const itemHtml = ({ root, followers }: Cause): Html => {
    const more = html`${countText(followers.length, 'more failure')}, probably because of ${codeHtml(root.id)}`;
    const folded = followers.map((row) => itemHtml({ root: row, followers: [] }));
    return html`<li class="${root.outcome}">
      <p>
        ${linkHtml(root.id)} <span class="level">${root.level}</span>
        <span class="muted">${root.clause}</span>
      </p>
      ${seen(root)} ${foldedHtml(more, itemsHtml(folded, 'seen'), 'followers')}
    </li>`;
  };
  return sectionHtml(`${title} (${countFailures(causes)})`, itemsHtml(causes.map(itemHtml), 'seen card'));
}

function itemsHtml(items: readonly Html[], classes: string): Html {
  return items.length === 0
    ? NO_HTML
    : html`<ul class="${classes}">
        ${items}
      </ul>`;
}

/** Requirements without a judgement, by reason; nothing if there are none. @param shown how each is named */
export function reasonsHtml(
  caption: string,
  requirements: readonly ReportedRequirement[],
  shown: (id: string) => Html = linkHtml,
): Html {
  return tableHtml({
    caption,
    columns: ['Reason', 'Count', 'Requirements'],
    rows: groupByReason(requirements).map(([reason, group]) => [
      reason,
      group.length,
      html`${group.map(({ id }) => html`${shown(id)} `)}`,
    ]),
  });
}

function unjudgedHtml(title: string, rows: readonly ReportedRequirement[]): Html {
  return sectionHtml(`${title}, and why (${rows.length})`, reasonsHtml(title, rows));
}

/** Every requirement with its outcome and findings, by area; a choice of those to show. */
function requirementsHtml(report: Report): Html {
  const roots = new Map(listedFailures(report).map(({ row, root }) => [row.id, root]));
  const powers = new Map(
    report.power?.byRequirement?.map((row) => [row.requirement, `${powerOfRequirementText(row)}.`]),
  );
  const areas = groupByArea(report.requirements).map(
    ([area, requirements]) =>
      html`<section class="area card">
        <h3>${printableLine(area)}</h3>
        ${requirements.map((requirement) => {
          const root = roots.get(requirement.id) ?? null;
          return requirementHtml(report, requirement, { root, power: powers.get(requirement.id) });
        })}
      </section>`,
  );
  return sectionHtml(
    'Requirements by area',
    html`${choiceHtml({ of: 'requirement', by: ['outcome', 'level'], hasFindings: true })} ${areas}`,
  );
}

/** What is known of a requirement besides its row. */
interface Beside {
  readonly root: string | null;
  readonly power: string | undefined;
}

function requirementHtml(
  { observations }: Report,
  requirement: ReportedRequirement,
  { root, power }: Beside,
): Html {
  const { id, outcome, level, title, reading, reason, tally, findings, expectedFailure } = requirement;
  const observation = observations[id];
  const isOpen = outcome === 'fail' && root === null;
  return html`<article class="requirement ${outcome} ${level}" id="${anchor('requirement', id)}">
    <div>${badgeHtml(outcome, expectedFailure === true ? `${outcome} (expected)` : outcome)}</div>
    <div>
      <h4>${title}</h4>
      ${aboutHtml(root === null ? undefined : html`Probably follows from ${linkHtml(root)}`)}
      ${aboutHtml(reason === undefined ? undefined : `Why: ${printableLine(reason)}`)}
      ${aboutHtml(observation === undefined ? undefined : html`Seen: ${codeHtml(observationText(observation))}`)}
      ${aboutHtml(reading === undefined ? undefined : `Read as: ${printableLine(reading)}`)}
      ${basisHtml(requirement)} ${aboutHtml(power)}
      ${aboutHtml(tally === undefined ? undefined : tallyText(tally))}
      ${foldedAfter(
        FINDINGS_SHOWN,
        findings.map((finding, index) => findingHtml(finding, isOpen && index === 0, findingId(id, index))),
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
      : html` · ${foldedHtml(`judged by ${countText(checks.length, 'check')}`, html`${names}`, 'checks')}`;
  return html`<div class="about">
    ${codeHtml(id)} <span class="level">${level}</span> ${printableLine(clause)} · evidence:
    ${evidence}${judged}
  </div>`;
}

/** The first of them, and the others behind a line that says how many there are. */
function foldedAfter(count: number, parts: readonly Html[]): Html {
  const rest = parts.slice(count);
  return html`${parts.slice(0, count)}
  ${foldedHtml(countText(rest.length, 'more finding'), rest.length === 0 ? NO_HTML : html`${rest}`)}`;
}
