import { PLAN_LIMITS, type Plan, type PlanLimits } from '../contract/plans.ts';
import {
  type Check,
  type Facts,
  type CheckEnvironment,
  performCheck,
  type CheckSummary,
} from '../suites/verify/index.ts';
import {
  connectControl,
  ControlError,
  type ControlClient,
  findMovableClock,
  openConnections,
  type TransportOptions,
  configuredKeys,
  leaseConfiguredKeys,
  leaseIssuedKeys,
  type KeyLeases,
  listInventory,
  addressOf,
  createTargetClient,
  leasePets,
  preflight,
  type Preflight,
  createRedactor,
  type Redactor,
  accessOf,
  openTargetInventory,
  type TargetInventory,
  lockControl,
  stateOnDemand,
  type TargetConfig,
  keepTime,
  LONGEST_REAL_WAIT_SECONDS,
  NoResponse,
  performExchange,
  type TargetClient,
} from '../suites/target/index.ts';
import {
  collectJudgements,
  type Judgements,
  newUsage,
  type Key,
  readListing,
  followServerClock,
} from '../suites/oracle/index.ts';
import { keysTaken, obstacleOfKeys, performGroup } from './measuring/check-group.ts';
import type { LoadTarget } from './engine/load-request.ts';

/** A target that load may be put on: reached, understood, and cleared away in the end. */
export interface LoadSession {
  readonly config: TargetConfig;
  readonly target: LoadTarget;
  readonly client: TargetClient;
  readonly redactor: Redactor;
  readonly judgements: Judgements;
  readonly control: ControlClient | null;
  readonly inventory: TargetInventory;
  /** The configured keys. */
  readonly keys: readonly Key[];
  /** Whether keys can be issued. */
  readonly issues: boolean;
  /** A fresh key, with limits of its own or those of its plan. @throws {ControlError} */
  readonly issue: (plan: Plan, limits: PlanLimits | null, usedToday?: number) => Promise<Key>;
  /** Why a check can't get the keys that it needs beside others, or `null`. */
  readonly obstacle: (check: Check, among: readonly Check[]) => string | null;
  /** The configured keys that checks may use. */
  readonly keysTaken: (checks: readonly Check[]) => ReadonlySet<Key>;
  /** Carries out checks of the suites; what they find goes to the judgements. */
  readonly perform: (checks: readonly Check[]) => Promise<readonly CheckSummary[]>;
  /** Quantities by petId in decimal digits, or `null` where the list can't be read now. */
  readonly fetchList: () => Promise<ReadonlyMap<string, number> | null>;
  /** What the pre-flight's answer said of its key's limit, or `null`. */
  readonly shownLimit: number | null;
  readonly listBytes: number;
  /** Requests sent by checks and preparations, beside the engines. */
  readonly spent: () => number;
}

export interface LoadSessionOptions {
  readonly config: TargetConfig;
  readonly transport: TransportOptions;
  readonly headers: readonly (readonly [string, string])[];
  /** Whether something will be written to pets. */
  readonly writes: boolean;
  readonly signal: AbortSignal;
  readonly problems: string[];
  readonly onNotice: (notice: string) => void;
  /** Learns the keys of the run; where none is given, the run has one of its own. */
  readonly redactor?: Redactor;
}

export type LoadSessionResult<Result> =
  | { readonly state: 'done'; readonly result: Result }
  | {
      readonly state: Exclude<Preflight['state'], 'ready' | 'planned'> | 'not-the-service';
      readonly message: string;
    };

