import type { Finding } from '../../../contract/verdict.ts';

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

/** Of several that say the same, the simplest stands for all; of those that are alike, the first. */
export function keepSimplest(kept: SimplestFindings, finding: Finding): void {
  const { findings } = kept;
  kept.offered += finding.exchange === undefined ? 0 : 1;
  const same = findings.findIndex(({ message }) => message === finding.message);
  const last = findings[same === -1 ? KEPT_FINDINGS - 1 : same];
  if (last !== undefined && compareComplexity(last, finding) <= 0) {
    return;
  }
  if (last !== undefined) {
    findings.splice(findings.indexOf(last), 1);
  }
  const next = findings.findIndex((other) => compareComplexity(other, finding) > 0);
  findings.splice(next === -1 ? findings.length : next, 0, finding);
}

/** Whether no further one is kept: enough were offered, or enough are as plain as can be. */
export function isFull({ findings, offered }: SimplestFindings): boolean {
  return findings.length >= KEPT_FINDINGS && (offered >= MOST_OFFERED || findings.every(isPlain));
}

const DOCUMENTED_PATH = /(?<!\/)\/(?:inventory|inventory\/[1-9]\d*|pets\/[1-9]\d*|store\/orders)$/;
const DOCUMENTED_BODY = /^\{"quantity":\d+\}$/;
const MOST_ODD = 3;

/** Below zero if the first takes less to understand: an odd spelling takes most, then the responses that it rests on. */
function compareComplexity(one: Finding, other: Finding): number {
  return oddnessOf(one) - oddnessOf(other) || (one.restsOn ?? 1) - (other.restsOn ?? 1);
}

/** Whether it is one of the examples that the specification might give. */
function isPlain(finding: Finding): boolean {
  return oddnessOf(finding) === 0;
}

/** How far its request is from one that is spelled as the specification spells it. */
function oddnessOf({ exchange }: Finding): number {
  if (exchange === undefined) {
    return MOST_ODD;
  }
  const { method, url, body } = exchange.request;
  const isSpelledOddly = !['GET', 'PATCH'].includes(method) || !DOCUMENTED_PATH.test(url);
  const hasOddBody = body !== null && !DOCUMENTED_BODY.test(body);
  return (isSpelledOddly ? 2 : 0) + (hasOddBody ? 1 : 0);
}
