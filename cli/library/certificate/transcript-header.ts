import type { JsonObject } from '../../../contract/json/index.ts';
import { withoutEvidence, type Report } from '../../../reports/index.ts';
import { digestOf } from './digests.ts';

/** The first line of a transcript: what it is a transcript of. */
export function transcriptHeader({ report }: { readonly report: Report }): JsonObject {
  return {
    do: 'begin',
    format: 1,
    kind: report.kind,
    suite: report.suite.version,
    subject: report.kind === 'certify' ? JSON.stringify(report.target) : report.target.url,
    profile: report.profile,
    level: report.level,
    requirementSet: report.requirementSet ?? null,
    startedAt: report.startedAt,
    durationSeconds: report.durationSeconds,
    report:
      digestOf(JSON.stringify(report.kind === 'load' ? report : withoutEvidence(report)))['sha256'] ?? '',
    about:
      'Each key is replaced by a pseudonym of the same length, drawn at random: "pseudonym" tells which stands for the key of a label. In a request, a near miss of a key is the same near miss of its pseudonym; in a response, both are hidden.',
  };
}

/** The last line of a transcript of a target: what its run made of it, which the history alone does not tell. */
export function transcriptEnd({ report }: { readonly report: Report }): JsonObject {
  const { verdict, requirements, observations, problems } = report;
  return {
    do: 'end',
    verdict,
    requirements: requirements.map(({ id, outcome, reason = null }) => ({ id, outcome, reason })),
    observations,
    problems,
  };
}
