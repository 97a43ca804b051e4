import {
  leasePets,
  connectTo,
  tellingControl,
  type ConnectionPool,
  type ControlClient,
  type KeyLeases,
  type OpenedTarget,
  type PetLeases,
  type TargetClient,
  type TargetInventory,
} from '../target/index.ts';
import type { InventoryItem } from '../../contract/inventory.ts';
import type { Key } from '../oracle/index.ts';
import { acceptedForms, type AcceptedForms, type Facts } from '../stimuli/index.ts';

/** What all checks of a run work with; each check gets a context of its own. */
export interface CheckEnvironment {
  readonly client: TargetClient;
  /** Opens at most so many connections to the target. */
  readonly connect: (connections: number) => ConnectionPool;
  readonly leases: KeyLeases;
  readonly petLeases: PetLeases;
  readonly inventory: Pick<
    TargetInventory,
    'quantities' | 'noteSent' | 'owed' | 'restoreLater' | 'noteRestored'
  >;
  /** Notes what replaces the inventory before it does. */
  readonly control: ControlClient | null;
  /** What the suite filled the inventory with, or `null` if it holds the target's own pets. */
  readonly store: readonly InventoryItem[] | null;
  readonly facts: Facts;
  /** What is known so far of the forms of requests that the target accepts, and how often a turn was taken to try one. */
  readonly forms: { accepted: AcceptedForms; turns: number };
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
}

interface EnvironmentOptions extends Pick<CheckEnvironment, 'leases' | 'startedAt'> {
  readonly idleKeys: readonly Key[];
  readonly banWaitSeconds: number;
}

export function createCheckEnvironment(
  { config, client, transport, inventory, first, knownSecrets, time }: OpenedTarget,
  { idleKeys, banWaitSeconds, ...rest }: EnvironmentOptions,
): CheckEnvironment {
  return {
    ...rest,
    forms: { accepted: { unknown: `The check ${acceptedForms.id} was not carried out.` }, turns: 0 },
    client,
    connect: (connections) => connectTo(client, connections, transport),
    petLeases: leasePets(inventory.pets, time),
    inventory,
    control: inventory.control,
    store: inventory.isReplaced ? inventory.pets.map(({ item }) => item) : null,
    facts: {
      listBytes: first.listBytes,
      missingPet: config.pets.missing,
      existingPets: inventory.isReplaced ? [] : config.pets.existing,
      ownPets: inventory.isReplaced ? inventory.pets.map(({ petId }) => petId) : [],
      idleKeys,
      knownSecrets,
      revokedKeys: config.revokedKeys,
      banWaitSeconds,
    },
  };
}

/** The same in another history, which is told of what is done in it. */
export function inHistory(environment: CheckEnvironment, history: TargetClient['history']): CheckEnvironment {
  const { client, leases, control, facts } = environment;
  const { time } = client;
  facts.revokedKeys.forEach((secret) => history.tell({ type: 'key-revoked-before', secret }));
  return {
    ...environment,
    client: { ...client, history },
    control: tellingControl(control, history.tell, time),
    leases: {
      ...leases,
      lease: async (needs) => {
        const knownAt = time.now();
        const keys = await leases.lease(needs);
        keys
          .filter((key) => key !== null)
          .forEach((key) => history.tell({ type: 'key-known', key, knownAt }));
        return keys;
      },
    },
    // What it begins with is told when it is replaced.
    store: null,
  };
}

/** The same with other parts of its client. */
export function withClient(environment: CheckEnvironment, parts: Partial<TargetClient>): CheckEnvironment {
  return { ...environment, client: { ...environment.client, ...parts } };
}
