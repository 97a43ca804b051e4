import { requestsInTrail } from '../../contract/trail.ts';
import type { Finding } from '../../contract/verdict.ts';
import { anchor } from '../html/parts.ts';
import { countsHtml, requirementsHtml } from '../html/requirements.ts';
import { attention, type Cause, countFailures } from '../model/attention.ts';
import { ledThere, requestText, responseText, tallyText } from '../model/findings.ts';
import { observationText } from '../model/observations.ts';
import type {
  AnyVerdict,
  Report,
  ReportedRequirement,
  ReportedExploration,
  VerifyReport,
} from '../model/report.ts';
import {
  countOutcomes,
  groupByArea,
  groupByReason,
  LEVELS,
  OUTCOME_SIGN,
  OUTCOMES,
  reasonOf,
  VERDICT_OUTCOME,
} from '../model/requirement-groups.ts';
import { effortText, factsOf, failureLists, remarks, runFacts, subjectText } from '../model/run.ts';
import { scenarioOf } from '../model/timeline.ts';
import { countText, printableLine } from '../model/words.ts';
import { clientSections } from './certify.ts';
import * as doc from './document.ts';
import { overviewSection, scenarioSection } from './load.ts';

const VERDICT_WORDS: Readonly<Record<AnyVerdict, string>> = {
  conformant: 'Conformant',
  nonconformant: 'Not conformant',
  certified: 'Certified',
  'not-certified': 'Not certified',
  inconclusive: 'Inconclusive',
};

/** What verify, certify and load say of a run. */
export function runDocument(report: Report): doc.Document {
  const { kind, verdict, scope, suite } = report;
  const isLoad = kind === 'load';
  const { inconclusive, skipped } = attention(report);
  // Most requirements are judged by `verify` only.
  const judged = report.requirements.filter(({ outcome }) => !isLoad || outcome !== 'skipped');
  return {
    title: `${VERDICT_WORDS[verdict]}: ${printableLine(subjectText(report), 200)}`,
    outcome: VERDICT_OUTCOME[verdict],
    about: `Petstore Inventory Service ${suite.specVersion}`,
    verdict: VERDICT_WORDS[verdict],
    scope,
    facts: [...factsOf(report), ...runFacts(report)],
    blocks: [
      doc.section('Problems of the run', doc.notices(report.problems)),
      ...(isLoad ? [overviewSection(report)] : []),
      ...failureLists(report).map(([title, causes], index) =>
        doc.section(
          `${title} (${countFailures(causes)})`,
          doc.entries(
            causes.map((cause, place) => failureEntry(report, cause, index === 0 ? place : null)),
            'seen card',
          ),
        ),
      ),
      ...(judged.length === 0
        ? []
        : [
            doc.onPage(
              doc.section(
                'Outcomes',
                doc.drawing(() => countsHtml(countOutcomes(judged))),
              ),
            ),
            doc.inMarkdown(doc.section('Outcomes', doc.table(areaTable(report.requirements)))),
          ]),
      reasonsSection('Inconclusive', inconclusive, doc.entries(inconclusive.map(briefEntry))),
      ...(isLoad
        ? report.scenarios.map(scenarioSection)
        : [reasonsSection('Skipped', skipped, doc.lines(groupByReason(skipped).map(reasonLine)))]),
      ...(kind === 'certify' ? clientSections(report) : []),
      ...(kind === 'verify' ? [explorationSection(report)] : []),
      doc.onPage(
        doc.section(
          'Requirements by area',
          ...(judged.length === 0 ? [] : [doc.drawing(() => requirementsHtml(report, judged))]),
        ),
      ),
      doc.unlessTerminal(doc.section('Observations', doc.table(observationTable(report), ''))),
      ...(kind === 'verify' ? [doc.onPage(requestsSection(report), checksSection(report))] : []),
      ...(isLoad ? [doc.unlessTerminal(unjudgedUnderLoad(skipped))] : []),
      doc.onTerminal(doc.lines([...countLines(report), effortText(report), ...remarks(report)])),
    ],
  };
}

/** How many requirements of each level had each outcome. */
function countLines({ counts }: Report): readonly string[] {
  return LEVELS.map((level) => {
    const parts = OUTCOMES.filter((outcome) => counts[level][outcome] > 0).map(
      (outcome) => `${counts[level][outcome]} ${outcome}`,
    );
    return `${level.padEnd(8)} ${parts.length === 0 ? 'none' : parts.join(', ')}`;
  });
}

