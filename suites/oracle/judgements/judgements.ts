import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import type { Finding, Outcome } from '../../../contract/verdict.ts';
import { collectContested, type SettledViolations } from './contested.ts';
import { isFull, keepSimplest, KEPT_FINDINGS, type SimplestFindings } from './simplest-findings.ts';

/** What a run holds of one requirement. */
export interface Judgement {
  readonly id: RequirementId;
  readonly outcome: Outcome;
  /** How many exchanges or measurements bore it out. */
  readonly evidence: number;
  /** How often each check or monitor judged it, and how. */
  readonly tallies: readonly JudgementTally[];
  readonly findings: readonly Finding[];
  /** Why it was skipped or is inconclusive. */
  readonly reason: string | null;
  /** Ids of the checks and monitors that said something of it. */
  readonly judgedBy: readonly string[];
}

/** How often one check or monitor judged a requirement. */
export interface JudgementTally {
  readonly by: string;
  readonly passed: number;
  readonly failed: number;
}

export type ObservedValue = string | number | boolean;

export type Judgements = ReturnType<typeof collectJudgements>;

interface Entry {
  readonly failures: SimplestFindings;
  shortened: Finding | null;
  open: Finding[];
  readonly leftOpen: { readonly finding: Finding; readonly unlessPassedBy: readonly string[] }[];
  skips: Set<string>;
  observed: boolean;
  readonly judgedBy: Set<string>;
  readonly tallies: Map<string, { passed: number; failed: number }>;
}

const KEPT_OBSERVED_VALUES = 12;

function emptyEntry(): Entry {
  return {
    failures: { findings: [], offered: 0 },
    shortened: null,
    open: [],
    leftOpen: [],
    skips: new Set(),
    observed: false,
    judgedBy: new Set(),
    tallies: new Map(),
  };
}

type MayOwn = (id: RequirementId) => boolean;

const mayOwnAny: MayOwn = () => true;

/** Collects what checks and monitors say of each requirement. */
export function collectJudgements() {
  const entries = new Map<RequirementId, Entry>();
  const observed = collectObserved();
  const entryOf = (id: RequirementId, by: string): Entry => {
    let entry = entries.get(id);
    if (entry === undefined) {
      entry = emptyEntry();
      entries.set(id, entry);
    }
    entry.judgedBy.add(by);
    return entry;
  };
  const contested = collectContested();
  let settled: {
    readonly mayOwn: MayOwn;
    readonly of: ReturnType<(typeof contested)['settle']>;
  } | null = null;
  const settledFor = (mayOwn: MayOwn) => {
    if (settled?.mayOwn !== mayOwn) {
      const failed = [...entries].filter(([, { failures }]) => failures.findings.length > 0);
      settled = { mayOwn, of: contested.settle(new Set(failed.map(([id]) => id)), mayOwn) };
    }
    return settled.of;
  };
  return {
    /** @param times how often, once if it is not given */
    pass: (by: string, id: RequirementId, times?: number): void => {
      const tally = entries.get(id)?.tallies.get(by) ?? tallyOf(entryOf(id, by), by);
      tally.passed += times ?? 1;
    },
    fail: (by: string, id: RequirementId, finding: Finding): void => {
      settled = null;
      if (finding.explanations !== undefined) {
        contested.fail(by, finding, finding.explanations);
        return;
      }
      const entry = entryOf(id, by);
      tallyOf(entry, by).failed += 1;
      keepSimplest(entry.failures, finding);
    },
    /** A finding of a failure that was recorded before, which shows the same in less; it is the first of them then. */
    shorten: (id: RequirementId, finding: Finding): void => {
      const entry = entries.get(id) ?? emptyEntry();
      entries.set(id, entry);
      entry.shortened = finding;
    },
    /** Whether no further failure of it is kept, but only counted: enough were offered, or enough are as plain as can be. */
    isFull: (id: RequirementId, ...others: readonly RequirementId[]): boolean => {
      const entry = entries.get(id);
      return others.length > 0
        ? contested.isFull([id, ...others])
        : entry !== undefined && isFull(entry.failures);
    },
    inconclusive: (by: string, id: RequirementId, finding: Finding): void =>
      keep(entryOf(id, by).open, finding),
    /** Inconclusive, unless a check or monitor of these bears it out, before or after. */
    leaveOpen: (by: string, id: RequirementId, finding: Finding, unlessPassedBy: readonly string[]): void => {
      entryOf(id, by).leftOpen.push({ finding, unlessPassedBy });
    },
    skip: (by: string, id: RequirementId, reason: string): void => {
      entryOf(id, by).skips.add(reason);
    },
    /** Records what the target does where the text is silent; `facet` names one of several aspects. */
    observe: (by: string, id: RequirementId, value: ObservedValue, facet?: string): void => {
      entryOf(id, by).observed = true;
      observed.add(id, value, facet);
    },
    /** Whether it was observed already, so that nothing is left to note. */
    hasObserved: observed.has,
    /** @param mayOwn which requirements a violation breaks if several explain it; by default any */
    judgementOf: (id: RequirementId, mayOwn = mayOwnAny): Judgement =>
      judge(id, withSettled(entries.get(id), settledFor(mayOwn).get(id) ?? [])),
    /** Each observation under its requirement's id, with the facet behind a dot; several values as a list. */
    observations: observed.all,
  };
}

