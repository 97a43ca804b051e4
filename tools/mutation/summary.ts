import { KILLED, type Fate } from './judge-mutant.ts';
import type { JudgedMutant } from './judge-mutants.ts';
import type { Mutant } from './mutant.ts';
import { placeOf, type ReasonedMutant, type Reasoning } from './reason.ts';

const FATES: Readonly<Record<Fate, string>> = {
  must: 'killed by a must',
  should: 'killed by a should',
  'no service': 'no service to judge',
  died: 'died, and nothing failed',
  inconclusive: 'inconclusive',
  'cut off': 'cut off, and nothing had failed',
  survived: 'survived',
  'not reached': 'not reached by any request',
};

/** The results in words, with what has to be done. */
export function summariseMutants({ results, unexplained, stale }: Reasoning): string {
  const killed = results.filter(({ fate }) => KILLED.has(fate)).length;
  return [
    `${results.length} mutants, ${killed} killed, ${results.length - killed} not killed`,
    ...countBy(results, ({ fate }) => FATES[fate]).map((line) => `  ${line}`),
    ...section(
      'Why mutants are not killed:',
      countBy(
        results.filter(({ fate }) => !KILLED.has(fate)),
        ({ reason }: ReasonedMutant) => reason?.kind ?? 'no reason given',
      ),
    ),
    ...section(
      'Not killed, and without a reason. Kill each by a check, or give its reason in tools/mutation/survivors.ts:',
      unexplained.map(describeJudged),
    ),
    ...section('Stale reasons. Remove each from tools/mutation/survivors.ts:', stale),
    '',
  ].join('\n');
}

/** One line for each mutant. */
export function listMutants(mutants: readonly Mutant[]): string {
  return mutants.map((mutant) => `${describeMutant(mutant)}\n`).join('');
}

function describeJudged({ mutant, fate, shown: [first] }: JudgedMutant): string {
  const what = first === undefined ? '' : ` (${first.id}: ${first.message})`;
  return `${FATES[fate]}: ${describeMutant(mutant)}${what}`;
}

function describeMutant(mutant: Mutant): string {
  return `${mutant.id} ${placeOf(mutant)}, line ${mutant.line}: ${mutant.change}`;
}

function countBy<Row>(rows: readonly Row[], name: (row: Row) => string): readonly string[] {
  return [...Map.groupBy(rows, name)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([text, { length }]) => `${`${length}`.padStart(4)} ${text}`);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}
