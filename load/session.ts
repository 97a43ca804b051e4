import { PLAN_LIMITS, type Plan, type PlanLimits } from '../contract/plans.ts';
import {
  type Check,
  type CheckSummary,
  createCheckEnvironment,
  performCheck,
  performGroup,
} from '../suites/verify/index.ts';
import {
  addressOf,
  ControlError,
  describeTarget,
  leaseConfiguredKeys,
  listInventory,
  LONGEST_REAL_WAIT_SECONDS,
  NoResponse,
  openConnections,
  type OpenedTarget,
  openTarget,
  performExchange,
  requestsOf,
  type KeyLeases,
  type PreflightFailure,
  type TargetOptions,
  withTarget,
} from '../suites/target/index.ts';
import { type Exchange, newUsage, type Key, planningLimits } from '../suites/oracle/index.ts';
import type { LoadTarget } from './engine/load-request.ts';

/** A target that load may be put on: reached, understood, and cleared away in the end. */
export interface LoadSession extends Pick<
  OpenedTarget,
  'config' | 'client' | 'judgements' | 'control' | 'inventory' | 'keys'
> {
  readonly target: LoadTarget;
  /** Whether keys can be issued. */
  readonly issues: boolean;
  /** A fresh key, with limits of its own or those of its plan. @throws {ControlError} */
  readonly issue: (plan: Plan, limits: PlanLimits | null, usedToday?: number) => Promise<Key>;
  /** Why a check cannot get the keys that it needs beside others, or `null`. */
  readonly obstacle: (check: Check, among: readonly Check[]) => string | null;
  /** The configured keys that checks may use. */
  readonly keysTaken: (checks: readonly Check[]) => ReadonlySet<Key>;
  /** Carries out checks of the suites; what they find goes to the judgements. */
  readonly perform: (checks: readonly Check[]) => Promise<readonly CheckSummary[]>;
  /** Asks for the list; `null` if that is not answered now. */
  readonly fetchList: () => Promise<Exchange | null>;
  /** What the pre-flight's answer said of its key's limit, or `null`. */
  readonly shownLimit: number | null;
  /** Requests sent by checks and preparations, beside the engines. */
  readonly spent: () => number;
}

export interface LoadSessionOptions extends Omit<
  TargetOptions,
  'gone' | 'isDryRun' | 'longestWaitSeconds' | 'isUntold'
> {
  /** Whether something will be written to pets. */
  readonly writes: boolean;
  /** Whether each request of a load begins a trace of its own. */
  readonly sendsTraceparent?: boolean;
}

export type LoadSessionResult<Result> =
  | { readonly state: 'done'; readonly result: Result }
  | PreflightFailure;

/** Reaches the target, lets `use` work with it, puts back what was changed, and clears everything away. */
export function withLoadSession<Result>(
  { writes, sendsTraceparent = false, ...options }: LoadSessionOptions,
  use: (session: LoadSession) => Promise<Result>,
): Promise<LoadSessionResult<Result>> {
  const known = describeTarget({
    ...options,
    isDryRun: false,
    longestWaitSeconds: LONGEST_REAL_WAIT_SECONDS,
    isUntold: true,
  });
  return withTarget(known, async (connected): Promise<LoadSessionResult<Result>> => {
    let spent = 0;
    const spend = (): void => {
      spent += 1;
    };
    const leasesFor = (checks: readonly Check[]): KeyLeases =>
      connected.issuedKeys ?? leaseConfiguredKeys(connected.keys, checks, connected.time);
    const opened = await openTarget(connected, {
      leases: leasesFor([]),
      client: { spend },
      writes,
      needsService: true,
    });
    if (opened.state === 'not-the-service') {
      return { ...opened, message: `${opened.message} Nothing was loaded.` };
    }
    if (opened.state !== 'opened') {
      return opened;
    }
    const { config, client, judgements, control, inventory, keys, first, transport } = opened;
    const result = await use({
      config,
      client,
      judgements,
      control,
      inventory,
      keys,
      target: { ...addressOf(config.target), headers: options.headers, sendsTraceparent, ...transport },
      issues: connected.issuedKeys !== null,
      issue: issuerOf(opened),
      obstacle: (check, among) => obstacleOfKeys(check, leasesFor(among)),
      keysTaken: (checks) => keysTaken(checks, leasesFor(checks)),
      perform: performerOf(opened, leasesFor),
      fetchList: () => fetchList(opened),
      shownLimit: first.key?.usage.last?.rateLimit.limit ?? null,
      spent: () => spent,
    });
    await inventory.restore();
    return { state: 'done', result };
  });
}

function issuerOf({ control, learnKey, time }: OpenedTarget): LoadSession['issue'] {
  let count = 0;
  return async (plan, limits, usedToday = 0) => {
    if (control === null) {
      throw new ControlError('Without a control URL no keys can be issued');
    }
    const issuedAt = time.now();
    const secret = await control.issueKey({ plan, ...limits, ...(usedToday === 0 ? {} : { usedToday }) });
    count += 1;
    const label = `${plan}#load${count}`;
    const known = limits ?? (plan === 'enterprise' ? null : PLAN_LIMITS[plan]);
    const key: Key = { label, secret, plan, limits: known, issued: true, usedToday, usage: newUsage() };
    learnKey(key, issuedAt);
    return key;
  };
}

function performerOf(
  opened: OpenedTarget,
  leasesFor: (checks: readonly Check[]) => KeyLeases,
): LoadSession['perform'] {
  const environment = createCheckEnvironment(opened, {
    leases: leasesFor([]),
    found: new Map(),
    startedAt: performance.now(),
    idleKeys: [],
    banWaitSeconds: LONGEST_REAL_WAIT_SECONDS,
  });
  return (checks) => {
    const leases = leasesFor(checks);
    return performGroup(checks, leases, (check) =>
      opened.time.participate(() => performCheck(check, { ...environment, leases }, () => {})),
    );
  };
}

async function fetchList({ client, transport, first, signal }: OpenedTarget): Promise<Exchange | null> {
  const { key } = first;
  if (key === null) {
    return null;
  }
  const pool = openConnections(client.origin, 1, transport);
  try {
    return await performExchange(client, pool, listInventory(), { key });
  } catch (error) {
    // What was measured until an interruption is worth telling without the list, too.
    if (error instanceof NoResponse || signal.aborted) {
      return null;
    }
    throw error;
  } finally {
    await pool.destroy();
  }
}

// A burst that is much greater than a Business key's is more than a scenario announces.
const MOST_REQUESTS = 2_500;

/** Why a check cannot get the keys that it needs, or `null`. */
export function obstacleOfKeys({ needs }: Check, leases: KeyLeases): string | null {
  const dear = needs.keys
    .flatMap((need) => leases.candidates(need).map((key) => ({ key, need })))
    .find(({ key, need }) => requestsOf(need, planningLimits(key)) > MOST_REQUESTS);
  return dear === undefined
    ? leases.obstacle(needs.keys)
    : `The limit of ${dear.key.label} is ${planningLimits(dear.key).perMinute} a minute; to exceed it would take more requests than this run announces.`;
}

/** The configured keys that checks may use; a check counts every request of its key. */
export function keysTaken(checks: readonly Check[], leases: KeyLeases): ReadonlySet<Key> {
  return new Set(checks.flatMap(({ needs }) => needs.keys.flatMap((need) => leases.candidates(need))));
}
