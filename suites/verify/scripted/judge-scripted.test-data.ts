import { collectJudgements, followServerClock, type Judgements, type Key } from '../../oracle/index.ts';
import {
  addressOf,
  beginHistory,
  type Capability,
  createRedactor,
  createTargetClient,
  followQuantities,
  keepTime,
  leaseIssuedKeys,
  leasePets,
  openTrailLog,
  tellingControl,
} from '../../target/index.ts';
import { type Check, withAcceptedForms } from '../../stimuli/index.ts';
import { performCheck } from '../perform-check.ts';
import { scriptedTarget, type TargetChange } from './scripted-target.test-data.ts';

const BAN_WAIT_SECONDS = 120;

/**
 * Runs checks, one after the other, in virtual time against a target in memory.
 * @param withheld what the control of the target does not offer
 * @param virtual whether the checks are told that the time is
 */
export async function judgeScripted(
  checks: readonly Check[],
  alter?: TargetChange,
  withheld: ReadonlySet<Capability> = new Set(),
  virtual = true,
): Promise<Judgements> {
  const target = scriptedTarget(alter);
  const judgements = collectJudgements();
  const redactor = createRedactor();
  const clock = followServerClock();
  const { signal } = new AbortController();
  const reading = { now: target.world.now, sentAt: 0, receivedAt: 0 };
  const clockwork = { flows: false, reading, move: (seconds: number) => target.control.advance(seconds) };
  const time = { ...keepTime(clockwork, clock, signal), virtual };
  const knownSecrets = new Set<string>();
  const history = beginHistory(clock);
  const learnKey = (key: Key, issuedAt: number): void => {
    knownSecrets.add(key.secret);
    redactor.hide(key.secret, key.label);
    history.tell({ type: 'key-known', key, knownAt: issuedAt });
  };
  const capabilities = target.control.capabilities.difference(withheld);
  const control = tellingControl({ ...target.control, capabilities }, history.tell, time);
  const revoked = await target.control.issueKey({ plan: 'free' });
  await target.control.revokeKey(revoked);
  history.tell({ type: 'key-revoked-before', secret: revoked });
  const at = time.now();
  history.tell({ type: 'inventory-replacement-begun', at });
  history.tell({ type: 'inventory-replaced', items: [...target.world.pets.values()], from: at, at });
  const pets = [...target.world.pets.values()].map((item) => ({ petId: item.petId, item }));
  const client = createTargetClient(addressOf('http://target.test/v1'), {
    time,
    clock,
    history,
    redactor,
    judgements,
    log: openTrailLog(),
  });
  const connect = () => ({
    send: async (request: Parameters<typeof target.answer>[0]) => {
      const { status, headers, body } = target.answer(request);
      return { status, headers, body: Buffer.from(body) };
    },
    destroy: () => Promise.resolve(),
  });
  const parts = {
    connect,
    leases: leaseIssuedKeys({ control: target.control, configured: [], learnKey, now: () => time.now() }),
    petLeases: leasePets(pets, time),
    control,
    store: null,
    facts: {
      listBytes: 1_000,
      missingPet: 404_404_404n,
      existingPets: [],
      ownPets: pets.map(({ petId }) => petId),
      idleKeys: [],
      knownSecrets,
      revokedKeys: [revoked],
      banWaitSeconds: BAN_WAIT_SECONDS,
    },
    forms: { accepted: { unknown: 'Nobody asked.' } },
    startedAt: performance.now(),
    inventory: {
      noteSent: () => () => {},
      quantities: followQuantities(),
      owed: () => [],
      restoreLater: () => {},
      noteRestored: () => {},
    },
  };
  for (const check of withAcceptedForms(checks)) {
    const own = { ...parts, client: { ...client, sender: { check: check.id } } };
    await time.participate(() => performCheck(check, own, () => {}));
  }
  return judgements;
}
