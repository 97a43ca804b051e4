import { requirement, type RequirementId } from '../../contract/requirements/index.ts';
import type { Finding, Outcome, RecordedExchange } from '../../contract/verdict.ts';

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

/** Collects what checks and monitors say of each requirement. */
export interface Judgements {
  /** @param times how often, once if it is not given */
  readonly pass: (by: string, id: RequirementId, times?: number) => void;
  readonly fail: (by: string, id: RequirementId, finding: Finding) => void;
  /** Whether no further failure of it is kept, but only counted: enough were offered, or enough are as plain as can be. */
  isFull(id: RequirementId): boolean;
  readonly inconclusive: (by: string, id: RequirementId, finding: Finding) => void;
  /** Inconclusive, unless a check or monitor of these bears it out, before or after. */
  readonly leaveOpen: (
    by: string,
    id: RequirementId,
    finding: Finding,
    unlessPassedBy: readonly string[],
  ) => void;
  readonly skip: (by: string, id: RequirementId, reason: string) => void;
  /** Whether it was observed already, so that nothing is left to note. */
  hasObserved(id: RequirementId, value: ObservedValue, facet?: string): boolean;
  /** Records what the target does where the text is silent; `facet` names one of several aspects. */
  observe(by: string, id: RequirementId, value: ObservedValue, facet?: string): void;
  judgementOf(id: RequirementId): Judgement;
  /** Each observation under its requirement's id, with the facet behind a dot; several values as a list. */
  observations(): Readonly<Record<string, ObservedValue | readonly string[]>>;
}

interface Entry {
  /** The simplest ones, the simplest first. */
  readonly failures: Finding[];
  /** How many with evidence were offered. */
  offered: number;
  open: Finding[];
  readonly leftOpen: { readonly finding: Finding; readonly unlessPassedBy: readonly string[] }[];
  skips: Set<string>;
  observed: boolean;
  readonly judgedBy: Set<string>;
  readonly tallies: Map<string, { passed: number; failed: number }>;
}

const KEPT_FINDINGS = 3;
// If none of so many is plain, none is likely to come.
const MOST_OFFERED = 40;
const KEPT_OBSERVED_VALUES = 12;

