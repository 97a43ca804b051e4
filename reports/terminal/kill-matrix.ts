import { type RequirementId, REQUIREMENTS } from '../../contract/requirements/index.ts';
import {
  exploredText,
  falseAlarmsText,
  isWrong,
  type KillMatrix,
  OUTCOME_WORDS,
  seenLines,
  sourceTable,
  summarize,
  tallyTable,
  trialName,
  type TrialResult,
} from '../model/kill-matrix.ts';
import { alignedRows, type Table } from '../model/table.ts';
import { countText, printableLine } from '../model/words.ts';
import { type Style, styleFor } from './style.ts';

/**
 * The matrix for a terminal: for each requirement the faults that break it and what else they made fail, then
 * what went wrong, then the tally by area.
 */
export function renderKillMatrix(matrix: KillMatrix, color: boolean): string {
  const paint = styleFor(color);
  const wrong = matrix.trials.filter(isWrong);
  const sections = [
    ...(matrix.seed === null ? requirementRows(matrix.trials, paint) : []),
    ...(wrong.length === 0 ? [] : [paint('bold', 'What went wrong'), ...wrong.flatMap(describe), '']),
    ...matrix.smallest.flatMap(({ result, repeats }) => [
      repeats
        ? paint('bold', 'Smallest combination that goes wrong')
        : paint('bold', 'Went wrong once, but not when judged again'),
      ...describe(result),
      '',
    ]),
    ...tallyRows(matrix),
    ...firstFindingRows(matrix),
    verdictLine(matrix, paint),
  ];
  return `${sections.join('\n')}\n`;
}

function requirementRows(trials: readonly TrialResult[], paint: Style): readonly string[] {
  const byRequirement = Map.groupBy(
    trials.filter(({ fault }) => fault !== null),
    ({ fault }) => fault?.breaks,
  );
  const lines: string[] = [];
  for (const { id } of REQUIREMENTS) {
    const rows = byRequirement.get(id) ?? [];
    if (rows.length > 0) {
      lines.push(paint('bold', `${id} (${rows.length})`));
      lines.push(...rows.map((row) => faultRow(row, id, paint)), '');
    }
  }
  return lines;
}

function faultRow(
  { fault, outcome, failed, shrunkTo }: TrialResult,
  broken: RequirementId,
  paint: Style,
): string {
  const sign = outcome === 'caught' ? paint('green', '✓') : paint('red', '✗');
  const by = shrunkTo === null ? '' : paint('dim', `  explored: ${countText(shrunkTo, 'request')}`);
  const others = failed.filter(({ id }) => id !== broken).map(({ id }) => id);
  const also = others.length === 0 ? '' : paint('dim', `  also ${others.join(', ')}`);
  return `  ${sign} ${fault?.id ?? ''}${by}${also}`;
}

function describe(trial: TrialResult): readonly string[] {
  const { fault, outcome } = trial;
  return [
    `  ✗ ${trialName(trial)}: ${OUTCOME_WORDS[outcome]}${fault === null ? '' : `, breaks ${fault.breaks}`}`,
    ...(fault === null ? [] : [`      ${printableLine(fault.title)}`]),
    ...seenLines(trial).map((line) => `      ${line}`),
  ];
}

/** What each source caught, if there are several, how the servers were explored, and the tally by area. */
function tallyRows(matrix: KillMatrix): readonly string[] {
  const summary = summarize(matrix.trials);
  const { byArea, conformant, falseAlarms } = summary;
  const { sums, ...areas } = tallyTable(summary);
  const explored = exploredText(matrix);
  return [
    ...(matrix.by.length === 1 ? [] : [...tableLines(sourceTable(matrix)), '']),
    ...(explored === null ? [] : [explored, '']),
    ...(byArea.length === 0 ? [] : tableLines(byArea.length > 1 ? { ...areas, sums } : areas)),
    ...(conformant === 0
      ? []
      : [`False alarms: ${falseAlarms} on ${countText(conformant, 'conformant server')}`]),
    '',
  ];
}

function tableLines(table: Table): readonly string[] {
  return alignedRows(table).map((cells) => cells.join('  ').toLowerCase().trimEnd());
}

/** How often the first finding is the right one, which takes whole runs. */
function firstFindingRows({ trials, bail, onlyOwn }: KillMatrix): readonly string[] {
  const faults = trials.flatMap(({ fault, first }) =>
    fault === null || first === null ? [] : [{ fault, first }],
  );
  if (faults.length === 0 || bail || onlyOwn) {
    return [];
  }
  const wrong = faults.filter(
    ({ fault, first }) => ![fault.breaks, ...(fault.alsoBreaks ?? [])].some((id) => id === first),
  );
  const right = faults.length - wrong.length;
  const share = ((100 * right) / faults.length).toFixed(1);
  return [
    `The first finding is of a requirement that the fault breaks: ${right} of ${faults.length} (${share} %)`,
    ...wrong.map(({ fault, first }) => `  not for ${fault.id}, which breaks ${fault.breaks}: ${first}`),
    '',
  ];
}

function verdictLine({ verdict, trials, durationSeconds, seed, onlyOwn }: KillMatrix, paint: Style): string {
  const summary = summarize(trials);
  const { total } = summary;
  const drawn = seed === null ? '' : `, drawn with seed ${seed}`;
  const alone = onlyOwn ? ' when it alone is selected' : '';
  const figures = `${total.caught} of ${total.faults} faults caught by the requirement they break${alone}${falseAlarmsText(summary)}${drawn}, ${durationSeconds.toFixed(1)} s`;
  return verdict === 'proven'
    ? paint('green', `✓ proven: ${figures}`)
    : paint('red', `✗ not proven: ${figures}`);
}
