import { medianOf } from '../../contract/quantile.ts';
import { REQUIREMENTS } from '../../contract/requirements/index.ts';
import { choiceHtml } from '../html/choice.ts';
import {
  isWrong,
  type KillMatrix,
  type MatrixSummary,
  summarize,
  trialName,
  type TrialOutcome,
  type TrialResult,
} from '../model/kill-matrix.ts';
import { runFacts } from '../model/run.ts';
import { countText, printableLine } from '../model/words.ts';
import * as doc from './document.ts';

/** The kill matrix: what went wrong, the tally by area and, in a page, what each fault made fail. */
export function killMatrixDocument(matrix: KillMatrix): doc.Document {
  const { trials, verdict, suite, underlying } = matrix;
  const isProven = verdict === 'proven';
  const explored = exploredText(matrix);
  return {
    title: `Kill matrix: ${isProven ? 'Proven' : 'Not proven'}`,
    outcome: isProven ? 'pass' : 'fail',
    about: `kill matrix · Petstore Inventory Service ${suite.specVersion}`,
    verdict: isProven ? 'Proven' : 'Not proven',
    scope: scopeText(matrix),
    facts: [
      ['Servers', describeServers(matrix)],
      ['Variants of every server', underlying.length === 0 ? 'none' : underlying.join(', ')],
      ...runFacts(matrix),
    ],
    isWide: true,
    isLong: true,
    blocks: [
      doc.onTerminal(...requirementSections(trials)),
      wrongSection(trials.filter(isWrong)),
      doc.section('Faults by area', doc.table(tallyTable(summarize(trials)), '')),
      doc.line(explored === null ? undefined : `${explored}.`, 'about'),
      firstFindings(matrix),
      doc.onPage(
        doc.section(
          'Faults',
          doc.drawing(() => choiceHtml({ of: 'fault', by: [] })),
          doc.table(faultTable(trials)),
        ),
      ),
      doc.onPage(
        doc.section(
          'Servers that conform',
          doc.table(conformantTable(trials.filter(({ fault }) => fault === null)), ''),
        ),
      ),
    ],
  };
}

function scopeText({ verdict, trials, durationSeconds }: KillMatrix): string {
  const summary = summarize(trials);
  const { caught, faults } = summary.total;
  const words = verdict === 'proven' ? 'proven' : 'not proven';
  return `${words}: ${caught} of ${faults} faults caught by the requirement they break${falseAlarmsText(summary)}, ${durationSeconds.toFixed(1)} s`;
}

function describeServers({ bail, trials, underlying }: KillMatrix): string {
  const until = bail ? ', until the requirement that the fault breaks has failed' : '';
  const together = trials.some(({ variants }) => variants.length > underlying.length + 1);
  const alone = together ? 'each fault alone, variants together' : 'each fault and variant alone';
  return alone + until;
}

/** For each requirement the faults that break it, and what else they made fail. */
function requirementSections(trials: readonly TrialResult[]): readonly doc.DocumentBlock[] {
  const faulty = Map.groupBy(trials, ({ fault }) => fault?.breaks);
  return REQUIREMENTS.map(({ id }) => {
    const broken = faulty.get(id) ?? [];
    return doc.section(`${id} (${broken.length})`, doc.entries(broken.map(faultEntry)));
  });
}

function faultEntry({ fault, outcome, failed, shrunkTo }: TrialResult): doc.Entry {
  const others = failed.filter(({ id }) => id !== fault?.breaks).map(({ id }) => id);
  const explored = shrunkTo === null ? '' : `  explored: ${countText(shrunkTo, 'request')}`;
  const also = others.length === 0 ? '' : `  also ${others.join(', ')}`;
  return doc.entry(outcome === 'caught' ? 'pass' : 'fail', [
    fault?.id ?? '',
    { muted: `${explored}${also}` },
  ]);
}

function wrongSection(results: readonly TrialResult[]): doc.DocumentBlock {
  const wrong = results.map((trial) => {
    const { fault, outcome } = trial;
    const breaks = fault === null ? '' : `, breaks ${fault.breaks}`;
    return doc.entry(
      'fail',
      [{ name: trialName(trial) }, `: ${OUTCOME_WORDS[outcome]}${breaks}`],
      doc.line(fault?.title, 'muted'),
      ...seenLines(trial).map((seen) => doc.line(seen)),
    );
  });
  return doc.section(`What went wrong (${results.length})`, doc.entries(wrong, 'seen card'));
}