export function collectJudgements(): Judgements {
  const entries = new Map<RequirementId, Entry>();
  // By requirement and facet.
  const observed = new Map<RequirementId, Map<string | undefined, Set<ObservedValue>>>();
  const observedOf = (id: RequirementId, facet: string | undefined): Set<ObservedValue> => {
    const facets = observed.get(id) ?? new Map<string | undefined, Set<ObservedValue>>();
    observed.set(id, facets);
    const values = facets.get(facet) ?? new Set();
    facets.set(facet, values);
    return values;
  };
  const entryOf = (id: RequirementId, by: string): Entry => {
    let entry = entries.get(id);
    if (entry === undefined) {
      entry = {
        failures: [],
        offered: 0,
        open: [],
        leftOpen: [],
        skips: new Set(),
        observed: false,
        judgedBy: new Set(),
        tallies: new Map(),
      };
      entries.set(id, entry);
    }
    entry.judgedBy.add(by);
    return entry;
  };
  return {
    pass: (by, id, times = 1) => {
      const tally = entries.get(id)?.tallies.get(by) ?? tallyOf(entryOf(id, by), by);
      tally.passed += times;
    },
    fail: (by, id, finding) => {
      const entry = entryOf(id, by);
      tallyOf(entry, by).failed += 1;
      entry.offered += finding.exchange === undefined ? 0 : 1;
      keepSimplest(entry.failures, finding);
    },
    isFull: (id) => {
      const { failures, offered } = entries.get(id) ?? { failures: [], offered: 0 };
      return failures.length >= KEPT_FINDINGS && (offered >= MOST_OFFERED || failures.every(isPlain));
    },
    inconclusive: (by, id, finding) => keep(entryOf(id, by).open, finding),
    leaveOpen: (by, id, finding, unlessPassedBy) => {
      entryOf(id, by).leftOpen.push({ finding, unlessPassedBy });
    },
    skip: (by, id, reason) => {
      entryOf(id, by).skips.add(reason);
    },
    observe: (by, id, value, facet) => {
      entryOf(id, by).observed = true;
      const values = observedOf(id, facet).add(value);
      if (values.size > KEPT_OBSERVED_VALUES) {
        values.delete(lastOf(values));
      }
    },
    hasObserved: (id, value, facet) => observed.get(id)?.get(facet)?.has(value) === true,
    judgementOf: (id) => judge(id, entries.get(id)),
    observations: () =>
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

/** The judgements without what is said by checks and monitors that `heeds` leaves out; observations stay. */
export function heeding(judgements: Judgements, heeds: (by: string) => boolean): Judgements {
  const only =
    <Rest extends readonly unknown[]>(say: (by: string, ...rest: Rest) => void) =>
    (by: string, ...rest: Rest): void => {
      if (heeds(by)) {
        say(by, ...rest);
      }
    };
  return {
    ...judgements,
    pass: only(judgements.pass),
    fail: only(judgements.fail),
    inconclusive: only(judgements.inconclusive),
    leaveOpen: only(judgements.leaveOpen),
    skip: only(judgements.skip),
  };
}

function judge(id: RequirementId, entry: Entry | undefined): Judgement {
  const { notChecked } = requirement(id);
  if (entry === undefined) {
    const reason = notChecked ?? 'Nothing that was run could judge it.';
    return { id, outcome: 'skipped', evidence: 0, tallies: [], findings: [], reason, judgedBy: [] };
  }
  const judgedBy = [...entry.judgedBy];
  const tallies = [...entry.tallies].map(([by, { passed, failed }]) => ({ by, passed, failed }));
  const evidence = tallies.reduce((sum, { passed }) => sum + passed, 0);
  const common = { id, evidence, tallies, judgedBy };
  if (entry.failures.length > 0) {
    return { ...common, outcome: 'fail', findings: entry.failures, reason: null };
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

/** Of several that say the same, the simplest stands for all. */
function keepSimplest(findings: Finding[], finding: Finding): void {
  const complexity = complexityOf(finding);
  const same = findings.findIndex(({ message }) => message === finding.message);
  const last = findings[same === -1 ? KEPT_FINDINGS - 1 : same];
  if (last !== undefined && compareComplexity(complexityOf(last), complexity) <= 0) {
    return;
  }
  if (last !== undefined) {
    findings.splice(findings.indexOf(last), 1);
  }
  const next = findings.findIndex((other) => compareComplexity(complexityOf(other), complexity) > 0);
  findings.splice(next === -1 ? findings.length : next, 0, finding);
}

function keep(findings: Finding[], finding: Finding): void {
  if (findings.length < KEPT_FINDINGS && !findings.some(({ message }) => message === finding.message)) {
    findings.push(finding);
  }
}

/**
 * How much a reader has to take in to understand a finding, the weightiest first: whether its request is spelled as the
 * specification spells it, how many steps led there, and how many requests these were.
 */
type Complexity = readonly [oddness: number, steps: number, requests: number];

function complexityOf({ exchange, steps = [] }: Finding): Complexity {
  const requests = steps.reduce((sum, { count, omittedBefore = 0 }) => sum + count + omittedBefore, 0);
  return [exchange === undefined ? MOST_ODD : oddnessOf(exchange), steps.length, requests];
}

/** Below zero if the first is the simpler one. */
function compareComplexity(one: Complexity, other: Complexity): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

const DOCUMENTED_PATH = /(?<!\/)\/(?:inventory|inventory\/[1-9]\d*|pets\/[1-9]\d*|store\/orders)$/;
const DOCUMENTED_BODY = /^\{"quantity":\d+\}$/;
const MOST_ODD = 3;

/** Whether it is one of the examples that the specification might give. */
function isPlain(finding: Finding): boolean {
  return complexityOf(finding)[0] === 0;
}

function oddnessOf({ request: { method, url, body } }: RecordedExchange): number {
  const isSpelledOddly = !['GET', 'PATCH'].includes(method) || !DOCUMENTED_PATH.test(url);
  const hasOddBody = body !== null && !DOCUMENTED_BODY.test(body);
  return (isSpelledOddly ? 2 : 0) + (hasOddBody ? 1 : 0);
}
