import type { AnyVerdict, Report } from '../model/report.ts';
import { countOutcomes, VERDICT_OUTCOME } from '../model/requirement-groups.ts';
import { factsOf, subjectText } from '../model/run.ts';
import { printableLine } from '../model/words.ts';
import { renderPage, runFacts } from './page.ts';
import { certifySections } from './pages/certify.ts';
import { verifySections } from './pages/verify.ts';
import { type OwnSections, runSections } from './requirements.ts';

const VERDICT_WORDS: Readonly<Record<AnyVerdict, string>> = {
  conformant: 'Conformant',
  nonconformant: 'Not conformant',
  certified: 'Certified',
  'not-certified': 'Not certified',
  inconclusive: 'Inconclusive',
};

async function ownSections(report: Report): Promise<OwnSections> {
  switch (report.kind) {
    case 'verify':
      return { last: verifySections(report) };
    case 'certify':
      return { own: certifySections(report) };
    case 'load':
      // The library that draws plots takes time to load, and the other kinds need none.
      return (await import('./pages/load.ts')).loadSections(report);
  }
}

/** Load judges few requirements, so that only those are listed. */
function listed(report: Report): Report {
  if (report.kind !== 'load') {
    return report;
  }
  const requirements = report.requirements.filter(({ outcome }) => outcome !== 'skipped');
  return { ...report, requirements, counts: countOutcomes(requirements) };
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
    body: runSections(listed(report), await ownSections(report)),
  });
}
