import { attention } from '../../model/attention.ts';
import type { VerifyReport } from '../../model/report.ts';
import { addressText, failureLists, powerText, responseTimesText } from '../../model/run.ts';
import type { PageFacts } from '../page.ts';
import { causesHtml, requirementsHtml, seenOnce, unjudgedHtml } from '../requirements.ts';
import {
  budgetHtml,
  checksHtml,
  countsHtml,
  explorationHtml,
  observationsHtml,
  problemsHtml,
} from '../sections.ts';
import type { Html } from '../template.ts';

/** What the banner says about the run, besides the verdict. */
export function verifyFacts({ target, profile, power, fingerprint, responseTimes }: VerifyReport): PageFacts {
  return [
    ['Target', addressText(target)],
    ['Control', target.control ?? 'none, real time'],
    ['Keys', target.keys.join(', ')],
    ['Profile', profile],
    ...(fingerprint === undefined ? [] : [['Fingerprint', fingerprint] as const]),
    ...(responseTimes === undefined ? [] : [['Response times', responseTimesText(responseTimes)] as const]),
    ...(power === undefined ? [] : [['Power', powerText(power, 'verify')] as const]),
  ];
}

/** The sections of the page on an implementation. */
export function verifyMain(report: VerifyReport): readonly Html[] {
  const { inconclusive, skipped } = attention(report);
  return [
    problemsHtml(report),
    countsHtml(report),
    ...failureLists(report).map(([title, causes]) => causesHtml(title, causes, seenOnce)),
    unjudgedHtml({ Inconclusive: inconclusive, Skipped: skipped }),
    requirementsHtml(report),
    explorationHtml(report),
    observationsHtml(report),
    budgetHtml(report),
    checksHtml(report),
  ];
}
