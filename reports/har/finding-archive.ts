import { authorizationName } from '../../contract/field-names.ts';
import { showKeyText, type TrailAnswer, type TrailKey, type TrailRequest } from '../../contract/trail.ts';
import type { HeaderField, RecordedExchange } from '../../contract/verdict.ts';
import { repeatableFindings, type RepeatableFinding } from '../model/repeatable.ts';
import type { Report } from '../model/report.ts';
import { countOutcomes } from '../model/requirement-groups.ts';
import { validateReport } from '../model/validate.ts';
import { harEntry, harLog } from './har-entry.ts';

/**
 * The trail of a finding as an HTTP archive (HAR 1.2). Answers that followed one another and have the same status are
 * one entry, whose comment says how many. \`_report\` holds the finding itself, which \`stockcheck replay\` reads.
 */
export function renderFindingArchive(report: Report, finding: RepeatableFinding): string {
  const { trail, target } = finding;
  const began = (trail.startedAt ?? 0) * 1000;
  const entries = trail.steps.flatMap((step) =>
    step.do === 'send'
      ? step.requests.flatMap((request) =>
          request.answers.map((answer) =>
            harEntry(
              exchangeOf(request, answer, {
                target,
                keys: trail.keys,
                sentAt: new Date(began + step.at).toISOString(),
              }),
              answer.times === 1 ? '' : `${answer.times} times`,
            ),
          ),
        )
      : [],
  );
  const log = { ...harLog(report.suite.version, entries), _report: onlyFinding(report, finding) };
  return `${JSON.stringify({ log }, null, 2)}\n`;
}

function exchangeOf(
  { method, path, authorization, headers, body }: TrailRequest,
  { status, first, body: answered }: TrailAnswer,
  {
    target,
    keys,
    sentAt,
  }: { readonly target: string; readonly keys: readonly TrailKey[]; readonly sentAt: string },
): RecordedExchange {
  return {
    request: {
      method,
      url: `${target}${showKeyText(path, keys)}`,
      headers: [
        ...authorization.map((value): HeaderField => [authorizationName(headers), showKeyText(value, keys)]),
        ...headers.map(([name, value]): HeaderField => [name, showKeyText(value, keys)]),
      ],
      body,
    },
    response: status === null ? null : { status, headers: first, body: answered, bodyBytes: answered.length },
    sentAt,
    durationMilliseconds: 0,
  };
}

/** A report that holds nothing but the finding. */
function onlyFinding(
  report: Report,
  { requirement: wanted, message, check, trail }: RepeatableFinding,
): Report {
  const row = report.requirements.find(({ id }) => id === wanted);
  const findings = [{ message, ...(check === null ? {} : { check }), trail }];
  const requirements = row === undefined ? [] : [{ ...row, findings }];
  const rest = {
    requirements,
    counts: countOutcomes(requirements),
    causes: [],
    observations: {},
    problems: [],
  };
  return { ...report, ...rest };
}

/** The finding of an archive. @throws {Error} that says what is wrong with it */
export function readFindingArchive(text: string): RepeatableFinding {
  const value: { readonly log?: Readonly<Record<string, unknown>> } = JSON.parse(text);
  const report = value.log?.['_report'];
  if (report === undefined) {
    throw new Error('the archive holds no trail of a finding, as --report writes it into findings/');
  }
  const [finding] = repeatableFindings(validateReport(report));
  if (finding === undefined) {
    throw new Error('the archive holds no trail of a finding');
  }
  return finding;
}
