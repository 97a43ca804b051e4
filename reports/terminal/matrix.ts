import { observationText } from '../model/observations.ts';
import type { MatrixRow, ReportMatrix } from '../model/report-matrix.ts';
import { verdictSign } from '../model/requirement-groups.ts';
import { paragraphs, printableLine } from '../model/words.ts';
import { signOf, styleFor, titledLists, type Style } from './style.ts';

/** The matrix for a terminal: the reports by letter, what differs, and how many requirements are alike. */
export function renderMatrix(matrix: ReportMatrix, color: boolean): string {
  const style = styleFor(color);
  const { reports, requirements, observations } = matrix;
  const heads = reports.map(
    ({ name, verdict, scope }, index) =>
      `  ${letterOf(index)}  ${printableLine(name)}: ${verdictSign(verdict)} ${printableLine(scope)}`,
  );
  const differing = requirements.filter(({ differs }) => differs);
  const alike = requirements.length - differing.length;
  const letters = reports.map((_report, index) => letterOf(index)).join(' ');
  const lists = titledLists(
    {
      [`Requirements that differ (${differing.length})`]: [
        ...(differing.length === 0 ? [] : [`  ${letters}`]),
        ...differing.map((row) => requirementLine(row, style)),
      ],
      [`Observations that differ (${observations.length})`]: observations.map(({ name, values }) => {
        const shown = values.map((value) => (value === null ? '(not observed)' : observationText(value)));
        return `  ${style('bold', printableLine(name))}: ${shown.join(' | ')}`;
      }),
    },
    style,
  );
  return `${paragraphs([
    heads.join('\n'),
    ...lists,
    `${alike} requirements have the same outcome in all reports.`,
  ])}\n`;
}

function requirementLine({ id, level, cells }: MatrixRow, style: Style): string {
  const signs = cells.map((cell) => (cell === null ? '–' : signOf(cell.outcome, style)));
  return `  ${signs.join(' ')}  ${style('bold', printableLine(id))} (${level})`;
}

/** A, B, …, Z, AA, AB, … */
function letterOf(index: number): string {
  const letter = String.fromCodePoint(65 + (index % 26));
  return index < 26 ? letter : `${letterOf(Math.floor(index / 26) - 1)}${letter}`;
}
