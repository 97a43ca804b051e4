import { attention } from '../../model/attention.ts';
import type { VerifyReport } from '../../model/report.ts';
import { failureLists } from '../../model/run.ts';
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
