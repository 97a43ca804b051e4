import { isDeepStrictEqual } from 'node:util';

import type { KnownVariants } from '../../cli/library/twin/twin.ts';
import type { KillMatrix } from '../../reports/index.ts';

/**
 * What each variant shows otherwise than the reference. A matrix without the reference, or of other than single variants,
 * changes nothing. Variants that left the catalogue are left out.
 */
export function mergeKnownVariants(
  before: KnownVariants,
  matrices: readonly Pick<KillMatrix, 'trials' | 'realTimeKeys'>[],
  catalogue: readonly { readonly id: string }[],
): KnownVariants {
  let known = before;
  for (const { trials, realTimeKeys } of matrices) {
    const conformant = trials.filter(({ fault, outcome }) => fault === null && outcome === 'clean');
    const reference = conformant.find(({ variants }) => variants.length === 0)?.observed;
    if (reference === undefined || reference === null || realTimeKeys !== null) {
      continue;
    }
    const rows = conformant.flatMap(({ variants: [variant, ...others], observed }) =>
      variant === undefined || others.length > 0 || observed === null
        ? []
        : [[variant.id, differences(reference, observed)] as const],
    );
    known = { reference, variants: { ...known.variants, ...Object.fromEntries(rows) } };
  }
  const rows = catalogue.flatMap(({ id }) => {
    const signature = known.variants[id];
    return signature === undefined ? [] : [[id, signature] as const];
  });
  return {
    reference: known.reference,
    variants: Object.fromEntries(rows.toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
}

type Observed = KnownVariants['reference'];

function differences(reference: Observed, observed: Observed): KnownVariants['variants'][string] {
  const names = new Set([...Object.keys(reference), ...Object.keys(observed)]);
  const changed = [...names].filter((name) => !isDeepStrictEqual(reference[name], observed[name]));
  return Object.fromEntries(changed.toSorted().map((name) => [name, observed[name] ?? null]));
}
