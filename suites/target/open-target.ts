import { unknownPets, unknownPetsNotPositive } from '../../fixtures/corpora/index.ts';
import { collectJudgements, followServerClock, limitsMonitor, type Key } from '../oracle/index.ts';
import type { TargetConfig } from './configuration/target-config.ts';
import { connectControl, ControlError, type ControlClient } from './control/control-client.ts';
import { findMovableClock } from './control/control-clock.ts';
import { keepTime, type Timekeeper } from './control/timekeeper.ts';
import type { TransportOptions } from './http/http-transport.ts';
import { addressOf, createTargetClient, type TargetClient } from './http/target-client.ts';
import { beginHistory, tellingControl } from './history.ts';
import { lockControl, stateOnDemand, type StateDirectory } from './journal/index.ts';
import { configuredKeys, leaseIssuedKeys, type KeyLeases } from './keys/key-leases.ts';
import { accessOf, openTargetInventory, type TargetInventory } from './pets/target-inventory.ts';
import { preflight, type PreflightFailure, type ReadyPreflight } from './preflight.ts';
import { createRedactor, type Redactor } from './redaction/redaction.ts';
import { openTrailLog } from './trail/trail-log.ts';
import type { TranscriptRecorder } from './transcript/record-transcript.ts';

export interface TargetOptions {
  readonly config: TargetConfig;
  readonly transport: TransportOptions;
  /** Header fields that go with every request. */
  readonly headers: TargetClient['extraHeaders'];
  /** Ends the run; what it changed is still put back. */
  readonly signal: AbortSignal;
  /** Aborts once the target answers nothing any more; the control URL is not waited for then. */
  readonly gone?: AbortSignal;
  /** Whether the target is asked nothing, and its control URL neither tried nor locked. */
  readonly isDryRun: boolean;
  /** Longest wait in real time, in seconds. */
  readonly longestWaitSeconds: number;
  /** Takes what the user has to know at the end of the run. */
  readonly problems: string[];
  readonly onNotice: (notice: string) => void;
  /** Whether much that is sent to the target, with other keys, is no part of the history: only limits are judged by that. */
  readonly isUntold?: true;
  /** Learns the keys of the run; by default the run has one of its own. */
  readonly redactor?: Redactor;
  /** Keeps what the oracle is told; nothing is kept by default. */
  readonly transcript?: TranscriptRecorder;
}

/** What a run knows of its target before it asks it anything. */
export type KnownTarget = ReturnType<typeof describeTarget>;

export function describeTarget(options: TargetOptions) {
  const { config, redactor = createRedactor() } = options;
  const knownSecrets = new Set([...config.keys.map(({ key }) => key), ...config.revokedKeys]);
  const { transcript } = options;
  const followed = followServerClock();
  const clock = transcript?.clock(followed) ?? followed;
  const told = beginHistory(clock, options.isUntold === true ? [limitsMonitor] : undefined);
  const history = transcript?.history(told) ?? told;
  config.revokedKeys.forEach((secret) => history.tell({ type: 'key-revoked-before', secret }));
  return {
    ...options,
    redactor,
    judgements: collectJudgements(),
    clock,
    history,
    /** The configured keys. */
    keys: configuredKeys(config, redactor, config.profile !== 'full'),
    /** Every key that was configured, revoked ones too, or issued until now. */
    knownSecrets,
    /** Notes a key that was issued: from now on its label stands for it. */
    learnKey: (key: Key, issuedAt: number): void => {
      knownSecrets.add(key.secret);
      redactor.hide(key.secret, key.label);
      history.tell({ type: 'key-known', key, knownAt: issuedAt });
    },
  };
}

/** A target whose control URL, if it has one, is connected and locked. */
export interface ConnectedTarget extends KnownTarget {
  readonly control: ControlClient | null;
  readonly time: Timekeeper;
  /** A fresh key for every need; `null` if no keys can be issued. */
  readonly issuedKeys: KeyLeases | null;
  /** @throws {UnusableState} */
  readonly openState: () => StateDirectory;
  /** Has a step carried out at the end of the run, however it ends; the last step comes first. */
  readonly atEnd: (step: () => Promise<unknown> | void) => void;
}

