import { REQUIREMENTS } from '../../contract/requirements/index.ts';
import { didYouMean } from '../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';

/** Failures that are known and accepted for now: id of a requirement, or of a scenario, to the reason that was given. */
export type Baseline = ReadonlyMap<string, string>;

/** Reads reasons by id. @param source what messages call them */
export type BaselineReader = (expected: Readonly<Record<string, unknown>>, source: string) => Baseline;

/**
 * Reads baselines that know these ids.
 * @param what they are, such as `requirement`
 * @throws {ConfigurationError} if an id is unknown or a reason is no string
 */
export function baselinesOf(what: string, rows: readonly { readonly id: string }[]): BaselineReader {
  const known = rows.map(({ id }) => id);
  return (expected, source) =>
    new Map(
      Object.entries(expected).map(([id, reason]) => {
        if (!known.includes(id)) {
          throw new ConfigurationError(`${source}: there is no ${what} ${id}.${didYouMean(id, known)}`);
        }
        if (typeof reason !== 'string') {
          throw new ConfigurationError(`${source}: the reason of ${id} has to be a string.`);
        }
        return [id, reason];
      }),
    );
}

/** What a target is expected to fail. */
export const baselineOf = baselinesOf('requirement', REQUIREMENTS);
