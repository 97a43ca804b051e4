import type { KnownClientFault } from '../../cli/library/certify/power.ts';
import {
  isJsonObject,
  listMember,
  stringMember,
  stringsMember,
  type JsonObject,
} from '../../contract/json/index.ts';
import type { SampleClient } from '../../fixtures/clients/index.ts';

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
  return Object.fromEntries(rows.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
