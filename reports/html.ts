import { html, renderHtmlTemplate, type Html } from './html-template.ts';
import { NOTHING, sectionHtml } from './html-parts.ts';
import { requirementsHtml, seenHtml, unjudgedHtml } from './html-requirements.ts';
import { STYLE } from './html-style.ts';
import { budgetHtml, checksHtml, observationsHtml } from './html-tables.ts';
import { THEME } from './html-theme.ts';
import { OUTCOME_SIGN, VERDICT_SIGN } from './outcome-signs.ts';
import { printableLine } from './printable.ts';
import { attention, LEVELS, OUTCOMES, type Report, type Verdict } from './report.ts';

const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  conformant: 'Conformant',
  nonconformant: 'Not conformant',
  inconclusive: 'Inconclusive',
};

/** The report as one self-contained HTML page: no script, nothing loaded from elsewhere. */
export function renderHtml(report: Report): string {
  const { failures, advice, expected, inconclusive, skipped } = attention(report);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${VERDICT_WORDS[report.verdict]}: ${printableLine(report.target.url, 200)} – stockcheck</title>
        ${THEME} ${STYLE}
      </head>
      <body>
        ${bannerHtml(report)}
        <main class="wrap">
          ${problemsHtml(report.problems)} ${countsHtml(report)} ${seenHtml('What failed', failures)}
          ${seenHtml('Should, but does not', advice)} ${seenHtml('Failed as the baseline expects', expected)}
          ${unjudgedHtml('Inconclusive, and why', inconclusive)} ${unjudgedHtml('Skipped, and why', skipped)}
          ${requirementsHtml(report)} ${observationsHtml(report)} ${budgetHtml(report)} ${checksHtml(report)}
        </main>
      </body>
    </html>`;
  return `${renderHtmlTemplate(page)}\n`;
}

function bannerHtml(report: Report): Html {
  const { verdict, target, suite } = report;
  return html`<header class="banner ${verdict}">
    <div class="wrap">
      <p class="product"><b>stockcheck</b> · Petstore Inventory Service ${suite.specVersion}</p>
      <div class="verdict">
        <span class="sign" aria-hidden="true">${VERDICT_SIGN[verdict]}</span>
        <div>
          <h1>${VERDICT_WORDS[verdict]}</h1>
          <p>${printableLine(report.scope)}</p>
        </div>
      </div>
      <dl class="facts">
        ${factHtml('Target', target.url)} ${factHtml('Control', target.control ?? 'none, real time')}
        ${factHtml('Keys', target.keys.join(', '))} ${factHtml('Profile', report.profile)}
        ${factHtml('Decided by', report.level === 'must' ? 'must' : 'must and should')}
        ${factHtml('Started', report.startedAt.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC'))}
        ${factHtml('Took', `${report.durationSeconds.toFixed(1)} s`)} ${factHtml('Suite', suite.version)}
      </dl>
    </div>
  </header>`;
}

function factHtml(name: string, value: string): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${printableLine(value)}</dd>
  </div>`;
}

function problemsHtml(problems: readonly string[]): Html {
  if (problems.length === 0) {
    return NOTHING;
  }
  const items = problems.map((problem) => html`<li>${printableLine(problem)}</li>`);
  return sectionHtml(
    'Problems of the run',
    html`<ul class="card notice">
      ${items}
    </ul>`,
  );
}

function countsHtml({ counts }: Report): Html {
  const levels = LEVELS.map((level) => {
    const present = OUTCOMES.filter((outcome) => counts[level][outcome] > 0);
    const total = present.reduce((sum, outcome) => sum + counts[level][outcome], 0);
    const bar = present.map(
      (outcome) => html`<i class="${outcome}" style="flex: ${counts[level][outcome]} 0 0"></i>`,
    );
    const tally = present.map(
      (outcome) =>
        html`<li class="${outcome}">
          <b>${OUTCOME_SIGN[outcome]} ${counts[level][outcome]}</b> ${outcome}
        </li>`,
    );
    return html`<div class="card">
      <h3>${level} <span>· ${total}</span></h3>
      <div class="bar" aria-hidden="true">${bar}</div>
      <ul class="tally">
        ${tally}
      </ul>
    </div>`;
  });
  return sectionHtml('Outcomes', html`<div class="levels">${levels}</div>`);
}
