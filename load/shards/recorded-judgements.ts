import type { RequirementId } from '../../contract/requirements/index.ts';
import type { Finding } from '../../contract/verdict.ts';
import { collectJudgements, type Judgements, type ObservedValue } from '../../suites/oracle/index.ts';

/** What monitors said of a requirement, to be replayed where the run is judged. */
export interface RecordedJudgement {
  readonly kind: 'pass' | 'fail' | 'inconclusive' | 'observe';
  readonly by: string;
  readonly id: RequirementId;
  /** Of what failed or is inconclusive. */
  readonly finding?: Finding;
  /** What was observed. */
  readonly value?: ObservedValue;
  readonly facet?: string | undefined;
  /** How often, with all that was said alike and is not kept. */
  readonly times: number;
}

const KEPT_FINDINGS = 5;

/** Records judgements, so that they can be replayed elsewhere. */
export function recordJudgements() {
  const inner = collectJudgements();
  const notes = new Map<string, (RecordedJudgement & { times: number })[]>();
  const note = (said: RecordedJudgement): void => {
    const name = `${said.kind} ${said.by} ${said.id}`;
    const kept = notes.get(name) ?? [];
    notes.set(name, kept);
    const most = said.kind === 'observe' ? Infinity : KEPT_FINDINGS;
    const same = kept.find((one) => isSame(one, said)) ?? (kept.length < most ? undefined : kept[0]);
    if (same === undefined) {
      kept.push({ ...said });
    } else {
      same.times += said.times;
    }
  };
  const judgements: Judgements = {
    ...inner,
    pass: (by, id, times = 1) => {
      inner.pass(by, id, times);
      note({ kind: 'pass', by, id, times });
    },
    fail: (by, id, finding) => {
      inner.fail(by, id, finding);
      note({ kind: 'fail', by, id, finding: withoutFollowUp(finding), times: 1 });
    },
    inconclusive: (by, id, finding) => {
      inner.inconclusive(by, id, finding);
      note({ kind: 'inconclusive', by, id, finding, times: 1 });
    },
    observe: (by, id, value, facet) => {
      inner.observe(by, id, value, facet);
      note({ kind: 'observe', by, id, value, facet, times: 1 });
    },
  };
  return {
    judgements,
    notes: (): readonly RecordedJudgement[] => [...notes.values()].flat(),
  };
}

function isSame(one: RecordedJudgement, other: RecordedJudgement): boolean {
  return (
    one.finding?.message === other.finding?.message && one.value === other.value && one.facet === other.facet
  );
}

/** What is seen later is not known where it is replayed. */
function withoutFollowUp({ explanations, ...finding }: Finding): Finding {
  return explanations === undefined
    ? finding
    : { ...finding, explanations: explanations.map(({ id, message }) => ({ id, message })) };
}

/** Adds what monitors said elsewhere to the judgements of the run. */
export function replayJudgements(notes: readonly RecordedJudgement[], judgements: Judgements): void {
  for (const { kind, by, id, finding, value, facet, times } of notes) {
    if (kind === 'pass') {
      judgements.pass(by, id, times);
    } else if (value !== undefined) {
      judgements.observe(by, id, value, facet);
    } else if (finding !== undefined && kind !== 'observe') {
      for (let time = 0; time < times; time += 1) {
        judgements[kind](by, id, finding);
      }
    }
  }
}
