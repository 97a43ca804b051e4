import type { AnyVerdict, Report } from '../model/report.ts';
import { VERDICT_OUTCOME } from '../model/requirement-groups.ts';
import { factsOf, subjectText } from '../model/run.ts';
import { printableLine } from '../model/words.ts';
import { renderPage, runFacts } from './page.ts';
import { certifyMain } from './pages/certify.ts';
import { verifyMain } from './pages/verify.ts';
import type { Html } from './template.ts';

const VERDICT_WORDS: Readonly<Record<AnyVerdict, string>> = {
  conformant: 'Conformant',
  nonconformant: 'Not conformant',
  certified: 'Certified',
  'not-certified': 'Not certified',
  inconclusive: 'Inconclusive',
};

/** The sections of the page, which differ between the kinds of reports. */
async function bodyOf(report: Report): Promise<readonly Html[]> {
  switch (report.kind) {
    case 'verify':
      return verifyMain(report);
    case 'certify':
      return certifyMain(report);
    case 'load':
      // The library that draws plots takes time to load, and the other kinds need none.
      return (await import('./pages/load.ts')).loadMain(report);
  }
}

/** The report as one self-contained HTML page. */
export async function renderHtml(report: Report): Promise<string> {
  const { verdict, scope, suite } = report;
  return renderPage({
    title: `${VERDICT_WORDS[verdict]}: ${printableLine(subjectText(report), 200)}`,
    outcome: VERDICT_OUTCOME[verdict],
    about: `Petstore Inventory Service ${suite.specVersion}`,
    verdict: VERDICT_WORDS[verdict],
    scope,
    facts: [...factsOf(report), ...runFacts(report)],
    body: await bodyOf(report),
  });
}