/** Reaches the target, lets `use` work with it, puts back what was changed, and clears everything away. */
export async function withLoadSession<Result>(
  options: LoadSessionOptions,
  use: (session: LoadSession) => Promise<Result>,
): Promise<LoadSessionResult<Result>> {
  const { config, transport, signal, problems } = options;
  const cleanUp: (() => Promise<void> | void)[] = [];
  const { redactor = createRedactor() } = options;
  const keys = configuredKeys(config, redactor);
  const judgements = collectJudgements();
  const clock = followServerClock();
  const openState = stateOnDemand(options.onNotice);
  let spent = 0;
  try {
    const control =
      config.control === null
        ? null
        : await connectControl(config.control, transport.timeoutMilliseconds, { redact: redactor.redact });
    if (control !== null && config.control !== null) {
      cleanUp.push(await lockControl(config.control, openState().path, signal, options.onNotice));
    }
    const time = keepTime(await findMovableClock(control), clock, signal, LONGEST_REAL_WAIT_SECONDS);
    const issues = control?.capabilities.has('keys') === true;
    const knownSecrets = new Set([...config.keys.map(({ key }) => key), ...config.revokedKeys]);
    const hide = (secret: string, label: string): void => {
      knownSecrets.add(secret);
      redactor.hide(secret, label);
    };
    const issued = control !== null && issues ? leaseIssuedKeys({ control, configured: keys, hide }) : null;
    const leasesFor = (checks: readonly Check[]): KeyLeases =>
      issued ?? leaseConfiguredKeys(keys, checks, time);
    const leases = leasesFor([]);
    const target = { ...addressOf(config.target), headers: options.headers };
    const client = createTargetClient(target, {
      time,
      clock,
      redactor,
      judgements,
      signal,
      spend: () => {
        spent += 1;
      },
    });
    const first = await time.participate(async () => preflight(client, transport, leases));
    if (first.state === 'planned') {
      throw new Error('The pre-flight was not carried out');
    }
    if (first.state !== 'ready') {
      return first;
    }
    if (first.notice !== null) {
      return { state: 'not-the-service', message: `${first.notice} Nothing was loaded.` };
    }
    const inventory = await openTargetInventory({
      target: config.target,
      access: accessOf(config.profile, options.writes),
      openState,
      existing: config.pets.existing,
      control,
      listed: first.items,
      isWhole: first.isWhole,
      client,
      transport,
      keys: [first.key, ...keys.filter((key) => key !== first.key)],
      problems,
      onNotice: options.onNotice,
    });
    cleanUp.push(() => inventory.restore());
    const facts: Facts = {
      listBytes: first.listBytes,
      missingPet: config.pets.missing,
      existingPets: inventory.isReplaced ? [] : config.pets.existing,
      ownPets: inventory.isReplaced ? inventory.pets.map(({ petId }) => petId) : [],
      idleKeys: [],
      knownSecrets,
      revokedKeys: config.revokedKeys,
      banWaitSeconds: LONGEST_REAL_WAIT_SECONDS,
    };
    const parts: CheckEnvironment = {
      client,
      connect: (connections) => openConnections(target.origin, connections, transport),
      leases,
      petLeases: leasePets(inventory.pets, time),
      control,
      facts,
      records: new Map(),
      startedAt: performance.now(),
      isSharedElsewhere: inventory.isSharedElsewhere,
      noteWrites: inventory.noteWrites,
    };
    let issuedCount = 0;
    const session: LoadSession = {
      config,
      target: { ...target, ...transport },
      client,
      redactor,
      judgements,
      control,
      inventory,
      keys,
      issues,
      issue: async (plan, limits, usedToday = 0) => {
        if (control === null) {
          throw new ControlError('Without a control URL no keys can be issued');
        }
        const secret = await control.issueKey({
          plan,
          ...limits,
          ...(usedToday === 0 ? {} : { usedToday }),
        });
        issuedCount += 1;
        const label = `${plan}#load${issuedCount}`;
        hide(secret, label);
        const known = limits ?? (plan === 'enterprise' ? null : PLAN_LIMITS[plan]);
        return { label, secret, plan, limits: known, issued: true, usedToday, usage: newUsage() };
      },
      obstacle: (check, among) => obstacleOfKeys(check, leasesFor(among)),
      keysTaken: (checks) => keysTaken(checks, leasesFor(checks)),
      perform: (checks) => {
        const planned = leasesFor(checks);
        return performGroup(checks, planned, (check) =>
          time.participate(() => performCheck(check, { ...parts, leases: planned }, inventory, () => {})),
        );
      },
      fetchList: async () => {
        const pool = openConnections(target.origin, 1, transport);
        try {
          const listing = readListing(
            await performExchange(client, pool, listInventory(), { key: first.key }),
          );
          return listing === undefined
            ? null
            : new Map([...listing].map(([petId, { quantity }]) => [petId, Number(quantity)] as const));
        } catch (error) {
          // What was measured until an interruption is worth telling without the list, too.
          if (error instanceof NoResponse || signal.aborted) {
            return null;
          }
          throw error;
        } finally {
          await pool.destroy();
        }
      },
      shownLimit: first.key.usage.last?.rateLimit.limit ?? null,
      listBytes: first.listBytes,
      spent: () => spent,
    };
    const result = await use(session);
    await inventory.restore();
    return { state: 'done', result };
  } catch (error) {
    if (error instanceof ControlError && !signal.aborted) {
      return {
        state: 'control-failed',
        message: `${error.message} Check "control" in the configuration, or leave it out.`,
      };
    }
    throw error;
  } finally {
    for (const step of cleanUp.toReversed()) {
      await step();
    }
  }
}
