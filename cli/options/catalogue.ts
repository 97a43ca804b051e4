import { FAULTS } from '../../reference-server/faults/index.ts';
import type { Fault } from '../../reference-server/faults/fault.ts';
import { LOAD_FAULTS } from '../../reference-server/load-faults/index.ts';
import { VARIANTS } from '../../reference-server/variants/index.ts';
import type { Variant } from '../../reference-server/variants/variant.ts';
import { ConfigurationError } from '../../suites/configuration-error.ts';
import { isPossible } from '../prove/trial.ts';
import { named } from './entries.ts';
import { splitList } from './values.ts';

/**
 * The variants of these names; each value may be a list with commas.
 * @throws {ConfigurationError} on an unknown one, or on two of one freedom
 */
export function readVariants(option: string, values: readonly string[]): readonly Variant[] {
  const variants = [...new Set(values.flatMap(splitList))].map((id) => named(option, id, VARIANTS));
  for (const [index, variant] of variants.entries()) {
    const rival = variants.slice(0, index).find(({ freedom }) => freedom === variant.freedom);
    if (rival !== undefined) {
      throw new ConfigurationError(
        `${option}: ${rival.id} and ${variant.id} exclude each other, both choose the ${variant.freedom}`,
      );
    }
  }
  return variants;
}

/**
 * The fault of that name, one that shows only under load among them.
 * @throws {ConfigurationError} where it is unknown, or where one of the variants takes it away
 */
export function readFault(option: string, id: string, variants: readonly Variant[]): Fault {
  const fault = named(option, id, [...FAULTS, ...LOAD_FAULTS]);
  const rival = variants.find((variant) => !isPossible({ variants: [variant], fault }));
  if (rival !== undefined) {
    throw new ConfigurationError(`${option}: with the variant ${rival.id} there is nothing left of ${id}`);
  }
  return fault;
}