/** Connects the control URL, lets `use` work with the target, and clears everything away. */
export async function withTarget<Result>(
  known: KnownTarget,
  use: (target: ConnectedTarget) => Promise<Result>,
): Promise<Result | PreflightFailure> {
  const { config, transport, isDryRun, signal, gone, redactor, clock, history, onNotice, keys } = known;
  const openState = stateOnDemand(onNotice);
  const steps: (() => Promise<unknown> | void)[] = [];
  const ends = gone === undefined ? signal : AbortSignal.any([signal, gone]);
  try {
    const control =
      config.control === null
        ? null
        : await connectControl(config.control, transport.timeoutMilliseconds, {
            probes: !isDryRun,
            redact: redactor.redact,
            ...(gone === undefined ? {} : { until: gone }),
          });
    if (control !== null && !isDryRun && config.isOwn !== true) {
      steps.push(await lockControl(control.url, openState().path, signal, onNotice));
    }
    const time: Timekeeper = keepTime(await findMovableClock(control), clock, ends, known.longestWaitSeconds);
    // Only for profile full are keys given that nothing else uses.
    const areOwn = config.profile === 'full';
    keys.forEach((key) =>
      history.tell({ type: 'key-known', key, ...(areOwn ? { knownAt: time.now() } : {}) }),
    );
    return await use({
      ...known,
      signal: ends,
      control: tellingControl(control, history.tell, time),
      time,
      issuedKeys:
        control?.capabilities.has('keys') === true
          ? leaseIssuedKeys({ control, configured: keys, learnKey: known.learnKey, time })
          : null,
      openState,
      atEnd: (step) => steps.push(step),
    });
  } catch (error) {
    if (error instanceof ControlError && !ends.aborted) {
      return {
        state: 'control-failed',
        message: `${error.message} Check "control" (${config.controlFrom ?? 'in the configuration'}), or leave it out.`,
      };
    }
    throw error;
  } finally {
    for (const step of steps.toReversed()) {
      await step();
    }
  }
}

/** A target that answered the pre-flight, with its inventory as the run may write to it. */
export interface OpenedTarget extends ConnectedTarget {
  readonly client: TargetClient;
  readonly inventory: TargetInventory;
  readonly first: ReadyPreflight;
}

// The next smaller one after those in the store may be the next that somebody else adds.
const UNLIKELY_PET_ID = 2n ** 31n;

/** The pets that the run writes to, and some that are not in the store, to which nobody else is likely to write. */
function claimedPets(
  { pets }: TargetInventory,
  { items }: ReadyPreflight,
  { pets: { missing } }: TargetConfig,
): ReadonlySet<bigint> {
  const own = [...pets.map(({ petId }) => petId), ...(missing === null ? [] : [missing])];
  if (items === null) {
    return new Set(own);
  }
  const listed = new Set(items.map(({ petId }) => petId));
  const ordinary = [...listed].filter((petId) => petId < UNLIKELY_PET_ID);
  const last = ordinary.reduce((largest, petId) => (petId > largest ? petId : largest), 0n);
  const absent = unknownPets(listed).filter(({ petId }) => petId < last || petId >= UNLIKELY_PET_ID);
  const notPositive = pets.flatMap(({ petId }) => unknownPetsNotPositive(listed, petId));
  return new Set([...own, ...[...absent, ...notPositive].map(({ petId }) => petId)]);
}

interface OpeningOptions {
  /** For the pre-flight. */
  readonly leases: KeyLeases;
  readonly client: Partial<Pick<TargetClient, 'curl' | 'liveness' | 'noteResponseTime' | 'spend'>>;
  /** Whether something will be written to pets. */
  readonly writes: boolean;
  /** Whether a first answer that may not be the service's ends the run. */
  readonly needsService: boolean;
}

/** Asks the target for its list, undoes what crashed runs left behind, and finds or makes pets to write to. */
export async function openTarget(
  connected: ConnectedTarget,
  { leases, client: parts, writes, needsService }: OpeningOptions,
): Promise<({ readonly state: 'opened' } & OpenedTarget) | PreflightFailure> {
  const { config, transport, headers, time, clock, history, redactor, judgements, signal, keys } = connected;
  const client = createTargetClient(
    { ...addressOf(config.target), headers },
    {
      ...parts,
      time,
      clock,
      history,
      redactor,
      judgements,
      signal,
      revokedKeys: config.revokedKeys,
      log: openTrailLog(),
    },
  );
  const first = await preflight(client, transport, leases, config.pets.existing);
  if (first.state !== 'ready') {
    return first;
  }
  if (needsService && first.notice !== null) {
    return { state: 'not-the-service', message: first.notice };
  }
  const inventory = await openTargetInventory({
    target: config.target,
    isOwn: config.isOwn === true,
    access: accessOf(config.profile, writes),
    openState: connected.openState,
    existing: config.pets.existing,
    control: connected.control,
    listed: first.items,
    isWhole: first.isWhole,
    client,
    transport,
    keys: [...(first.key === null ? [] : [first.key]), ...keys.filter((key) => key !== first.key)],
    problems: connected.problems,
    onNotice: connected.onNotice,
  });
  connected.atEnd(() => inventory.restore());
  if (!inventory.isReplaced && inventory.pets.length > 0) {
    history.tell({ type: 'pets-ours', petIds: claimedPets(inventory, first, config), at: time.now() });
  }
  if (!inventory.isReplaced && config.pets.existing.length > 0) {
    history.tell({ type: 'pets-named', petIds: new Set(config.pets.existing) });
  }
  return { ...connected, state: 'opened', client, inventory, first };
}
