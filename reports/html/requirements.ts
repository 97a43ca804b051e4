import { listedFailures } from '../model/attention.ts';
import { findingId, tallyText } from '../model/findings.ts';
import { observationText } from '../model/observations.ts';
import type { Report, ReportedRequirement } from '../model/report.ts';
import { groupByArea, LEVELS, OUTCOME_SIGN, OUTCOMES } from '../model/requirement-groups.ts';
import { powerOfRequirementText } from '../model/run.ts';
import { countText, printableLine } from '../model/words.ts';
import { choiceHtml } from './choice.ts';
import { findingHtml } from './finding.ts';
import { aboutHtml, anchor, badgeHtml, codeHtml, foldedHtml, listHtml, NO_HTML } from './parts.ts';
import { html, type Html } from './template.ts';

/** More findings of a requirement than this are folded. */
const FINDINGS_SHOWN = 10;

/** More checks than this are counted, and named when unfolded. */
const CHECKS_NAMED = 3;

/** How many requirements of each level had each outcome. */
export function countsHtml(counts: Report['counts']): Html {
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
  return html`<div class="levels">${levels}</div>`;
}

/** Every requirement with its outcome and findings, by area; a choice of those to show. */
export function requirementsHtml(report: Report, listed: readonly ReportedRequirement[]): Html {
  const roots = new Map(listedFailures(report).map(({ row, root }) => [row.id, root]));
  const powers = new Map(
    report.power?.byRequirement?.map((row) => [row.requirement, `${powerOfRequirementText(row)}.`]),
  );
  const areas = groupByArea(listed).map(
    ([area, requirements]) =>
      html`<section class="area card">
        <h3>${printableLine(area)}</h3>
        ${requirements.map((requirement) => {
          const root = roots.get(requirement.id) ?? null;
          return requirementHtml(report, requirement, { root, power: powers.get(requirement.id) });
        })}
      </section>`,
  );
  return html`${choiceHtml({ of: 'requirement', by: ['outcome', 'level'] })} ${areas}`;
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
      ${aboutHtml(root === null ? undefined : html`Probably follows from <a href="#${anchor('requirement', root)}">${codeHtml(root)}</a>`)}
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
