import { ConfigurationError } from '../../../contract/configuration-error.ts';
import type { CertifyReport, Report } from '../../../reports/index.ts';
import {
  type ClientPolicy,
  exactPolicy,
  exponential,
  fittedPolicy,
  fitWaits,
  givesUpPolicy,
  ignores,
  jitterByShare,
  jitterBySeconds,
  type PopulationShare,
} from '../../../simulation/index.ts';

/** How some of the clients wait when they are refused. */
export interface ClientDescription {
  /** As in `stockcheck simulate --client`, or the report of `certify` on a client that waits so. */
  readonly policy: 'exact' | 'jitter' | 'exponential' | 'ignores' | 'gives-up' | CertifyReport;
  /** What `jitter` adds at most, the first wait of `exponential`, and the wait of `ignores`. */
  readonly seconds?: number;
  /** What `jitter` adds at most, as a share of the wait; 0.5 by default. */
  readonly jitter?: number;
  /** Which share of the clients; those that say none have equal parts of what the others leave. */
  readonly share?: number;
}

/** A policy with the share of the clients, if it says one. */
export interface GivenPolicy {
  readonly policy: ClientPolicy;
  readonly share: number | null;
}

const USUAL_JITTER = 0.5;

/** @throws {ConfigurationError} if a report says nothing of how its client waits */
export function policyOf({ policy, seconds, jitter }: ClientDescription, named: string): ClientPolicy {
  switch (policy) {
    case 'exact':
      return exactPolicy;
    case 'gives-up':
      return givesUpPolicy;
    case 'jitter':
      return seconds === undefined ? jitterByShare(jitter ?? USUAL_JITTER) : jitterBySeconds(seconds);
    case 'exponential':
      return exponential(seconds);
    case 'ignores':
      return ignores(seconds);
    default:
      return fittedTo(policy, 'the report', named);
  }
}

/**
 * The shares of a population; policies without one have equal parts of what the others leave.
 * @throws {ConfigurationError} if the shares do not add up to 1
 */
export function sharesOf(given: readonly GivenPolicy[], option: string): readonly PopulationShare[] {
  if (given.length === 0) {
    return [{ policy: exactPolicy, share: 1 }];
  }
  const taken = given.reduce((sum, { share }) => sum + (share ?? 0), 0);
  const open = given.filter(({ share }) => share === null).length;
  if (taken > 1 + 1e-9 || (open === 0 && taken < 1 - 1e-9)) {
    throw new ConfigurationError(
      `${option}: the shares add up to ${Number((taken * 100).toFixed(3))}%, not to 100%`,
    );
  }
  return given.map(({ policy, share }) => ({ policy, share: share ?? (1 - taken) / open }));
}

/**
 * The policy of a client that waits as the one of a report did.
 * @param name what the policy is called after
 * @throws {ConfigurationError} if the report does not say how it waits
 */
export function fittedTo(report: Report, name: string, named: string): ClientPolicy {
  if (report.kind !== 'certify') {
    throw new ConfigurationError(
      `${named}: this is a report of ${report.kind}, which says nothing of how a client waits; take one of certify`,
    );
  }
  const { scenarios, herd } = report;
  const fit = fitWaits(
    scenarios.map(measuredScenario),
    herd === undefined ? null : { refusals: herd.refusals, declined: herd.longestWait.declined },
  );
  if (fit === null) {
    throw new ConfigurationError(
      `${named}: the client was never refused in that run; certify it with --only 'limited-*' or with --herd`,
    );
  }
  return fittedPolicy(name, fit);
}

function measuredScenario({ timeline, ending }: CertifyReport['scenarios'][number]) {
  return { timeline, hasEnded: ending.startsWith('It reported') };
}
