import { anchor } from '../html/parts.ts';
import type { CertifyReport, ReportedFreedom, ReportedScenario, TimelineEntry } from '../model/report.ts';
import { backoffText, earlyText, momentText, needsAttention, requestLine } from '../model/timeline.ts';
import { countText, printableBlock } from '../model/words.ts';
import * as doc from './document.ts';
import { herdSection } from './herd.ts';

/** What a client did with what services may do otherwise, together with others, and in each scenario. */
export function clientSections({ freedoms, herd, scenarios }: CertifyReport): readonly doc.DocumentBlock[] {
  return [
    ...(freedoms === undefined ? [] : [freedomSection(freedoms)]),
    ...(herd === undefined ? [] : [herdSection(herd)]),
    ...scenarioBlocks(scenarios),
  ];
}

function freedomSection(freedoms: readonly ReportedFreedom[]): doc.DocumentBlock {
  const failed = failedFreedoms(freedoms);
  const passed = freedoms.filter((row) => row.failed.length === 0);
  return doc.section(
    'What services may do otherwise',
    doc.line(`${freedomsText(freedoms)}. This does not change the verdict.`),
    doc.entries(
      failed.map(({ title, failed: tried }) =>
        doc.entry(
          'fail',
          [{ name: title }, ` (${tried.map(({ scenario }) => scenario).join(', ')})`],
          doc.line(tried[0]?.failures.join(' ')),
        ),
      ),
      'seen card',
    ),
    doc.onPage(doc.table(freedomTable([...failed, ...passed]))),
  );
}

/** The choices that a client was tried with. */
function freedomTable(freedoms: readonly ReportedFreedom[]): doc.Table {
  return {
    caption: 'Choices that services may make',
    columns: ['What services may do', 'Of what is left open', 'Scenarios', 'Failed in'],
    rows: freedoms.map(({ title, freedom, scenarios, failed }) => [
      title,
      freedom,
      scenarios,
      failed.map(({ scenario }) => scenario).join(', '),
    ]),
  };
}

/** Such as `It passes with 88 of 90 choices that services may make; it fails with 2`. */
function freedomsText(freedoms: readonly ReportedFreedom[]): string {
  const failed = failedFreedoms(freedoms).length;
  const tried = `${countText(freedoms.length, 'choice')} that services may make`;
  return failed === 0 ? `It passes with all ${tried}` : `It fails with ${failed} of ${tried}`;
}

/** The choices that it failed with, those of most scenarios first. */
function failedFreedoms(freedoms: readonly ReportedFreedom[]): readonly ReportedFreedom[] {
  return freedoms
    .filter(({ failed }) => failed.length > 0)
    .toSorted((one, other) => other.failed.length - one.failed.length);
}

/** Requests of a scenario, and characters of what its client wrote, that are shown; report.json has all. */
const ON_PAGE = { requests: 100, characters: 16_000 };
const IN_MARKDOWN = { requests: 20, characters: 1000 };

/** Scenarios that Markdown shows request by request. */
const SCENARIOS_SHOWN = 30;

/** Every scenario in a page; else those that did not pass. */
function scenarioBlocks(scenarios: readonly ReportedScenario[]): readonly doc.DocumentBlock[] {
  const open = scenarios.filter(needsAttention);
  return scenarios.length === 0
    ? []
    : [
        doc.onPage(
          doc.section(
            'Scenarios',
            doc.line('Seconds are since the start of a scenario, by the clock of the server.', 'muted'),
            doc.entries(scenarios.map(scenarioEntry), 'seen card'),
          ),
        ),
        doc.inMarkdown(
          doc.section(
            'Scenarios',
            doc.folded(`All ${scenarios.length} scenarios`, [doc.table(scenarioTable(scenarios))]),
            ...open
              .slice(0, SCENARIOS_SHOWN)
              .map((scenario) =>
                doc.section(
                  { title: `${scenario.id}: ${scenario.title}`, about: scenario },
                  ...behaviourBlocks(scenario, IN_MARKDOWN),
                ),
              ),
          ),
        ),
        doc.onTerminal(
          doc.section(
            `Scenarios not passed (${open.length} of ${scenarios.length})`,
            doc.entries(
              open.map(({ id, title, outcome, timeline, durationSeconds, ending }) =>
                doc.entry(
                  outcome,
                  [
                    { name: id },
                    ` ${title} (${countText(timeline.length, 'request')}, ${durationSeconds.toFixed(1)} s)`,
                  ],
                  doc.line(ending),
                ),
              ),
            ),
          ),
        ),
      ];
}

