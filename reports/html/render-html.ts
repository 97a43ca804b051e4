import type { AnyVerdict, Report } from '../model/report.ts';
import { VERDICT_OUTCOME } from '../model/requirement-groups.ts';
import { subjectText } from '../model/run.ts';
import { printableLine } from '../model/words.ts';
import { renderPage, runFacts, type PageFacts } from './page.ts';
import { certifyFacts, certifyMain } from './pages/certify.ts';
import { verifyFacts, verifyMain } from './pages/verify.ts';
import type { Html } from './template.ts';

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
  readonly body: readonly Html[];
}

async function contentOf(report: Report): Promise<Content> {
  switch (report.kind) {
    case 'verify':
      return { facts: verifyFacts(report), body: verifyMain(report) };
    case 'certify':
      return { facts: certifyFacts(report), body: certifyMain(report) };
    case 'load': {
      // The library that draws plots takes time to load, and the other kinds need none.
      const { loadFacts, loadMain } = await import('./pages/load.ts');
      return { facts: loadFacts(report), body: loadMain(report) };
    }
  }
}

/** The report as one self-contained HTML page. */
export async function renderHtml(report: Report): Promise<string> {
  const { facts, body } = await contentOf(report);
  const { verdict, scope, suite, level } = report;
  return renderPage({
    title: `${VERDICT_WORDS[verdict]}: ${printableLine(subjectText(report), 200)}`,
    outcome: VERDICT_OUTCOME[verdict],
    about: `Petstore Inventory Service ${suite.specVersion}`,
    verdict: VERDICT_WORDS[verdict],
    scope,
    facts: [...facts, ['Decided by', level === 'must' ? 'must' : 'must and should'], ...runFacts(report)],
    body,
  });
}
