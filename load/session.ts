import { PLAN_LIMITS, type Plan, type PlanLimits } from '../contract/plans.ts';
import { SERVER_REQUIREMENTS, type RequirementId } from '../contract/requirements/index.ts';
import {
  type Check,
  type CheckSummary,
  type LeftOut,
  noteLeftOut,
  createCheckEnvironment,
  performCheck,
  performGroup,
} from '../suites/verify/index.ts';
import {
  addressOf,
  ControlError,
  describeTarget,
  findForeignUse,
  idle,
  leaseConfiguredKeys,
  listInventory,
  LONGEST_REAL_WAIT_SECONDS,
  NoResponse,
  connectTo,
  type OpenedTarget,
  openTarget,
  overPool,
  performExchange,
  requestsOf,
  type KeyLeases,
  type PreflightFailure,
  type SeenOthers,
  type TargetOptions,
  WaitTooLong,
  withoutOthers,
  withTarget,
} from '../suites/target/index.ts';
import {
  type Exchange,
  type Judgement,
  limitsMonitor,
  newUsage,
  type Key,
  planningLimits,
  secondsSpared,
} from '../suites/oracle/index.ts';
import type { LoadTarget } from './engine/load-request.ts';

export interface LoadSessionOptions extends Omit<
  TargetOptions,
  'gone' | 'isDryRun' | 'longestWaitSeconds' | 'isUntold'
> {
  /** Whether something will be written to pets. */
  readonly writes: boolean;
}

export type LoadSessionResult<Result> =
  | { readonly state: 'done'; readonly result: Result; readonly isRestored: boolean }
  | PreflightFailure;

/** Reaches the target, lets `use` work with it, puts back what was changed, and clears everything away. */
export function withLoadSession<Result>(
  { writes, ...options }: LoadSessionOptions,
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
    const leasesFor: LeasesFor = (checks, keys = connected.keys) =>
      connected.issuedKeys ?? leaseConfiguredKeys(keys, checks, connected.time);
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
    const { config, transport } = opened;
    const target = { ...addressOf(config.target), headers: options.headers, ...transport };
    const issues = connected.issuedKeys !== null;
    const result = await use(sessionOf(opened, { target, issues, leasesFor, spent: () => spent }));
    return { state: 'done', result, isRestored: await opened.inventory.restore() };
  });
}

/** A target that load may be put on: reached, understood, and cleared away in the end. */
export type LoadSession = ReturnType<typeof sessionOf>;

/** @param keys the configured keys that checks may get; all by default */
type LeasesFor = (checks: readonly Check[], keys?: readonly Key[]) => KeyLeases;

interface SessionParts {
  readonly target: LoadTarget;
  /** Whether keys can be issued. */
  readonly issues: boolean;
  readonly leasesFor: LeasesFor;
  /** Requests sent by checks and preparations, beside the engines. */
  readonly spent: () => number;
}

function sessionOf(opened: OpenedTarget, { leasesFor, ...parts }: SessionParts) {
  const { config, client, judgements, control, inventory, keys, first } = opened;
  const others: SeenOthers[] = [];
  const judgementOf = (id: RequirementId): Judgement => withoutOthers(judgements.judgementOf(id), others);
  return {
    ...parts,
    config,
    client,
    judgements,
    /** What is known of a requirement, unless somebody else may explain it. */
    judgementOf,
    control,
    inventory,
    keys,
    issue: issuerOf(opened),
    /** Why a check cannot get the keys that it needs beside others, or `null`. */
    obstacle: (check: Check, among: readonly Check[]) => obstacleOfKeys(check, leasesFor(among)),
    /** The configured keys that checks cannot do without. */
    keysTaken: (checks: readonly Check[]) => keysTaken(checks, keys, leasesFor),
    perform: performerOf(opened, leasesFor),
    settle: settlerOf(opened, judgementOf, others),
    /** Whether a key is to be spared until it has waited as it was told. */
    isResting: (key: Key) => secondsSpared(key, client.time.now()) > 0,
    /** Asks for the list; `null` if that is not answered now. */
    fetchList: () => fetchList(opened),
    /** What the pre-flight's answer said of its key's limit, or `null`. */
    shownLimit: first.key?.usage.last?.rateLimit.limit ?? null,
  };
}

