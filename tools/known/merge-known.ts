import { isDeepStrictEqual } from 'node:util';

import type { KnownClientFault } from '../../cli/library/certify/power.ts';
import type { KnownVariants } from '../../cli/library/twin/twin.ts';
import type { KnownFault } from '../../cli/library/verify/power.ts';
import {
  isJsonObject,
  listMember,
  stringMember,
  stringsMember,
  type JsonObject,
} from '../../contract/json/index.ts';
import type { SampleClient } from '../../fixtures/clients/index.ts';
import type { KillMatrix } from '../../reports/index.ts';

/**
 * The faults of the catalogue with the checks that show them. A matrix replaces what was known of its own source: the checks
 * with control, the checks in real time, or the exploration. Faults that left the catalogue are left out.
 */
export function mergeKnownFaults(
  before: Readonly<Record<string, KnownFault>>,
  matrices: readonly Pick<KillMatrix, 'trials' | 'realTimeKeys' | 'by'>[],
  catalogue: readonly { readonly id: string; readonly breaks: string }[],
): Readonly<Record<string, KnownFault>> {
  const rows = catalogue.flatMap(({ id, breaks }) => {
    const known = before[id];
    let row = known === undefined ? null : { ...known, breaks };
    for (const matrix of matrices) {
      for (const { fault, shownBy } of matrix.trials) {
        if (fault?.id === id) {
          row = entered(row ?? { breaks, withControl: [], withoutControl: [] }, matrix, shownBy);
        }
      }
    }
    return row === null ? [] : [[id, row] as const];
  });
  return inOrder(rows);
}

function entered(
  row: KnownFault,
  { realTimeKeys, by }: Pick<KillMatrix, 'realTimeKeys' | 'by'>,
  shownBy: readonly string[],
): KnownFault {
  if (realTimeKeys !== null) {
    return { ...row, withoutControl: shownBy };
  }
  const isReplaced = (check: string): boolean => by === (check === 'explore' ? 'explore' : 'checks');
  const kept = row.withControl.filter((check) => !isReplaced(check));
  return { ...row, withControl: [...new Set([...kept, ...shownBy])].toSorted() };
}

/**
 * The faulty clients of the catalogue with the scenarios that show them, as `prove --clients --json` wrote them. Clients that
 * left the catalogue are left out.
 * @throws {SyntaxError} that names the member
 */
export function mergeKnownClients(
  before: Readonly<Record<string, KnownClientFault>>,
  proofs: readonly JsonObject[],
  catalogue: readonly Pick<SampleClient, 'id' | 'expected' | 'breaks' | 'met'>[],
): Readonly<Record<string, KnownClientFault>> {
  const shown = new Map(Object.entries(before).map(([id, { shownBy }]) => [id, shownBy]));
  for (const client of proofs.flatMap((proof) => listMember(proof, 'clients'))) {
    if (!isJsonObject(client)) {
      throw new SyntaxError('clients holds what is no client');
    }
    shown.set(stringMember(client, 'id'), stringsMember(client, 'shownBy'));
  }
  const rows = catalogue.flatMap(({ id, expected, breaks, met = 'any' }) => {
    const shownBy = shown.get(id);
    return shownBy === undefined || breaks === undefined || expected === 'certified'
      ? []
      : [[id, { breaks, driver: met, shownBy }] as const];
  });
  return inOrder(rows);
}

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
  return { reference: known.reference, variants: inOrder(rows) };
}

type Observed = KnownVariants['reference'];

function differences(reference: Observed, observed: Observed): KnownVariants['variants'][string] {
  const names = new Set([...Object.keys(reference), ...Object.keys(observed)]);
  const changed = [...names].filter((name) => !isDeepStrictEqual(reference[name], observed[name]));
  return Object.fromEntries(changed.toSorted().map((name) => [name, observed[name] ?? null]));
}

/** What is known of each, by its id. */
function inOrder<Known>(
  rows: readonly (readonly [id: string, known: Known])[],
): Readonly<Record<string, Known>> {
  return Object.fromEntries(rows.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
