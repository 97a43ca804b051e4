import type { RequirementId } from '../../contract/requirements/index.ts';
import type { Finding } from '../../contract/verdict.ts';
import { collectJudgements, type Judgements, type ObservedValue } from '../../suites/oracle/index.ts';

/** What a worker's monitors found for each requirement, to be replayed where the run is judged. */
export interface RecordedJudgements {
  readonly passes: readonly Note<number>[];
  readonly failures: readonly Note<{ readonly finding: Finding; readonly times: number }>[];
  readonly open: readonly Note<Finding>[];
  readonly observed: readonly Note<{ readonly value: ObservedValue; readonly facet: string | null }>[];
}

interface Note<Content> {
  readonly by: string;
  readonly id: RequirementId;
  readonly content: Content;
}

const KEPT_FINDINGS = 5;

export interface JudgementRecorder {
  readonly judgements: Judgements;
  readonly notes: () => RecordedJudgements;
}

/** Records judgements, so that they can be replayed elsewhere. */
export function recordJudgements(): JudgementRecorder {
  const inner = collectJudgements();
  const passes = notesByRequirement(() => ({ count: 0 }));
  const failures = notesByRequirement((): { readonly findings: Finding[]; count: number } => ({
    findings: [],
    count: 0,
  }));
  const open = notesByRequirement((): Finding[] => []);
  const observed = new Map<string, RecordedJudgements['observed'][number]>();
  return {
    judgements: {
      ...inner,
      pass: (by, id, times = 1) => {
        inner.pass(by, id, times);
        passes.of(by, id).count += times;
      },
      fail: (by, id, finding) => {
        inner.fail(by, id, finding);
        const known = failures.of(by, id);
        known.count += 1;
        keep(known.findings, withoutFollowUp(finding));
      },
      inconclusive: (by, id, finding) => {
        inner.inconclusive(by, id, finding);
        keep(open.of(by, id), finding);
      },
      observe: (by, id, value, facet) => {
        inner.observe(by, id, value, facet);
        const content = { value, facet: facet ?? null };
        observed.set(`${by} ${id} ${facet ?? ''} ${String(value)}`, { by, id, content });
      },
    },
    notes: () => ({
      passes: passes.all().map(({ by, id, content }) => ({ by, id, content: content.count })),
      failures: failures.all().flatMap(({ by, id, content: { findings, count } }) =>
        findings.map((finding, index) => ({
          by,
          id,
          // The first stands for all that were not kept.
          content: { finding, times: index === 0 ? count - findings.length + 1 : 1 },
        })),
      ),
      open: open
        .all()
        .flatMap(({ by, id, content }) => content.map((finding) => ({ by, id, content: finding }))),
      observed: [...observed.values()],
    }),
  };
}

/** One note for each judge and requirement. */
function notesByRequirement<Content>(empty: () => Content) {
  const notes = new Map<string, Note<Content>>();
  return {
    of: (by: string, id: RequirementId): Content => {
      const name = `${by} ${id}`;
      const note = notes.get(name) ?? { by, id, content: empty() };
      notes.set(name, note);
      return note.content;
    },
    all: (): readonly Note<Content>[] => [...notes.values()],
  };
}

/** What is seen later is not known where it is replayed. */
function withoutFollowUp({ explanations, ...finding }: Finding): Finding {
  return explanations === undefined
    ? finding
    : { ...finding, explanations: explanations.map(({ id, message }) => ({ id, message })) };
}

function keep(findings: Finding[], finding: Finding): void {
  if (findings.length < KEPT_FINDINGS && !findings.some(({ message }) => message === finding.message)) {
    findings.push(finding);
  }
}

/** Adds what a worker's monitors found to the judgements of the run. */
export function replayJudgements(
  { passes, failures, open, observed }: RecordedJudgements,
  judgements: Judgements,
): void {
  for (const { by, id, content: times } of passes) {
    judgements.pass(by, id, times);
  }
  for (const { by, id, content } of failures) {
    for (let time = 0; time < content.times; time += 1) {
      judgements.fail(by, id, content.finding);
    }
  }
  for (const { by, id, content: finding } of open) {
    judgements.inconclusive(by, id, finding);
  }
  for (const { by, id, content } of observed) {
    judgements.observe(by, id, content.value, content.facet ?? undefined);
  }
}
