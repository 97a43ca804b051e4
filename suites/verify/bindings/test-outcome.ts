import {
  isNewer,
  LATEST_SET,
  requirement,
  type RequirementSet,
} from '../../../contract/requirements/index.ts';
import type { Finding } from '../../../contract/verdict.ts';
import type { Judgement } from '../../oracle/index.ts';

/** How a test presents what was found of one requirement. */
export type TestOutcome =
  | { readonly kind: 'pass' }
  /** Passes, with something to be told. */
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'skip'; readonly text: string }
  | { readonly kind: 'fail'; readonly text: string };

/** A requirement below the level that decides, or newer than the set that does, never fails its test. */
export function presentJudgement(
  { id, outcome, findings, reason }: Judgement,
  level: 'must' | 'should',
  set: RequirementSet = LATEST_SET,
): TestOutcome {
  const row = requirement(id);
  const decides = !isNewer(row, set) && (row.level === 'must' || row.level === level);
  switch (outcome) {
    case 'pass':
    case 'observed':
      return { kind: 'pass' };
    case 'skipped':
      return { kind: 'skip', text: reason ?? 'not judged' };
    case 'fail': {
      const text = [row.statement, ...findings.map(describeFinding), `clause: ${row.clause}`].join('\n\n');
      return decides ? { kind: 'fail', text } : { kind: 'note', text };
    }
    case 'inconclusive': {
      const text = `inconclusive: ${reason ?? 'no reason was given'}`;
      return decides ? { kind: 'fail', text } : { kind: 'note', text };
    }
  }
}

function describeFinding({ message, curl }: Finding): string {
  return curl === undefined ? `- ${message}` : `- ${message}\n  ${curl}`;
}
