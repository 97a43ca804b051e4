import type { Finding, RecordedExchange } from '../../../contract/verdict.ts';

/** How many findings of a requirement are kept. */
export const KEPT_FINDINGS = 3;
// If none of so many is plain, none is likely to come.
const MOST_OFFERED = 40;

/** The simplest of the findings that were offered. */
export interface SimplestFindings {
  /** The simplest first. */
  readonly findings: Finding[];
  /** How many with evidence were offered. */
  offered: number;
}

/** Of several that say the same, the simplest stands for all. */
export function keepSimplest(kept: SimplestFindings, finding: Finding): void {
  const { findings } = kept;
  kept.offered += finding.exchange === undefined ? 0 : 1;
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

/** Whether no further one is kept: enough were offered, or enough are as plain as can be. */
export function isFull({ findings, offered }: SimplestFindings): boolean {
  return findings.length >= KEPT_FINDINGS && (offered >= MOST_OFFERED || findings.every(isPlain));
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