function scenarioEntry(scenario: ReportedScenario): doc.Entry {
  const { id, title, task, outcome, timeline, durationSeconds } = scenario;
  const size = `${countText(timeline.length, 'request')}, ${durationSeconds.toFixed(2)} s`;
  return {
    ...doc.entry(
      outcome,
      [{ outcome, words: outcome }, ' ', { name: title }, { muted: [' ', { code: id }, `, ${size}`] }],
      doc.line({ code: task }, 'about'),
      ...behaviourBlocks(scenario, ON_PAGE),
    ),
    id: anchor('scenario', id),
  };
}

function scenarioTable(scenarios: readonly ReportedScenario[]): doc.Table {
  return {
    caption: 'Scenarios',
    columns: ['Outcome', 'Scenario', 'Title', 'Requests', 'Seconds', 'How it ended'],
    rows: scenarios.map(({ id, title, outcome, timeline, durationSeconds, ending }) => [
      { outcome, words: outcome },
      id,
      title,
      timeline.length,
      durationSeconds.toFixed(1),
      ending,
    ]),
  };
}

/** What failed in a scenario, how it ended, the exact moments and what the client wrote. */
export function behaviourBlocks(
  scenario: ReportedScenario,
  most: typeof ON_PAGE,
): readonly doc.DocumentBlock[] {
  const { failures, outcome, timeline, ending, output } = scenario;
  const isFailed = outcome === 'fail';
  const hidden = timeline.length - most.requests;
  const isOpen = needsAttention(scenario);
  const moments = [
    doc.table(timelineTable(scenario, most.requests), 'figures moments'),
    doc.line(hidden > 0 ? `and ${hidden} more requests in report.json` : undefined, 'about'),
  ];
  const title = 'What the client wrote';
  const wrote = doc.text('text', output === '' ? [] : [printableBlock(output, most.characters)]);
  return [
    // A scenario that passed may still fall short of a should.
    doc.section(
      isFailed ? 'What failed, and what to change' : 'What should be better',
      doc.lines(failures, `box ${isFailed ? 'fail' : 'inconclusive'}`),
    ),
    doc.line(timeline.length === 0 ? 'No request arrived.' : backoffText(scenario), 'about'),
    doc.line(ending, 'about'),
    ...(isOpen ? moments : [doc.folded(`${countText(timeline.length, 'request')}, exactly`, moments)]),
    isOpen ? doc.section(title, wrote) : doc.folded(title, [wrote]),
  ];
}

/** The first requests of a scenario with their answers. */
export function timelineTable({ title, timeline }: ReportedScenario, most: number): doc.Table {
  return {
    caption: `Requests of ${title}`,
    columns: [
      'No.',
      'Request',
      'Came at',
      'Answered at',
      'Answer',
      'Retry-After',
      'Allowed from',
      'Early by',
    ],
    rows: timeline
      .slice(0, most)
      .map((entry, index) => timelineRow(entry, index + 1, earlyText(timeline, index))),
  };
}

function timelineRow(entry: TimelineEntry, place: number, early = '–'): readonly string[] {
  const { receivedSeconds, answeredSeconds, status, retryAfter, allowedSeconds } = entry;
  return [
    `${place}`,
    requestLine(entry),
    momentText(receivedSeconds),
    answeredSeconds === null ? 'not answered' : momentText(answeredSeconds),
    status === null ? '–' : `${status}`,
    retryAfter ?? '–',
    allowedSeconds === null ? 'any time' : momentText(allowedSeconds),
    early,
  ];
}
