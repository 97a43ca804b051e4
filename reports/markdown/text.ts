import { escapeHtml } from '../html/template.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { cellText, type Cell, type Table } from '../model/table.ts';
import { printableLine } from '../model/words.ts';

/** The text in one line, escaped so that GitHub-flavoured Markdown shows it unchanged, in a table cell too. */
export function markdownText(text: string, limit = 500): string {
  return escapeHtml(printableLine(text, limit).replace(/[\\`*_[\]#|~$]/g, String.raw`\$&`))
    .replaceAll('@', '@<!-- -->')
    .replaceAll('://', String.raw`\://`)
    .replace(/www(?=\.)/gi, '$&\\');
}

/** A fenced code block around text that is printable already; no run of backticks in it can close the fence. */
export function codeBlock(language: string, text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A table whose cells are Markdown already; '' if it has no row. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0
    ? ''
    : [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A table of whatever words; '' if it has no row. */
export function tableText({ columns, rows }: Table): string {
  return markdownTable(
    columns.map((column) => markdownText(column)),
    rows.map((row) => row.map(cellMarkdown)),
  );
}

function cellMarkdown(cell: Cell): string {
  const sign = typeof cell === 'object' && 'outcome' in cell ? `${OUTCOME_SIGN[cell.outcome]} ` : '';
  return `${sign}${markdownText(cellText(cell))}`;
}

/** A list of whatever lines. */
export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${markdownText(line)}`).join('\n');
}

/** A part that the reader opens; the summary is Markdown without block structure. */
export function collapsed(summary: string, body: string): string {
  return `<details>\n<summary>${escapeHtml(summary)}</summary>\n\n${body}\n\n</details>`;
}
