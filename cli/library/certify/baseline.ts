import { didYouMean } from '../../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { CLIENT_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import type { ReportedRequirement } from '../../../reports/index.ts';
import { type JudgedRecord, SCENARIOS } from '../../../suites/certify/index.ts';
import type { Judgement } from '../../../suites/oracle/index.ts';

/** Failures of a client that are known and accepted for now: requirement or scenario to the reason that was given. */
export type ClientBaseline = ReadonlyMap<string, string>;

/**
 * Reads reasons by requirement or scenario.
 * @param source what messages call them
 * @throws {ConfigurationError} if an id is unknown or a reason is no string
 */
export function clientBaselineOf(
  expected: Readonly<Record<string, unknown>>,
  source: string,
): ClientBaseline {
  const known = [...CLIENT_REQUIREMENTS, ...SCENARIOS].map(({ id }) => id);
  return new Map(
    Object.entries(expected).map(([id, reason]) => {
      if (!known.includes(id)) {
        throw new ConfigurationError(
          `${source}: there is no scenario and no requirement on clients ${id}.${didYouMean(id, known)}`,
        );
      }
      if (typeof reason !== 'string') {
        throw new ConfigurationError(`${source}: the reason of ${id} has to be a string.`);
      }
      return [id, reason];
    }),
  );
}

/** Whether the requirement is expected to fail, or each scenario in which it failed is. */
export function expectsFailure(baseline: ClientBaseline, { id, tallies }: Judgement): boolean {
  return baseline.has(id) || tallies.filter(({ failed }) => failed > 0).every(({ by }) => baseline.has(by));
}

/** The entries that expect a failure of what was judged and holds. */
export function staleEntries(
  baseline: ClientBaseline,
  requirements: readonly ReportedRequirement[],
  records: readonly JudgedRecord[],
): readonly string[] {
  const held = new Set([
    ...requirements.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id),
    ...records.filter(({ judgement }) => judgement.outcome === 'pass').map(({ scenario }) => scenario.id),
  ]);
  return [...baseline.keys()].filter((id) => held.has(id));
}
