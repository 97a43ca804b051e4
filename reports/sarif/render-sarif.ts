import { STATUS_CODES } from 'node:http';
import type { Finding, HeaderField, RecordedExchange } from '../../contract/verdict.ts';
import { apart, attention, listCauses } from '../model/attention.ts';
import { followsText, tallyText } from '../model/findings.ts';
import type { Report, ReportedRequirement } from '../model/report.ts';
import { isBinding, reasonOf } from '../model/requirement-groups.ts';
import { newerTitle, subjectText } from '../model/run.ts';
import { printableBlock, printableLine } from '../model/words.ts';

/** Longest message and longest body, in characters. */
const MESSAGE_LIMIT = 2000;
const BODY_LIMIT = 4000;

/**
 * The report as SARIF 2.1.0: a rule for each requirement, a result for each failed one, the root of each cause before
 * what follows from it. What could not be decided is a notification of the run, since readers take any result for a
 * finding. A failure that the baseline expects, or of what is newer than the set of requirements that decides, is suppressed.
 */
export function renderSarif(report: Report): string {
  const { failures, advice, expected, newer } = attention(report);
  const indexOf = new Map(report.requirements.map(({ id }, index) => [id, index]));
  const results = listCauses([...failures, ...advice, ...apart([...expected, ...newer])]);
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'stockcheck',
            version: report.suite.version,
            rules: report.requirements.map((row) => ruleOf(report, row)),
          },
        },
        automationDetails: { id: `stockcheck/${report.kind}/${report.profile}/` },
        columnKind: 'utf16CodeUnits',
        invocations: [invocationOf(report)],
        results: results.map(({ row, root }) =>
          resultOf(report, row, { from: root, index: indexOf.get(row.id) ?? -1 }),
        ),
        properties: { verdict: report.verdict, scope: printableLine(report.scope) },
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

type SarifLevel = 'error' | 'warning' | 'note';

function levelOf(report: Report, row: ReportedRequirement): SarifLevel {
  return isBinding(report, row) ? 'error' : row.level === 'observe' ? 'note' : 'warning';
}

function ruleOf(report: Report, row: ReportedRequirement) {
  const { id, title, clause, reading, level, area } = row;
  const read = reading === undefined ? '' : ` Read as: ${printableLine(reading)}`;
  return {
    id: printableLine(id),
    shortDescription: { text: printableLine(title) },
    fullDescription: { text: `${printableLine(title)} (${printableLine(clause)})${read}` },
    help: { text: `Run: npx stockcheck explain ${printableLine(id)}` },
    defaultConfiguration: { level: levelOf(report, row) },
    properties: { tags: [printableLine(area)], level, clause: printableLine(clause) },
  };
}

function resultOf(
  report: Report,
  row: ReportedRequirement,
  { from, index }: { readonly from: string | null; readonly index: number },
) {
  const { id, findings, title, tally, expectedFailure } = row;
  const finding: Finding = findings.find(({ exchange }) => exchange !== undefined) ??
    findings[0] ?? { message: title };
  const { exchange } = finding;
  const parts = [
    printableBlock(findings[0]?.message ?? title, MESSAGE_LIMIT),
    ...(tally === undefined ? [] : [tallyText(tally)]),
    ...(from === null ? [] : [followsText(from)]),
  ];
  return {
    ruleId: printableLine(id),
    ruleIndex: index,
    kind: 'fail',
    level: levelOf(report, row),
    message: { text: parts.join(' ') },
    locations: [locationOf(report, row, exchange)],
    ...(tally === undefined ? {} : { occurrenceCount: Math.max(1, tally.violated) }),
    // The same violation of the same requirement is one alert, whatever its message says this time.
    partialFingerprints: { 'stockcheckRequirement/v1': printableLine(id) },
    ...(expectedFailure === true ? suppressed('The baseline expects this failure.') : {}),
    ...(row.newer === true && expectedFailure !== true ? suppressed(`${newerTitle(report)}.`) : {}),
    ...(exchange === undefined ? {} : messagesOf(exchange)),
    ...(from === null ? {} : { properties: { followsFrom: from } }),
  };
}

function suppressed(justification: string) {
  return { suppressions: [{ kind: 'external', justification }] };
}

/** Code-scanning services demand a place in a file; the address of the request stands for it. */
function locationOf(
  report: Report,
  { area, id }: ReportedRequirement,
  exchange: RecordedExchange | undefined,
) {
  const uri = exchange?.request.url ?? (report.kind === 'certify' ? 'client' : report.target.url);
  return {
    physicalLocation: { artifactLocation: { uri: uriOf(uri) }, region: { startLine: 1 } },
    logicalLocations: [
      { fullyQualifiedName: `${printableLine(area)}/${printableLine(id)}`, kind: 'requirement' },
    ],
  };
}

/** A relative reference stays what it is. */
function uriOf(text: string): string {
  return URL.parse(text)?.href ?? encodeURIComponent(printableLine(text));
}

function messagesOf({ request, response }: RecordedExchange) {
  return {
    webRequest: {
      protocol: 'HTTP',
      version: '1.1',
      target: printableLine(request.url),
      method: printableLine(request.method),
      headers: fieldsOf(request.headers),
      ...(request.body === null ? {} : { body: { text: printableBlock(request.body, BODY_LIMIT) } }),
    },
    webResponse:
      response === null
        ? { noResponseReceived: true }
        : {
            protocol: 'HTTP',
            version: '1.1',
            statusCode: response.status,
            reasonPhrase: STATUS_CODES[response.status] ?? '',
            headers: fieldsOf(response.headers),
            body: { text: printableBlock(response.body, BODY_LIMIT) },
          },
  };
}

/** Fields of one name are joined as HTTP joins them. */
function fieldsOf(headers: readonly HeaderField[]): Readonly<Record<string, string>> {
  const byName = Map.groupBy(headers, ([name]) => printableLine(name));
  return Object.fromEntries(
    [...byName].map(([name, fields]) => [name, fields.map(([, value]) => printableLine(value)).join(', ')]),
  );
}

function invocationOf(report: Report) {
  const { startedAt, durationSeconds, verdict, problems, requirements } = report;
  const ended = new Date(Date.parse(startedAt) + durationSeconds * 1000);
  const open = requirements.filter((row) => row.outcome === 'inconclusive');
  return {
    executionSuccessful: verdict !== 'inconclusive',
    startTimeUtc: startedAt,
    endTimeUtc: ended.toISOString(),
    toolExecutionNotifications: [
      ...problems.map((problem) => ({
        level: 'error',
        message: { text: printableBlock(problem, MESSAGE_LIMIT) },
      })),
      ...open.map((row) => ({
        level: isBinding(report, row) ? 'error' : 'warning',
        message: {
          text: `${printableLine(row.id)} is inconclusive: ${printableBlock(reasonOf(row), MESSAGE_LIMIT)}`,
        },
        associatedRule: { id: printableLine(row.id) },
      })),
    ],
    properties: { subject: printableLine(subjectText(report)) },
  };
}
