import type { AnyVerdict, Report } from '../model/report.ts';
import { VERDICT_OUTCOME, verdictSign } from '../model/requirement-groups.ts';
import { subjectText } from '../model/run.ts';
import { printableLine } from '../model/words.ts';
import { type PageFacts, renderPage, runFacts } from './page.ts';
import { certifyFacts, certifyMain } from './pages/certify.ts';
import { verifyFacts, verifyMain } from './pages/verify.ts';
import { LOAD_STYLE } from './style/load.ts';
import { STYLE } from './style/page.ts';
import { TIMELINE_STYLE } from './style/timeline.ts';
import { TRAIL_STYLE } from './style/trail.ts';
import { html, type Html } from './template.ts';

const VERDICT_WORDS: Readonly<Record<AnyVerdict, string>> = {
  conformant: 'Conformant',
  nonconformant: 'Not conformant',
  certified: 'Certified',
  'not-certified': 'Not certified',
  inconclusive: 'Inconclusive',
};

/** What differs between the kinds of reports. */
interface Content {
  readonly facts: PageFacts;
  readonly main: Html;
  readonly style: Html;
}

async function contentOf(report: Report): Promise<Content> {
  switch (report.kind) {
    case 'verify':
      return { facts: verifyFacts(report), main: verifyMain(report), style: html`${STYLE} ${TRAIL_STYLE}` };
    case 'certify': {
      const style = html`${STYLE} ${TIMELINE_STYLE}`;
      return { facts: certifyFacts(report), main: certifyMain(report), style };
    }
    case 'load': {
      // The library that draws plots takes time to load, and the other kinds need none.
      const { loadFacts, loadMain } = await import('./pages/load.ts');
      return {
        facts: loadFacts(report),
        main: loadMain(report),
        style: html`${STYLE} ${TRAIL_STYLE} ${LOAD_STYLE}`,
      };
    }
  }
}

/** The report as one self-contained HTML page. */
export async function renderHtml(report: Report): Promise<string> {
  const { facts, main, style } = await contentOf(report);
  const { verdict, scope, suite, level } = report;
  return renderPage({
    title: `${VERDICT_WORDS[verdict]}: ${printableLine(subjectText(report), 200)} – stockcheck`,
    style,
    banner: {
      outcome: VERDICT_OUTCOME[verdict],
      sign: verdictSign(verdict),
      about: `Petstore Inventory Service ${suite.specVersion}`,
      verdict: VERDICT_WORDS[verdict],
      scope,
      facts: [...facts, ['Decided by', level === 'must' ? 'must' : 'must and should'], ...runFacts(report)],
    },
    body: html`<main class="wrap" id="main">${main}</main>`,
  });
}
