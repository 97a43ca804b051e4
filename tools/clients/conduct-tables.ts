import { DAY_SECONDS } from '../../contract/plans.ts';
import type { MeasuredConduct } from './measure-client.ts';

const NOT_MEASURED = '';

/** Two tables in Markdown: how each client comes back, and which freedoms of a service it fails with. */
export function conductTables(clients: readonly MeasuredConduct[]): string {
  return `${[
    table(
      [
        'Client',
        'After a 429',
        'Back within 100 ms',
        'Interquartile range',
        'Waits grow',
        'Taken off a wait',
        'Longest wait that it begins',
      ],
      clients.map((client) => [client.id, ...herdCells(client)]),
    ),
    table(
      ['Client', 'Fails at', 'Choices tried', 'Plays', 'Fails with', 'In scenario'],
      clients.flatMap(freedomRows),
    ),
  ].join('\n\n')}\n`;
}

function herdCells({ herd }: MeasuredConduct): readonly string[] {
  if (herd === undefined) {
    return Array.from({ length: 6 }, () => NOT_MEASURED);
  }
  const { refusals, growth, earliness, longestWait } = herd;
  const [first] = refusals;
  const { begun, declined } = longestWait;
  if (first === undefined) {
    return ['gives up', '–', '–', '–', '–', '–'];
  }
  const { habit } = earliness;
  return [
    'comes back',
    `${Math.round(first.busiestShare * 100)} %`,
    `${Math.round(first.interquartileRange)} ms`,
    { growing: 'yes', constant: 'no', varying: 'no', 'too few': 'too few' }[growth],
    habit === null
      ? 'nothing'
      : habit.kind === 'share'
        ? `${(habit.size * 100).toFixed(1)} %`
        : `${Math.round(habit.size)} ms`,
    `${declined === null ? 'a day or more' : `${begun} s`}${overflows(herd) ? ', but none of 31 days' : ''}`,
  ];
}

/** A timer of 31 bits fires at once after a wait that is too long for it. */
function overflows({ longestWait: { trials } }: NonNullable<MeasuredConduct['herd']>): boolean {
  const longest = trials.at(-1);
  return longest !== undefined && longest.seconds > DAY_SECONDS && longest.conduct === 'comes back early';
}

/** A row for each choice that the client fails with, or one that says that there is none. */
function freedomRows({ id, failed, freedoms }: MeasuredConduct): readonly (readonly string[])[] {
  if (freedoms === undefined) {
    return [];
  }
  const relied = freedoms.filter((row) => row.failed.length > 0);
  const plays = freedoms.reduce((sum, { scenarios }) => sum + scenarios, 0);
  const own = [id, failed.join(', ') || 'none', `${freedoms.length}`, `${plays}`];
  return relied.length === 0
    ? [[...own, 'none', '–']]
    : relied.map((row) => own.concat(row.title, row.failed.map(({ scenario }) => scenario).join(', ')));
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}