/** Findings named of a failure: a client's are each of another scenario. */
const FINDINGS_NAMED = { verify: 1, certify: 5, load: 3 } as const;

/** Lines of what led to a failure on a terminal and in Markdown, and characters of a body. */
const LINES_ON_TERMINAL = 3;
const LINES_IN_MARKDOWN = 10;
const BODY_LIMIT = 1000;

/** Failures shown with their exchange in Markdown; a job summary on GitHub holds 1 MiB. */
const EXCHANGES_SHOWN = 30;

/** A failure and, folded, what follows from it. @param place among those that decide the verdict, or `null` */
function failureEntry(report: Report, { root, followers }: Cause, place: number | null): doc.Entry {
  const { outcome, title, findings, tally } = root;
  const often = tally === undefined ? '' : ` ${tallyText(tally)}`;
  const said =
    place === null
      ? [doc.line([reasonOf(root), { muted: often }])]
      : [
          doc.line({ muted: `${title}${often}` }),
          ...findings
            .slice(0, FINDINGS_NAMED[report.kind])
            .map((finding) => doc.line(messageWords(report, finding))),
          ...evidenceBlocks(root, place),
        ];
  const more = `${countText(followers.length, 'more failure')}, probably because of `;
  return doc.entry(
    outcome,
    headOf(root),
    ...said,
    ...(followers.length === 0
      ? []
      : [doc.folded([more, { code: root.id }], [doc.entries(followers.map(briefEntry))], 'followers')]),
  );
}

function headOf({ id, level, clause }: ReportedRequirement): doc.Words {
  return [
    { name: { words: { code: id }, to: anchor('requirement', id) } },
    { muted: ` (${level}; ${clause})` },
  ];
}

function briefEntry(requirement: ReportedRequirement): doc.Entry {
  return doc.entry(requirement.outcome, headOf(requirement), doc.line(reasonOf(requirement)));
}

/** The message of a finding; the scenario that begins it leads to its timeline. */
function messageWords(report: Report, finding: Finding): doc.Words {
  const scenario = report.kind === 'certify' ? scenarioOf(finding, report.scenarios) : undefined;
  return scenario === undefined
    ? finding.message
    : [
        { words: scenario.title, to: anchor('scenario', scenario.id) },
        finding.message.slice(scenario.title.length),
      ];
}

/** What shows a failure, of its first finding; a page has it beside the requirement. */
function evidenceBlocks({ id, findings }: ReportedRequirement, place: number): readonly doc.DocumentBlock[] {
  const [finding] = findings;
  if (finding === undefined) {
    return [];
  }
  return [
    doc.onTerminal(
      doc.text('text', ledThere(finding, LINES_ON_TERMINAL)),
      doc.commands([repeatLine(findings)]),
    ),
    ...(place < EXCHANGES_SHOWN
      ? [doc.inMarkdown(doc.folded(`Evidence: ${id}`, proofBlocks(finding, LINES_IN_MARKDOWN, BODY_LIMIT)))]
      : []),
  ];
}

/** What led to a finding in so many lines at most, what repeats it, and its exchange with bodies of so many characters. */
export function proofBlocks(
  finding: Finding,
  lines: number,
  characters: number,
): readonly doc.DocumentBlock[] {
  const { exchange, curl, repeat } = finding;
  return [
    doc.text('text', ledThere(finding, lines)),
    doc.commands([repeat, curl]),
    ...[requestText, responseText].map((textOf) =>
      doc.text('http', exchange === undefined ? [] : [textOf(exchange, characters)]),
    ),
  ];
}

/** A command that shows it again: the check if it takes several requests, else the request. */
function repeatLine(findings: readonly Finding[]): string | undefined {
  const [first] = findings;
  const curl = findings.find((finding) => finding.curl !== undefined)?.curl;
  const requests = first?.trail === undefined ? 0 : requestsInTrail(first.trail);
  return requests > 1 ? (first?.repeat ?? curl) : (curl ?? first?.repeat);
}

function areaTable(requirements: readonly ReportedRequirement[]): doc.Table {
  return {
    caption: 'Outcomes by area',
    columns: ['Area', ...OUTCOMES.map((outcome) => `${OUTCOME_SIGN[outcome]} ${outcome}`)],
    rows: groupByArea(requirements).map(([area, group]) => countCells(area, group)),
    sums: countCells({ name: 'all' }, requirements),
  };
}

