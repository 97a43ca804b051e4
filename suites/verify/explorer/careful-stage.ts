import type { RequirementId } from '../../../contract/requirements/index.ts';
import { NoResponse } from '../../target/index.ts';
import type { Check } from '../check.ts';
import type { CheckEnvironment } from '../check-environment.ts';
import { openSending } from '../check-sending.ts';
import type { PlannedOperation } from './episode.ts';
import { followKey } from './key-states.ts';
import { wordRequest, type Subjects } from './planned-requests.ts';
import { clientOf, noteState, type Scene, type Stage, type SeenViolation } from './stage.ts';

/** What can only hit pets that are leased, and changes nothing that is not put back. */
const HARMLESS: ReadonlySet<PlannedOperation['kind']> = new Set([
  'list',
  'update',
  'body',
  'pet',
  'orders',
  'spelling',
  'usual spelling',
]);

/** A stage that stays open for all episodes, and how what they changed is put back. */
export interface CarefulStage {
  readonly stage: Stage;
  readonly clearAway: () => Promise<void>;
}

/**
 * A stage on keys and pets that are not its own: it keeps every limit, waits for nothing else, and puts back what it
 * changed.
 */
export async function openCarefulStage(scene: Scene, check: Check): Promise<CarefulStage> {
  const { environment } = scene;
  const violations = new Map<RequirementId, SeenViolation>();
  const client = { ...clientOf(scene, violations), history: environment.client.history };
  const own: CheckEnvironment = { ...environment, client };
  const leased = await environment.leases.lease(check.needs.keys);
  const pets = await environment.petLeases.lease(check.needs.pets ?? 0);
  const keys = leased.flatMap((key) => (key === null ? [] : [key]));
  const followed = keys.map(followKey);
  const followedAt: Stage['followed'] = (slot) => {
    const found = followed[slot % followed.length];
    if (found === undefined) {
      throw new Error('The exploration leased no key');
    }
    return found;
  };
  const sending = openSending(own, { check, keys: leased, pets });
  const subjects: Subjects = {
    keyOf: (slot) => followedAt(slot).key,
    revocationOf: () => 'none',
    petIds: pets.map(({ petId }) => petId),
    knownSecrets: environment.facts.knownSecrets,
    revokedSecrets: environment.facts.revokedKeys,
  };
  let requests = 0;
  const stage: Stage = {
    followed: followedAt,
    send: async (planned) => {
      if (!HARMLESS.has(planned.operation.kind) || (pets.length === 0 && planned.operation.kind !== 'list')) {
        return;
      }
      const { message, credentials } = wordRequest(planned, subjects);
      requests += 1;
      try {
        const exchange = await sending.send(message, credentials);
        if (planned.credential === null) {
          noteState(scene, followedAt(planned.key), exchange, client);
        }
      } catch (error) {
        if (!(error instanceof NoResponse)) {
          throw error;
        }
        await client.liveness.ask(client);
      }
    },
    revoke: async () => {},
    replaceInventory: async () => {},
    wait: async () => {},
    serverTime: () => undefined,
    now: () => client.time.now(),
    violations,
    requests: () => requests,
    close: async () => {},
  };
  return {
    stage,
    clearAway: async () => {
      environment.inventory.restoreLater(sending.touched());
      await sending.close();
      environment.petLeases.release(pets);
      keys.forEach((key) => environment.leases.release(key));
    },
  };
}
