import { FAULTS, type Fault, LOAD_FAULTS, VARIANTS, type Variant } from '../../reference-server/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { matching, named, readCommaSeparated, splitList } from './entries.ts';

/**
 * The variants of these names; each value may be a list with commas.
 * @throws {ConfigurationError} on an unknown one, or on two of one freedom
 */
export function readVariants(option: string, values: readonly string[]): readonly Variant[] {
  const ids = values.length === 0 ? [] : readCommaSeparated(option, values);
  refuseOtherKind(option, 'a variant', ids);
  const variants = [...new Set(ids)].map((id) => named(option, id, VARIANTS));
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
 * The faults of these names, those that show only under load among them; each value may be a list with commas.
 * @throws {ConfigurationError} if one is unknown, or if one of the variants takes it away
 */
export function readFaults(
  option: string,
  values: readonly string[],
  variants: readonly Variant[],
): readonly Fault[] {
  const ids = values.length === 0 ? [] : readCommaSeparated(option, values);
  refuseOtherKind(option, 'a fault', ids);
  return [...new Set(ids)].map((id) => {
    const fault = named(option, id, [...FAULTS, ...LOAD_FAULTS]);
    const rival = variants.find((variant) => !isPossible({ variants: [variant], fault }));
    if (rival !== undefined) {
      throw new ConfigurationError(`${option}: with the variant ${rival.id} there is nothing left of ${id}`);
    }
    return fault;
  });
}

/** Whether the variants can stand together, and leave the fault what it needs. */
export function isPossible({
  variants,
  fault,
}: {
  readonly variants: readonly Variant[];
  readonly fault: Fault | null;
}): boolean {
  const freedoms = variants.map(({ freedom }) => freedom);
  const excluded = fault?.excludes ?? [];
  return (
    new Set(freedoms).size === freedoms.length &&
    !variants.some(({ id, freedom }) => excluded.includes(id) || excluded.includes(freedom))
  );
}

/**
 * The faults that `prove` judges, by globs.
 * @throws {ConfigurationError} if one fits none
 */
export function matchingFaults(option: string, patterns: readonly string[]): readonly Fault[] {
  refuseOtherKind(option, 'a fault', patterns.flatMap(splitList));
  const underLoad = patterns.flatMap(splitList).find((name) => LOAD_FAULTS.some(({ id }) => id === name));
  if (underLoad !== undefined) {
    throw new ConfigurationError(
      `${option}: ${underLoad} shows only under load, so verify cannot catch it: serve it with \`stockcheck serve --fault ${underLoad}\``,
    );
  }
  return matching(option, patterns, FAULTS);
}

/**
 * The variants that `prove` judges, by globs.
 * @throws {ConfigurationError} if one fits none
 */
export function matchingVariants(option: string, patterns: readonly string[]): readonly Variant[] {
  refuseOtherKind(option, 'a variant', patterns.flatMap(splitList));
  return matching(option, patterns, VARIANTS);
}

/** Somebody who knows the name may still take a fault for a variant. */
function refuseOtherKind(option: string, wanted: 'a fault' | 'a variant', names: readonly string[]): void {
  const [kind, others] =
    wanted === 'a fault'
      ? (['a variant', VARIANTS] as const)
      : (['a fault', [...FAULTS, ...LOAD_FAULTS]] as const);
  const other = others.find(({ id }) => names.includes(id));
  if (other !== undefined) {
    throw new ConfigurationError(`${option}: ${other.id} is ${kind}, not ${wanted}`);
  }
}
