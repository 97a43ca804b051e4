import { attention } from '../../model/attention.ts';
import { apart } from '../../model/causes.ts';
import type { VerifyReport } from '../../model/report.ts';
import { addressText, newerTitle, powerText, responseTimesText } from '../../model/run.ts';
import type { PageFacts } from '../page.ts';
import { requirementsHtml, seenHtml, unjudgedHtml } from '../requirements.ts';
import {
  budgetHtml,
  checksHtml,
  countsHtml,
  explorationHtml,
  observationsHtml,
  problemsHtml,
} from '../sections.ts';
import { html, type Html } from '../template.ts';

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
export function verifyMain(report: VerifyReport): Html {
  const { failures, advice, expected, newer, inconclusive, skipped } = attention(report);
  return html`${problemsHtml(report)} ${countsHtml(report)} ${seenHtml('What failed', failures)}
  ${seenHtml('Should, but does not', advice)} ${seenHtml('Failed as the baseline expects', apart(expected))}
  ${seenHtml(newerTitle(report), apart(newer))} ${unjudgedHtml('Inconclusive, and why', inconclusive)}
  ${unjudgedHtml('Skipped, and why', skipped)} ${requirementsHtml(report)} ${explorationHtml(report)}
  ${observationsHtml(report)} ${budgetHtml(report)} ${checksHtml(report)}`;
}
