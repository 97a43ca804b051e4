import { certifyFacts, certifyMain } from './certify.ts';
import { html, renderHtmlTemplate, type Html } from './template.ts';
import { LOAD_STYLE } from './style/load.ts';
import { STYLE } from './style/page.ts';
import { THEME } from './style/theme.ts';
import { TIMELINE_STYLE } from './style/timeline.ts';
import { verifyFacts, verifyMain } from './verify.ts';
import { VERDICT_OUTCOME, verdictSign } from '../wording/outcome-signs.ts';
import { printableLine } from '../wording/printable.ts';
import type { AnyVerdict, Report } from '../model/report.ts';
import { subjectText } from '../wording/subject-text.ts';

const VERDICT_WORDS: Readonly<Record<AnyVerdict, string>> = {
  conformant: 'Conformant',
  nonconformant: 'Not conformant',
  certified: 'Certified',
  'not-certified': 'Not certified',
  inconclusive: 'Inconclusive',
};

/** What differs between the kinds of reports. */
interface Content {
  /** What the banner says of the run. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly main: Html;
  readonly style: Html;
}

async function contentOf(report: Report): Promise<Content> {
  switch (report.kind) {
    case 'verify':
      return { facts: verifyFacts(report), main: verifyMain(report), style: STYLE };
    case 'certify': {
      const style = html`${STYLE} ${TIMELINE_STYLE}`;
      return { facts: certifyFacts(report), main: certifyMain(report), style };
    }
    case 'load': {
      // The library that draws plots takes time to load, and the other kinds need none.
      const { loadFacts, loadMain } = await import('./load.ts');
      return { facts: loadFacts(report), main: loadMain(report), style: html`${STYLE} ${LOAD_STYLE}` };
    }
  }
}

/** The report as one self-contained HTML page: no script, nothing loaded from elsewhere. */
export async function renderHtml(report: Report): Promise<string> {
  const { facts, main, style } = await contentOf(report);
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
        <title>
          ${VERDICT_WORDS[report.verdict]}: ${printableLine(subjectText(report), 200)} – stockcheck
        </title>
        ${THEME} ${style}
      </head>
      <body>
        ${bannerHtml(report, facts)}
        <main class="wrap">${main}</main>
      </body>
    </html>`;
  return `${renderHtmlTemplate(page)}\n`;
}

function bannerHtml(report: Report, facts: readonly (readonly [name: string, value: string])[]): Html {
  const { verdict, suite } = report;
  const common = [
    ['Decided by', report.level === 'must' ? 'must' : 'must and should'],
    ['Started', report.startedAt.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC')],
    ['Took', `${report.durationSeconds.toFixed(1)} s`],
    ['Suite', suite.version],
  ] as const;
  return html`<header class="banner ${VERDICT_OUTCOME[verdict]}">
    <div class="wrap">
      <p class="product"><b>stockcheck</b> · Petstore Inventory Service ${suite.specVersion}</p>
      <div class="verdict">
        <span class="sign" aria-hidden="true">${verdictSign(verdict)}</span>
        <div>
          <h1>${VERDICT_WORDS[verdict]}</h1>
          <p>${printableLine(report.scope)}</p>
        </div>
      </div>
      <dl class="facts">
        ${[...facts, ...common].map(
          ([name, value]) =>
            html`<div>
              <dt>${name}</dt>
              <dd>${printableLine(value)}</dd>
            </div>`,
        )}
      </dl>
    </div>
  </header>`;
}
