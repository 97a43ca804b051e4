import type { RequirementId } from '../../contract/requirements/index.ts';
import type { Finding } from '../../contract/verdict.ts';
import { collectJudgements, type Judgements, type ObservedValue } from '../../suites/oracle/index.ts';

/** What monitors said of a requirement, to be replayed where the run is judged. */
export interface RecordedJudgement {
  readonly by: string;
  readonly id: RequirementId;
  readonly said:
    | { readonly kind: 'pass' }
    | { readonly kind: 'fail' | 'inconclusive'; readonly finding: Finding }
    | { readonly kind: 'observe'; readonly value: ObservedValue; readonly facet: string | undefined };
  /** How often, with all that was said alike and is not kept. */
  readonly times: number;
}

const KEPT_FINDINGS = 5;

/** Records judgements, so that they can be replayed elsewhere. */
export function recordJudgements() {
  const inner = collectJudgements();
  const notes = new Map<string, (RecordedJudgement & { times: number })[]>();
  const note = ({ by, id, said, times }: RecordedJudgement): void => {
    const name = `${said.kind} ${by} ${id}`;
    const kept = notes.get(name) ?? [];
    notes.set(name, kept);
    const most = said.kind === 'observe' ? Infinity : KEPT_FINDINGS;
    const same = kept.find((one) => isSame(one.said, said)) ?? (kept.length < most ? undefined : kept[0]);
    if (same === undefined) {
      kept.push({ by, id, said, times });
    } else {
      same.times += times;
    }
  };
  const judgements: Judgements = {
    ...inner,
    pass: (by, id, times = 1) => {
      inner.pass(by, id, times);
      note({ by, id, said: { kind: 'pass' }, times });
    },
    fail: (by, id, finding) => {
      inner.fail(by, id, finding);
      note({ by, id, said: { kind: 'fail', finding: withoutFollowUp(finding) }, times: 1 });
    },
    inconclusive: (by, id, finding) => {
      inner.inconclusive(by, id, finding);
      note({ by, id, said: { kind: 'inconclusive', finding }, times: 1 });
    },
    observe: (by, id, value, facet) => {
      inner.observe(by, id, value, facet);
      note({ by, id, said: { kind: 'observe', value, facet }, times: 1 });
    },
  };
  return {
    judgements,
    notes: (): readonly RecordedJudgement[] => [...notes.values()].flat(),
  };
}

function isSame(one: RecordedJudgement['said'], other: RecordedJudgement['said']): boolean {
  if ('finding' in one && 'finding' in other) {
    return one.finding.message === other.finding.message;
  }
  return 'value' in one && 'value' in other
    ? one.value === other.value && one.facet === other.facet
    : one.kind === other.kind;
}

/** What is seen later is not known where it is replayed. */
function withoutFollowUp({ explanations, ...finding }: Finding): Finding {
  return explanations === undefined
    ? finding
    : { ...finding, explanations: explanations.map(({ id, message }) => ({ id, message })) };
}

/** Adds what monitors said elsewhere to the judgements of the run. */
export function replayJudgements(notes: readonly RecordedJudgement[], judgements: Judgements): void {
  for (const { by, id, said, times } of notes) {
    if (said.kind === 'pass') {
      judgements.pass(by, id, times);
    } else if (said.kind === 'observe') {
      judgements.observe(by, id, said.value, said.facet);
    } else {
      for (let time = 0; time < times; time += 1) {
        judgements[said.kind](by, id, said.finding);
      }
    }
  }
}