/** How often the first finding is the right one, which takes whole runs. */
function firstFindings({ trials, bail }: KillMatrix): doc.DocumentBlock {
  const faults = trials.flatMap(({ fault, first }) =>
    fault === null || first === null ? [] : [{ fault, first }],
  );
  const wrong = faults.filter(
    ({ fault, first }) => ![fault.breaks, ...(fault.alsoBreaks ?? [])].some((id) => id === first),
  );
  const right = faults.length - wrong.length;
  const share = ((100 * right) / faults.length).toFixed(1);
  return doc.section(
    'First findings',
    ...(faults.length === 0 || bail
      ? []
      : [
          doc.line(
            `The first finding is of a requirement that the fault breaks: ${right} of ${faults.length} (${share} %)`,
          ),
          doc.lines(
            wrong.map(({ fault, first }) => `not for ${fault.id}, which breaks ${fault.breaks}: ${first}`),
          ),
        ]),
  );
}

/** What each fault made fail; a page can be searched for it. */
function faultTable(trials: readonly TrialResult[]): doc.Table {
  const rows = trials.flatMap(({ fault, variants, profile, outcome, failed }): readonly doc.Words[][] => {
    if (fault === null) {
      return [];
    }
    const others = failed.filter(({ id }) => id !== fault.breaks).map(({ id }) => id);
    return [
      [
        { code: [fault.id, ...variants.map(({ id }) => id)].join(' + ') },
        fault.title,
        { code: fault.breaks },
        { outcome: outcome === 'caught' ? 'pass' : 'fail', words: OUTCOME_WORDS[outcome] },
        profile,
        others.join(', '),
      ],
    ];
  });
  const columns = ['Fault', 'What is wrong', 'Breaks', 'Outcome', 'Profile', 'Failed as well'];
  return { caption: 'Faults', columns, rows, found: rows.map(() => 'fault') };
}

function conformantTable(conformant: readonly TrialResult[]) {
  return {
    caption: 'Servers that conform',
    columns: ['Variant', 'What is different', 'Found'],
    rows: conformant.map((result): readonly doc.Words[] => {
      const { variants, outcome, failed } = result;
      const found: doc.Words = isWrong(result)
        ? { outcome: 'fail', words: OUTCOME_WORDS[outcome] }
        : { outcome: 'pass', words: 'conformant' };
      return [
        { code: variants.length === 0 ? 'the reference' : variants.map(({ id }) => id).join(', ') },
        variants.length === 0 ? 'No difference' : variants.map(({ title }) => title).join('; '),
        [found, ` ${failed.map(({ id }) => id).join(', ')}`],
      ];
    }),
  };
}

/** The outcomes in words. */
const OUTCOME_WORDS: Readonly<Record<TrialOutcome, string>> = {
  caught: 'caught',
  elsewhere: 'caught only by other requirements',
  missed: 'not caught',
  clean: 'conformant',
  accused: 'judged nonconformant though it conforms',
  undecided: 'inconclusive though it conforms',
};

/** The faults of each area, and of all. */
function tallyTable({ byArea, total }: MatrixSummary): doc.Table & { readonly sums: readonly doc.Words[] } {
  return {
    caption: 'Faults by area',
    columns: ['Area', 'Faults', 'Caught', 'in safe', 'in standard', 'in full'],
    rows: byArea.map(([area, tally]) => tallyRow(area, tally)),
    sums: tallyRow('All', total),
  };
}

function tallyRow(area: string, { faults, caught, caughtIn }: MatrixSummary['total']): readonly doc.Words[] {
  return [area, faults, caught, caughtIn.safe, caughtIn.standard, caughtIn.full];
}

/** What follows a count of faults; '' if no conformant server was judged. */
function falseAlarmsText({ conformant, falseAlarms }: MatrixSummary): string {
  return conformant === 0
    ? ''
    : `, ${countText(falseAlarms, 'false alarm')} on ${countText(conformant, 'conformant server')}`;
}

/** What was seen of a server that was judged wrongly. */
function seenLines({ failed, undeclared, undecided }: TrialResult): readonly string[] {
  return [
    ...failed.map(({ id, message }) => `failed ${id}: ${message}`),
    ...undeclared.map(({ check, id }) => `the check ${check} judges ${id} without declaring it`),
    ...undecided.map(({ id, reason }) => `inconclusive ${id}: ${reason}`),
  ].map((line) => printableLine(line, 400));
}

/** How the servers were explored, or `null` if they were not. */
function exploredText({ explored, trials }: Pick<KillMatrix, 'explored' | 'trials'>): string | null {
  if (explored === null) {
    return null;
  }
  const lengths = trials.flatMap(({ shrunkTo }) => shrunkTo ?? []);
  const shown =
    lengths.length === 0
      ? ''
      : `; what was found takes ${countText(medianOf(lengths), 'request')} to show (median)`;
  return `Explored with ${countText(explored.requests, 'request')} to each server, seed ${explored.seed}${shown}`;
}
