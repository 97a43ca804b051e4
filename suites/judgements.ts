import { requirement, type RequirementId } from '../contract/requirements.ts';
import type { Finding, Outcome } from '../contract/verdict.ts';

/** What a run holds of one requirement. */
export interface Judgement {
  readonly id: RequirementId;
  readonly outcome: Outcome;
  /** How many exchanges or measurements bore it out. */
  readonly evidence: number;
  readonly findings: readonly Finding[];
  /** Why it was skipped or is inconclusive. */
  readonly reason: string | null;
  /** Ids of the checks and monitors that said something of it. */
  readonly judgedBy: readonly string[];
}

export type ObservedValue = string | number | boolean;

/** Collects what checks and monitors say of each requirement. */
export interface Judgements {
  /** @param times how often, once where it is not given */
  pass(by: string, id: RequirementId, times?: number): void;
  fail(by: string, id: RequirementId, finding: Finding): void;
  inconclusive(by: string, id: RequirementId, finding: Finding): void;
  skip(by: string, id: RequirementId, reason: string): void;
  /** Records what the target does where the text is silent; `facet` tells several aspects apart. */
  observe(by: string, id: RequirementId, value: ObservedValue, facet?: string): void;
  judgementOf(id: RequirementId): Judgement;
  hasFailed(id: RequirementId): boolean;
  /** Whether that check or monitor has borne it out. */
  hasPassed(by: string, id: RequirementId): boolean;
  /** Each observation under its requirement's id, with the facet behind a dot; several values as a list. */
  observations(): Readonly<Record<string, ObservedValue | readonly string[]>>;
}

interface Entry {
  passes: number;
  failures: Finding[];
  failureCount: number;
  open: Finding[];
  skips: Set<string>;
  observed: boolean;
  readonly judgedBy: Set<string>;
  readonly passedBy: Set<string>;
}

const KEPT_FINDINGS = 5;
const KEPT_OBSERVED_VALUES = 12;

export function collectJudgements(): Judgements {
  const entries = new Map<RequirementId, Entry>();
  const observed = new Map<string, Set<ObservedValue>>();
  const entryOf = (id: RequirementId, by: string): Entry => {
    let entry = entries.get(id);
    if (entry === undefined) {
      entry = {
        passes: 0,
        failures: [],
        failureCount: 0,
        open: [],
        skips: new Set(),
        observed: false,
        judgedBy: new Set(),
        passedBy: new Set(),
      };
      entries.set(id, entry);
    }
    entry.judgedBy.add(by);
    return entry;
  };
  return {
    pass: (by, id, times = 1) => {
      const entry = entryOf(id, by);
      entry.passes += times;
      entry.passedBy.add(by);
    },
    fail: (by, id, finding) => {
      const entry = entryOf(id, by);
      entry.failureCount += 1;
      keep(entry.failures, finding);
    },
    inconclusive: (by, id, finding) => keep(entryOf(id, by).open, finding),
    skip: (by, id, reason) => {
      entryOf(id, by).skips.add(reason);
    },
    observe: (by, id, value, facet) => {
      entryOf(id, by).observed = true;
      const name = facet === undefined ? id : `${id}.${facet}`;
      const values = observed.get(name) ?? new Set();
      observed.set(name, values);
      if (values.size < KEPT_OBSERVED_VALUES) {
        values.add(value);
      }
    },
    judgementOf: (id) => judge(id, entries.get(id)),
    hasPassed: (by, id) => entries.get(id)?.passedBy.has(by) === true,
    hasFailed: (id) => (entries.get(id)?.failureCount ?? 0) > 0,
    observations: () =>
      Object.fromEntries(
        [...observed]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, values]) => {
            const [only] = values;
            return [
              name,
              values.size === 1 && only !== undefined ? only : [...values].map(String).toSorted(),
            ];
          }),
      ),
  };
}

function judge(id: RequirementId, entry: Entry | undefined): Judgement {
  const { notChecked } = requirement(id);
  if (entry === undefined) {
    const reason = notChecked ?? 'Nothing that was run could judge it.';
    return { id, outcome: 'skipped', evidence: 0, findings: [], reason, judgedBy: [] };
  }
  const judgedBy = [...entry.judgedBy];
  const common = { id, evidence: entry.passes, judgedBy };
  if (entry.failureCount > 0) {
    const more = entry.failureCount - entry.failures.length;
    const last = more > 0 ? [{ message: `Seen ${entry.failureCount} times in all.` }] : [];
    return { ...common, outcome: 'fail', findings: [...entry.failures, ...last], reason: null };
  }
  if (entry.open.length > 0) {
    const reason = entry.open.map(({ message }) => message).join(' ');
    return { ...common, outcome: 'inconclusive', findings: entry.open, reason };
  }
  if (entry.observed) {
    return { ...common, outcome: 'observed', findings: [], reason: null };
  }
  if (entry.passes > 0) {
    return { ...common, outcome: 'pass', findings: [], reason: null };
  }
  const reason = [...entry.skips].join(' ') || 'Nothing that could bear it out was seen.';
  return { ...common, outcome: 'skipped', findings: [], reason };
}

function keep(findings: Finding[], finding: Finding): void {
  if (findings.length < KEPT_FINDINGS && !findings.some(({ message }) => message === finding.message)) {
    findings.push(finding);
  }
}