function countCells(name: doc.Words, group: readonly ReportedRequirement[]): readonly doc.Words[] {
  const counts = OUTCOMES.map((outcome) => group.filter((one) => one.outcome === outcome).length);
  return [name, ...counts];
}

/** Requirements without a judgement: by reason, unless a terminal has a line for each. */
function reasonsSection(
  title: string,
  requirements: readonly ReportedRequirement[],
  lines: doc.DocumentBlock,
): doc.DocumentBlock {
  return doc.section(
    `${title} (${requirements.length})`,
    doc.onTerminal(lines),
    doc.unlessTerminal(doc.table(reasonTable(title, requirements), '')),
  );
}

function unjudgedUnderLoad(skipped: readonly ReportedRequirement[]): doc.DocumentBlock {
  const title = `Requirements that were not judged under load (${skipped.length})`;
  return doc.folded(title, [doc.table(reasonTable('Not judged under load', skipped, false), '')], 'folded');
}

/** @param isListed whether each has a row in a page */
function reasonTable(
  caption: string,
  requirements: readonly ReportedRequirement[],
  isListed = true,
): doc.Table {
  return {
    caption,
    columns: ['Reason', 'Count', 'Requirements'],
    rows: groupByReason(requirements).map(([reason, group]) => [
      reason,
      group.length,
      group.flatMap(({ id }, index): readonly doc.Words[] => [
        index === 0 ? '' : ', ',
        isListed ? { words: { code: id }, to: anchor('requirement', id) } : { code: id },
      ]),
    ]),
  };
}

/** What was observed, by name. */
function observationTable({ observations }: Report): doc.Table {
  return {
    caption: 'Observations',
    columns: ['What the specification leaves open', 'Seen'],
    rows: Object.entries(observations).map(([name, value]) => [{ code: name }, observationText(value)]),
  };
}

/** Ids named after a reason before the rest is counted. */
const IDS_NAMED = 4;

function reasonLine([reason, group]: readonly [string, readonly ReportedRequirement[]]): string {
  const ids = group.slice(0, IDS_NAMED).map(({ id }) => id);
  const rest = group.length > IDS_NAMED ? [`${group.length - IDS_NAMED} more`] : [];
  return `${group.length.toString().padStart(3)}  ${reason} (${[...ids, ...rest].join(', ')})`;
}

/** What was explored, and what that found. */
function explorationSection({ exploration }: VerifyReport): doc.DocumentBlock {
  return doc.section(
    'Explored',
    ...(exploration === undefined
      ? []
      : [doc.line(`${explorationText(exploration)}.`), doc.lines(exploration.found.map(foundText))]),
  );
}

/** What was explored, such as `3000 requests in 73 sequences with seed 1`. */
function explorationText({ seed, requests, shrinking, episodes }: ReportedExploration): string {
  const more = shrinking === 0 ? '' : `; ${countText(shrinking, 'request')} more to shorten what was found`;
  return `${countText(requests, 'request')} in ${countText(episodes, 'sequence')} with seed ${seed}${more}`;
}

/** One violation that was found, with what it takes to see it. */
function foundText({ requirement, requests, repeated }: ReportedExploration['found'][number]): string {
  if (repeated === null) {
    return `${requirement}: seen within ${countText(requests, 'request')}, which were not repeated`;
  }
  return repeated
    ? `${requirement}: shown by ${countText(requests, 'request')}`
    : `${requirement}: seen once in ${countText(requests, 'request')}, and not again when they were repeated`;
}

/** Requests announced and sent, by key. */
function requestsSection({ budget }: VerifyReport): doc.DocumentBlock {
  return doc.section(
    'Requests',
    doc.table(
      {
        caption: 'Requests by key',
        columns: ['Key', 'Plan', 'Announced', 'Sent'],
        rows: budget.byKey.map(({ label, plan, announced, spent }) => [label, plan, announced, spent]),
        sums: ['All', '', budget.announced, budget.spent],
      },
      '',
    ),
  );
}

/** The checks that ran, with their time. */
function checksSection({ checks }: VerifyReport): doc.DocumentBlock {
  return doc.section(
    'Checks',
    doc.table(
      {
        caption: 'Checks',
        columns: ['Check', 'Title', 'Outcome', 'Requests', 'Time'],
        rows: checks.map(({ id, title, outcome, requests, durationSeconds }) => [
          { code: id },
          title,
          { outcome, words: outcome },
          requests,
          `${durationSeconds.toFixed(2)} s`,
        ]),
      },
      '',
    ),
  );
}
