import { isDeepStrictEqual } from 'node:util';

import {
  type JsonObject,
  stringsMember,
  booleanMember,
  orNull,
  stringMember,
} from '../../../contract/json/index.ts';
import { readRequirementSet } from '../../../contract/requirements/index.ts';
import { withoutEvidence, type CertifyReport, type JudgedAgain } from '../../../reports/index.ts';
import {
  CLIENT_KEY_LABEL,
  judgeRecords,
  recordOfLine,
  SCENARIOS,
  type JudgedRecords,
} from '../../../suites/certify/index.ts';
import { buildCertifyReport } from '../certify/report.ts';
import { redactReport } from '../redact-report.ts';
import { atLine, redactorOf } from '../../../suites/target/index.ts';
import { figuresByRequirement } from './verify-again.ts';

/** The scenarios of a transcript, judged again. @throws {SyntaxError} that names the line */
export function judgeRecordsAgain(lines: readonly JsonObject[]): JudgedRecords {
  return judgeRecords(lines.map((line, index) => atLine(index, () => recordOfLine(line))));
}

/** What came out, in figures. */
export function figuresOfRecords({ records, judgements }: JudgedRecords): JudgedAgain {
  const exchanges = records.flatMap(({ traffic }) => traffic.exchanges);
  const statuses: Record<string, number> = {};
  for (const { response } of exchanges.filter(({ answeredAt }) => answeredAt !== null)) {
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
  }
  return {
    exchanges: records.reduce((sum, { server }) => sum + server.responses, 0),
    histories: records.length,
    statuses,
    requestsByKey: { [CLIENT_KEY_LABEL]: exchanges.length },
    requirements: figuresByRequirement(judgements),
  };
}

/** The parts of a report that follow from the records alone. */
const FOLLOWING = [
  'verdict',
  'scope',
  'causes',
  'requirements',
  'counts',
  'observations',
  'scenarios',
  'power',
  'server',
] as const;

/**
 * The parts of an attested report that are not what comes out when its transcript is judged again.
 * @param header the first line of the transcript
 */
export function differencesOfClient(
  attested: CertifyReport,
  again: JudgedRecords,
  header: JsonObject,
): readonly string[] {
  const leftOut = new Set(stringsMember(header, 'leftOut'));
  const expected = stringsMember(header, 'baseline');
  const path = orNull(header, 'like', stringMember);
  const { level, target, requirementSet } = attested;
  const left = SCENARIOS.filter(({ id }) => leftOut.has(id));
  const built = buildCertifyReport(
    {
      ...again,
      interrupted: booleanMember(header, 'interrupted'),
      leftOut: left,
      startedAt: new Date(attested.startedAt),
      durationSeconds: attested.durationSeconds,
    },
    {
      ...target,
      level,
      ...(requirementSet === undefined
        ? {}
        : { requirementSet: readRequirementSet('requirementSet', requirementSet) }),
      scenarios: [...again.records.map(({ scenario }) => scenario), ...left],
      baseline: new Map(expected.map((id) => [id, ''])),
      like: path === null ? null : { path },
    },
  );
  const { redact } = redactorOf(again.records.map(({ apiKey }) => [apiKey, CLIENT_KEY_LABEL]));
  const rebuilt = withoutWords(withoutEvidence(redactReport(built, redact)));
  const said = withoutWords(attested);
  return FOLLOWING.filter((part) => !isDeepStrictEqual(said[part], rebuilt[part])).map((part) =>
    describePart(part, said, rebuilt),
  );
}

/** The report without texts that quote what a client sent: it may have sent its key, which reads differently here. */
function withoutWords(report: CertifyReport): CertifyReport {
  return {
    ...report,
    observations: Object.fromEntries(Object.keys(report.observations).map((name) => [name, ''])),
    requirements: report.requirements.map(({ reason: _reason, ...row }) => ({
      ...row,
      findings: row.findings.map(() => ({ message: '' })),
    })),
    scenarios: report.scenarios.map((scenario) => ({
      ...scenario,
      ending: '',
      failures: scenario.failures.map(() => ''),
      timeline: scenario.timeline.map((entry) => ({ ...entry, target: '' })),
    })),
  };
}

function describePart(
  part: (typeof FOLLOWING)[number],
  attested: CertifyReport,
  rebuilt: CertifyReport,
): string {
  if (part === 'verdict') {
    return `The verdict is attested as ${attested.verdict}, and comes out as ${rebuilt.verdict}.`;
  }
  if (part === 'requirements') {
    const row = attested.requirements.find(
      (one, index) => !isDeepStrictEqual(one, rebuilt.requirements[index]),
    );
    const other = rebuilt.requirements.find(({ id }) => id === row?.id);
    return row === undefined
      ? 'More requirements come out than are attested.'
      : `${row.id} is attested as ${row.outcome}, and comes out ${other?.outcome === row.outcome ? 'with other figures' : `as ${other?.outcome ?? 'not judged'}`}.`;
  }
  return `The report's ${part} are not what comes out.`;
}
