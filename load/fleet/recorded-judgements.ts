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

interface Failures {
  readonly by: string;
  readonly id: RequirementId;
  readonly findings: Finding[];
  count: number;
}

const KEPT_FINDINGS = 5;

export interface JudgementRecorder {
  readonly judgements: Judgements;
  readonly notes: () => RecordedJudgements;
}

/** Records judgements, so that they can be replayed elsewhere. */
export function recordJudgements(): JudgementRecorder {
  const inner = collectJudgements();
  const passes = new Map<string, { readonly by: string; readonly id: RequirementId; count: number }>();
  const failures = new Map<string, Failures>();
  const open = new Map<
    string,
    { readonly by: string; readonly id: RequirementId; readonly findings: Finding[] }
  >();
  const observed = new Map<string, RecordedJudgements['observed'][number]>();
  return {
    judgements: {
      ...inner,
      pass: (by, id, times = 1) => {
        inner.pass(by, id, times);
        const name = `${by} ${id}`;
        const entry = passes.get(name) ?? { by, id, count: 0 };
        entry.count += times;
        passes.set(name, entry);
      },
      fail: (by, id, finding) => {
        inner.fail(by, id, finding);
        const name = `${by} ${id}`;
        const entry = failures.get(name) ?? { by, id, findings: [], count: 0 };
        entry.count += 1;
        keep(entry.findings, finding);
        failures.set(name, entry);
      },
      inconclusive: (by, id, finding) => {
        inner.inconclusive(by, id, finding);
        const name = `${by} ${id}`;
        const entry = open.get(name) ?? { by, id, findings: [] };
        keep(entry.findings, finding);
        open.set(name, entry);
      },
      observe: (by, id, value, facet) => {
        inner.observe(by, id, value, facet);
        observed.set(`${by} ${id} ${facet ?? ''} ${String(value)}`, {
          by,
          id,
          content: { value, facet: facet ?? null },
        });
      },
    },
    notes: () => ({
      passes: [...passes.values()].map(({ by, id, count }) => ({ by, id, content: count })),
      failures: [...failures.values()].flatMap(({ by, id, findings, count }) =>
        findings.map((finding, index) => ({
          by,
          id,
          // The first stands for all that were not kept.
          content: { finding, times: index === 0 ? count - findings.length + 1 : 1 },
        })),
      ),
      open: [...open.values()].flatMap(({ by, id, findings }) =>
        findings.map((content) => ({ by, id, content })),
      ),
      observed: [...observed.values()],
    }),
  };
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
