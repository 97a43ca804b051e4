import { countsHtml, problemsHtml } from '../outcomes.ts';
import { requirementsHtml, seenInScenariosHtml, unjudgedHtml } from '../requirements.ts';
import { freedomsHtml } from './freedoms.ts';
import { herdHtml } from './herd.ts';
import type { PageFacts } from '../page.ts';
import { observationsHtml } from '../tables.ts';
import { html, type Html } from '../template.ts';
import { timelineHtml } from '../timeline.ts';
import { attention } from '../../model/attention.ts';
import { apart } from '../../model/causes.ts';
import type { CertifyReport } from '../../model/report.ts';
import { scenarioCounts } from '../../wording/load-text.ts';
import { powerText } from '../../wording/power-text.ts';
import { serverText } from '../../wording/server-text.ts';
import { newerTitle, subjectText } from '../../wording/subject-text.ts';

const DRIVER_WORDS: Readonly<Record<CertifyReport['target']['driver'], string>> = {
  exec: 'exec, one start per scenario',
  jsonl: 'jsonl, one process for all',
  none: 'none, judged by the traffic alone',
};

/** What the banner says about the run, besides the verdict. */
export function certifyFacts(report: CertifyReport): PageFacts {
  const requests = report.scenarios.reduce((sum, { timeline }) => sum + timeline.length, 0);
  return [
    ['Command', subjectText(report)],
    ['Driver', DRIVER_WORDS[report.target.driver]],
    ['Scenarios', scenarioCounts(report)],
    ['Requests', `${requests}`],
    ...(report.server === undefined ? [] : [['Server', serverText(report.server)] as const]),
    ...(report.power === undefined ? [] : [['Power', powerText(report.power, 'certify')] as const]),
  ];
}

/** The sections of the page on a client. */
export function certifyMain(report: CertifyReport): Html {
  const { failures, advice, expected, newer, inconclusive, skipped } = attention(report);
  return html`${problemsHtml(report)} ${seenInScenariosHtml('What failed', failures, report)}
  ${seenInScenariosHtml('Should, but does not', advice, report)}
  ${seenInScenariosHtml('Failed as the baseline expects', apart(expected), report)}
  ${seenInScenariosHtml(newerTitle(report), apart(newer), report)} ${countsHtml(report)}
  ${unjudgedHtml('Inconclusive, and why', inconclusive)} ${unjudgedHtml('Skipped, and why', skipped)}
  ${freedomsHtml(report)} ${herdHtml(report)} ${timelineHtml(report)} ${requirementsHtml(report)}
  ${observationsHtml(report)}`;
}