/** Collects what targets do where the text is silent. */
function collectObserved() {
  // By requirement and facet.
  const observed = new Map<RequirementId, Map<string | undefined, Set<ObservedValue>>>();
  const valuesOf = (id: RequirementId, facet: string | undefined): Set<ObservedValue> => {
    const facets = observed.get(id) ?? new Map<string | undefined, Set<ObservedValue>>();
    observed.set(id, facets);
    const values = facets.get(facet) ?? new Set();
    facets.set(facet, values);
    return values;
  };
  return {
    add: (id: RequirementId, value: ObservedValue, facet?: string): void => {
      const values = valuesOf(id, facet).add(value);
      if (values.size > KEPT_OBSERVED_VALUES) {
        values.delete(lastOf(values));
      }
    },
    has: (id: RequirementId, value: ObservedValue, facet?: string): boolean =>
      observed.get(id)?.get(facet)?.has(value) === true,
    all: (): Readonly<Record<string, ObservedValue | readonly string[]>> =>
      Object.fromEntries(
        [...observed]
          .flatMap(([id, facets]) =>
            [...facets].map(
              ([facet, values]) => [facet === undefined ? id : `${id}.${facet}`, values] as const,
            ),
          )
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

/** With those contested violations that were found to break the requirement. */
function withSettled(entry: Entry | undefined, settled: readonly SettledViolations[]): Entry | undefined {
  if (settled.length === 0) {
    return entry;
  }
  const { failures, judgedBy, tallies, ...rest } = entry ?? emptyEntry();
  const together: Entry = {
    ...rest,
    failures: { findings: [...failures.findings], offered: failures.offered },
    judgedBy: new Set(judgedBy),
    tallies: new Map([...tallies].map(([by, tally]) => [by, { ...tally }])),
  };
  for (const { by, times, findings } of settled) {
    together.judgedBy.add(by);
    tallyOf(together, by).failed += times;
    findings.forEach((finding) => keepSimplest(together.failures, finding));
  }
  return together;
}

function judge(id: RequirementId, entry: Entry | undefined): Judgement {
  const { notChecked, unseen } = requirement(id);
  if (entry === undefined) {
    const reason = notChecked ?? unseen ?? 'Nothing that was run could judge it.';
    return { id, outcome: 'skipped', evidence: 0, tallies: [], findings: [], reason, judgedBy: [] };
  }
  const judgedBy = [...entry.judgedBy];
  const tallies = [...entry.tallies].map(([by, { passed, failed }]) => ({ by, passed, failed }));
  const evidence = tallies.reduce((sum, { passed }) => sum + passed, 0);
  const common = { id, evidence, tallies, judgedBy };
  if (entry.failures.findings.length > 0) {
    const findings = [...(entry.shortened === null ? [] : [entry.shortened]), ...entry.failures.findings];
    const kept = findings.slice(0, KEPT_FINDINGS).map(withoutOrder);
    return { ...common, outcome: 'fail', findings: kept, reason: null };
  }
  const open = [...entry.open];
  for (const { finding, unlessPassedBy } of entry.leftOpen) {
    if (!unlessPassedBy.some((other) => (entry.tallies.get(other)?.passed ?? 0) > 0)) {
      keep(open, finding);
    }
  }
  if (open.length > 0) {
    const reason = open.map(({ message }) => message).join(' ');
    return { ...common, outcome: 'inconclusive', findings: open, reason };
  }
  if (entry.observed) {
    return { ...common, outcome: 'observed', findings: [], reason: null };
  }
  if (evidence > 0) {
    return { ...common, outcome: 'pass', findings: [], reason: null };
  }
  const reason = [...entry.skips].join(' ') || 'Nothing that could bear it out was seen.';
  return { ...common, outcome: 'skipped', findings: [], reason };
}

/** Without what only their order needs. */
function withoutOrder({ restsOn: _restsOn, ...finding }: Finding): Finding {
  return finding;
}

/** The one that comes last in order, so that what is kept does not depend on which came first. */
function lastOf(values: ReadonlySet<ObservedValue>): ObservedValue {
  return [...values].reduce((last, value) => (String(value) > String(last) ? value : last));
}

function tallyOf({ tallies }: Entry, by: string): { passed: number; failed: number } {
  let tally = tallies.get(by);
  if (tally === undefined) {
    tally = { passed: 0, failed: 0 };
    tallies.set(by, tally);
  }
  return tally;
}

function keep(findings: Finding[], finding: Finding): void {
  if (findings.length < KEPT_FINDINGS && !findings.some(({ message }) => message === finding.message)) {
    findings.push(finding);
  }
}