/** Issues fresh keys, with limits of their own or those of their plan. @throws {ControlError} */
function issuerOf({ control, learnKey, time }: OpenedTarget) {
  let count = 0;
  return async (plan: Plan, limits: PlanLimits | null): Promise<Key> => {
    if (control === null) {
      throw new ControlError('Without a control URL no keys can be issued');
    }
    const issuedAt = time.now();
    const secret = await control.issueKey({ plan, ...limits });
    count += 1;
    const label = `${plan}#load${count}`;
    const known = limits ?? (plan === 'enterprise' ? null : PLAN_LIMITS[plan]);
    const key: Key = { label, secret, plan, limits: known, issued: true, usedToday: 0, usage: newUsage() };
    learnKey(key, issuedAt);
    return key;
  };
}

/** Carries out checks of the suites; what they find goes to the judgements. */
function performerOf(opened: OpenedTarget, leasesFor: LeasesFor) {
  const environment = createCheckEnvironment(opened, {
    leases: leasesFor([]),
    startedAt: performance.now(),
    idleKeys: [],
    banWaitSeconds: LONGEST_REAL_WAIT_SECONDS,
  });
  return (checks: readonly Check[], without: ReadonlySet<Key>): Promise<readonly CheckSummary[]> => {
    const leases = leasesFor(
      checks,
      opened.keys.filter((key) => !without.has(key)),
    );
    return performGroup(checks, leases, (check) =>
      opened.time.participate(() => performCheck(check, { ...environment, leases }, () => {})),
    );
  };
}

/**
 * Says what checks have left open, and finds out whether somebody else explains what failed.
 * @returns what the checks set out to have judged of the limits and was not, in a sentence; `null` if that is nothing
 */
function settlerOf(
  opened: OpenedTarget,
  judgementOf: (id: RequirementId) => Judgement,
  others: SeenOthers[],
) {
  const { config, client, judgements } = opened;
  return async (summaries: readonly CheckSummary[], notTried: readonly LeftOut[]): Promise<string | null> => {
    const tried = new Set(summaries.flatMap(({ check }) => check.judges));
    const ofLimits = limitsMonitor.judges.filter((id) => tried.has(id));
    const unseen = new Set(ofLimits.filter((id) => judgementOf(id).judgedBy.length === 0));
    const leftOut = notTried.map(({ check, reason }) => ({
      check: { ...check, judges: check.judges.filter((id) => !tried.has(id)) },
      reason,
    }));
    noteLeftOut({ config, judgements, disturbances: [] }, { summaries, leftOut, cutOff: new Set() });
    const judged = SERVER_REQUIREMENTS.map(({ id }) => judgementOf(id));
    const found = await findForeignUse(opened, judged, () => idle(client));
    others.push(...found);
    opened.problems.push(...found.flatMap(({ described }) => described));
    const open = ofLimits
      .map(judgementOf)
      .find(({ id, outcome }) => outcome === 'inconclusive' || unseen.has(id));
    return open === undefined ? null : `${open.id} was not decided. ${open.reason ?? ''}`;
  };
}

async function fetchList({ client, transport, first, signal }: OpenedTarget): Promise<Exchange | null> {
  const { key } = first;
  if (key === null) {
    return null;
  }
  try {
    return await overPool(connectTo(client, 1, transport), (pool) =>
      performExchange(client, pool, listInventory(), { key }),
    );
  } catch (error) {
    // What was measured until an interruption is worth telling without the list, too.
    if (error instanceof NoResponse || error instanceof WaitTooLong || signal.aborted) {
      return null;
    }
    throw error;
  }
}

// A burst that is much greater than a Business key's is more than a scenario announces.
const MOST_REQUESTS = 3_100;

/** Why a check cannot get the keys that it needs, or `null`. */
export function obstacleOfKeys({ needs }: Check, leases: KeyLeases): string | null {
  const dear = needs.keys
    .flatMap((need) => leases.candidates(need).map((key) => ({ key, need })))
    .find(({ key, need }) => requestsOf(need, planningLimits(key)) > MOST_REQUESTS);
  return dear === undefined
    ? leases.obstacle(needs.keys)
    : `The limit of ${dear.key.label} is ${planningLimits(dear.key).perMinute} a minute; to exceed it would take more requests than this run announces.`;
}

/** The configured keys that checks cannot do without, so that the largest are left for others. */
export function keysTaken(
  checks: readonly Check[],
  keys: readonly Key[],
  leasesFor: LeasesFor,
): ReadonlySet<Key> {
  let taken = keys;
  for (const key of keys.toSorted((a, b) => planningLimits(b).perMinute - planningLimits(a).perMinute)) {
    const others = taken.filter((one) => one !== key);
    const leases = leasesFor(checks, others);
    taken = checks.every(({ needs }) => leases.obstacle(needs.keys) === null) ? others : taken;
  }
  return new Set(taken);
}
