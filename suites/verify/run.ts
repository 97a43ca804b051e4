import { setTimeout as delay } from 'node:timers/promises';
import { PLANS } from '../../contract/plans.ts';
import { SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { NO_BUDGET, openAllowances, planBudget, type Budget } from './budget.ts';
import type { Check, Surveyed, SurveyRecord } from './check.ts';
import { CHECKS } from './checks/index.ts';
import {
  findMovableClock,
  connectControl,
  ControlError,
  configuredKeys,
  type TransportOptions,
  leaseConfiguredKeys,
  leaseIssuedKeys,
  type KeyLeases,
  addressOf,
  openConnections,
  createTargetClient,
  leasePets,
  describeForeignUse,
  findForeignUse,
  withoutForeignUse,
  type ForeignUse,
  preflight,
  type Preflight,
  trackLiveness,
  UNTRACKED_LIVENESS,
  createRedactor,
  type Redactor,
  accessOf,
  openTargetInventory,
  lockControl,
  stateOnDemand,
  type TargetConfig,
  openRequestTrace,
  keepTime,
  LONGEST_REAL_WAIT_SECONDS,
  type Timekeeper,
} from '../target/index.ts';
import {
  collectJudgements,
  type Judgement,
  type Judgements,
  type ObservedValue,
  doubtfulPlans,
  followServerClock,
} from '../oracle/index.ts';
import type { Facts } from './check-context.ts';
import type { CheckEnvironment } from './open-check-context.ts';
import { leaveUnfinished, performCheck, type CheckSummary } from './perform-check.ts';
import { missingFor, type Resources } from './resources.ts';
import { withSurveys } from './survey.ts';

export interface RunOptions {
  readonly config: TargetConfig;
  /** Which checks to run, besides what they come after; all of the profile where absent. */
  readonly selects?: (check: Check) => boolean;
  readonly long: boolean;
  readonly banWaitSeconds: number;
  readonly transport: TransportOptions;
  readonly headers: readonly (readonly [string, string])[];
  /** Words for a POSIX shell that curl lines need to reach the target as the run does; none where absent. */
  readonly curlOptions?: readonly string[];
  /** Plans and announces, then stops before the target is asked anything. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly listener: RunListener;
  /** Learns the keys of the run; where none is given, the run has one of its own. */
  readonly redactor?: Redactor;
}

/** Is told what happens while it happens. */
export interface RunListener {
  readonly onPlan?: (plan: RunPlan) => void;
  readonly onCheckStart?: (check: Check) => void;
  readonly onCheckEnd?: (summary: CheckSummary) => void;
  readonly onNotice?: (notice: string) => void;
}

/** What a run is going to do. `waits` tells, at any moment, what is waited for and how long. */
export interface RunPlan {
  readonly checks: readonly Check[];
  /** Those of the checks that were not selected: others come after them. */
  readonly broughtAlong: ReadonlySet<Check>;
  readonly skipped: readonly LeftOut[];
  readonly budget: Budget;
  readonly waits: Timekeeper['sleeping'];
}

interface LeftOut {
  readonly check: Check;
  readonly reason: string;
}

export interface RunResult {
  readonly preflight: Preflight;
  readonly plan: RunPlan;
  readonly judgements: readonly Judgement[];
  readonly observations: Readonly<Record<string, ObservedValue | readonly string[]>>;
  readonly checks: readonly CheckSummary[];
  readonly spent: { readonly total: number; readonly byKey: Readonly<Record<string, number>> };
  readonly problems: readonly string[];
  readonly interrupted: boolean;
  /** Whether the target answered nothing any more, so that the run ended early. */
  readonly stopped: boolean;
  readonly startedAt: Date;
  readonly durationSeconds: number;
}

// Long enough for whoever sends a request every few seconds.
const IDLE_MILLISECONDS = 4_000;

/** Runs the suite against one target. The only errors it throws are faults of the suite itself. */
export async function runSuite(options: RunOptions): Promise<RunResult> {
  const { config } = options;
  const startedAt = new Date();
  const started = performance.now();
  const problems: string[] = [];
  const cleanUp: (() => Promise<void> | void)[] = [];
  const redactor = options.redactor ?? createRedactor();
  const keys = configuredKeys(config, redactor);
  const knownSecrets = new Set([...config.keys.map(({ key }) => key), ...config.revokedKeys]);
  const judgements = collectJudgements();
  const listener: RunListener = {
    ...options.listener,
    onNotice: (notice) => options.listener.onNotice?.(redactor.redact(notice)),
  };
  const clock = followServerClock();
  const spentByKey = new Map<string, number>();
  const summaries: CheckSummary[] = [];
  const leftOut: LeftOut[] = [];
  const cutOff = new Set<Check>();
  const records = new Map<Check, Surveyed<SurveyRecord>>();
  let plan: RunPlan = {
    checks: [],
    broughtAlong: new Set(),
    skipped: [],
    budget: NO_BUDGET,
    waits: () => [],
  };
  const ending = new AbortController();
  // What the user ends, or the target by not answering any more.
  const signal = AbortSignal.any([options.signal, ending.signal]);
  let stopped = false;
  let foreign: ForeignUse = new Map();
  const judged = (): readonly Judgement[] =>
    SERVER_REQUIREMENTS.map(({ id }) => withoutForeignUse(judgements.judgementOf(id), foreign));
  const finish = (outcome: Preflight): RunResult => {
    noteLeftOut(judgements, leftOut, cutOff);
    return {
      preflight: outcome,
      plan,
      judgements: judged(),
      observations: judgements.observations(),
      checks: summaries,
      spent: {
        total: [...spentByKey.values()].reduce((sum, count) => sum + count, 0),
        byKey: Object.fromEntries(spentByKey),
      },
      problems: [...doubtfulPlans(keys), ...describeForeignUse(foreign), ...problems],
      interrupted: options.signal.aborted,
      stopped,
      startedAt,
      durationSeconds: (performance.now() - started) / 1000,
    };
  };

  const openState = stateOnDemand(listener.onNotice);

  try {
    const control =
      config.control === null
        ? null
        : await connectControl(config.control, options.transport.timeoutMilliseconds, {
            probes: !options.dryRun,
            until: ending.signal,
            redact: redactor.redact,
          });
    if (control !== null && !options.dryRun && config.control !== null) {
      cleanUp.push(await lockControl(config.control, openState().path, options.signal, listener.onNotice));
    }
    const time = keepTime(
      await findMovableClock(control),
      clock,
      signal,
      Math.max(LONGEST_REAL_WAIT_SECONDS, options.banWaitSeconds + 5),
    );
    const resources: Resources = {
      profile: config.profile,
      capabilities: control?.capabilities ?? new Set(),
      long: options.long,
      revokedKey: config.revokedKeys.length > 0,
    };
    const selected = CHECKS.filter((check) => options.selects?.(check) ?? true);
    const needed = withSurveys(selected);
    const broughtAlong = new Set(needed.filter((check) => !selected.includes(check)));
    const { applicable, skipped } = sortOut(
      CHECKS.filter((check) => needed.includes(check)),
      resources,
    );
    const issues = control?.capabilities.has('keys') === true;
    const leases: KeyLeases =
      issues && control !== null
        ? leaseIssuedKeys({
            control,
            configured: keys,
            hide: (secret, label) => {
              knownSecrets.add(secret);
              redactor.hide(secret, label);
            },
          })
        : leaseConfiguredKeys(keys, applicable, time);
    const checks: Check[] = [];
    for (const check of applicable) {
      const reason = leases.obstacle(check.needs.keys);
      if (reason === null) {
        checks.push(check);
      } else {
        skipped.push({ check, reason });
      }
    }
    leftOut.push(...skipped);
    const budget = planBudget(checks, leases, time.virtual);
    plan = { checks, broughtAlong, skipped, budget, waits: () => time.sleeping() };
    listener.onPlan?.(plan);

    if (options.dryRun) {
      return finish({ state: 'planned' });
    }

    const noteSpent = (label: string | null): void => {
      const name = label ?? 'none';
      spentByKey.set(name, (spentByKey.get(name) ?? 0) + 1);
    };
    // Pre-flight and restoring are not held back: what they need is announced beside the checks.
    const target = { ...addressOf(config.target), headers: options.headers };
    const parties = { time, clock, redactor, judgements, signal };
    const liveness = trackLiveness({
      transport: options.transport,
      spend: () => noteSpent(null),
      end: (reason) => {
        stopped = true;
        problems.push(reason);
        listener.onNotice?.(reason);
        ending.abort(new Error(reason));
      },
    });
    const curl = { control: issues ? config.control : null, options: options.curlOptions ?? [] };
    const client = createTargetClient(target, { ...parties, curl, liveness, spend: noteSpent });
    const allowanceOf = openAllowances(budget);
    const first = await time.participate(async () =>
      preflight(
        { ...client, liveness: { ...liveness, ask: UNTRACKED_LIVENESS.ask } },
        options.transport,
        leases,
        config.pets.existing,
      ),
    );
    if (first.state !== 'ready') {
      return finish(first);
    }
    const writes = checks.some(({ needs }) => (needs.pets ?? 0) > 0 || needs.control?.includes('inventory'));
    const inventory = await openTargetInventory({
      target: config.target,
      access: accessOf(config.profile, writes),
      openState,
      existing: config.pets.existing,
      control,
      listed: first.items,
      isWhole: first.isWhole,
      client,
      transport: options.transport,
      keys: [first.key, ...keys.filter((key) => key !== first.key)],
      problems,
      onNotice: listener.onNotice,
    });
    cleanUp.push(() => inventory.restore());
    const facts: Facts = {
      listBytes: first.listBytes,
      missingPet: config.pets.missing,
      existingPets: inventory.isReplaced ? [] : config.pets.existing,
      ownPets: inventory.isReplaced ? inventory.pets.map(({ petId }) => petId) : [],
      idleKeys: issues ? PLANS.flatMap((plan) => keys.find((key) => key.plan === plan) ?? []) : [],
      knownSecrets,
      revokedKeys: config.revokedKeys,
      banWaitSeconds: options.banWaitSeconds,
    };
    const parts: CheckEnvironment = {
      client,
      connect: (connections) => openConnections(client.origin, connections, options.transport),
      leases,
      petLeases: leasePets(inventory.pets, time),
      control: inventory.control,
      facts,
      records,
      startedAt: started,
      isSharedElsewhere: inventory.isSharedElsewhere,
      noteWrites: inventory.noteWrites,
    };
    const perform = async (check: Check): Promise<void> => {
      if (signal.aborted) {
        leaveUnfinished(check, client);
        cutOff.add(check);
        return;
      }
      const onStart = (): void => listener.onCheckStart?.(check);
      const allowance = allowanceOf(check);
      const spend = (label: string | null): void => {
        allowance.spend();
        noteSpent(label);
      };
      const sender = { check: check.id, trace: openRequestTrace() };
      const own = { ...parts, client: { ...client, sender, spend } };
      const summary = await time.participate(() => performCheck(check, own, inventory, onStart));
      allowance.close();
      summaries.push(summary);
      if (summary.isCutOff) {
        cutOff.add(check);
      }
      if (summary.record !== null) {
        records.set(check, { result: summary.record });
      } else if (summary.problem !== null) {
        records.set(check, { unknown: summary.problem });
      }
      listener.onCheckEnd?.(summary);
    };
    const slowness = describeSlowness(first.latencyMilliseconds, checks.length);
    if (slowness !== null) {
      listener.onNotice?.(slowness);
    }
    if (first.notice !== null) {
      problems.push(first.notice);
      listener.onNotice?.(first.notice);
    }
    const hasNoPets = first.items !== null && inventory.pets.length === 0;
    const reasonToLeaveOut = ({ needs }: Check): string | null => {
      // A capability may have turned out to be named only.
      const missing = missingFor(needs, resources);
      if (missing !== null) {
        return missing;
      }
      if (inventory.whyKept !== null && needs.control?.includes('inventory') === true) {
        return inventory.whyKept;
      }
      if (hasNoPets && needs.pets !== undefined && needs.worksWithoutPets !== true) {
        return 'The store has no pet that could be updated.';
      }
      // What does not serve the list, or refuses a new key, will not show how its limits work either.
      const isPointless = first.notice !== null && needs.keys.some(({ use }) => use !== 'share');
      return isPointless ? `${first.notice} Nothing that takes whole windows was tried.` : null;
    };
    const runnable = checks.filter((check) => {
      const reason = reasonToLeaveOut(check);
      if (reason !== null) {
        leases.withdraw(check);
        leftOut.push({ check, reason });
      }
      return reason === null;
    });
    for (const { check, reason } of leftOut) {
      records.set(check, { unknown: reason });
    }
    for (const check of runnable.filter(({ needs }) => needs.alone === true)) {
      await perform(check);
    }
    const rest = runnable.filter(({ needs }) => needs.alone !== true);
    let sharing = rest.filter(onlyShares).length;
    if (sharing === 0) {
      leases.sharingIsOver();
    }
    await Promise.all(
      rest.map(async (check) => {
        await perform(check);
        if (onlyShares(check)) {
          sharing -= 1;
          if (sharing === 0) {
            leases.sharingIsOver();
          }
        }
      }),
    );
    await inventory.restore();
    foreign = await findForeignUse(keys, judged(), client, options.transport, () =>
      delay(IDLE_MILLISECONDS, undefined, { signal }).catch(() => {}),
    );
    return finish(first);
  } catch (error) {
    if (error instanceof ControlError && !signal.aborted) {
      return finish({
        state: 'control-failed',
        message: `${error.message} Check "control" in the configuration, or leave it out.`,
      });
    }
    throw error;
  } finally {
    for (const step of cleanUp.toReversed()) {
      await step();
    }
  }
}

const SLOW_MILLISECONDS = 300;
// Of all checks together, where some run side by side; an estimate.
const ROUND_TRIPS_PER_CHECK = 7;

/** What a slow first answer lets expect, or `null`. */
function describeSlowness(latencyMilliseconds: number, checks: number): string | null {
  if (latencyMilliseconds < SLOW_MILLISECONDS) {
    return null;
  }
  const minutes = Math.ceil((latencyMilliseconds * ROUND_TRIPS_PER_CHECK * checks) / 60_000);
  const about = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `The target took ${(latencyMilliseconds / 1000).toFixed(1)} s for its first answer. If every answer takes as long, this run takes about ${about}, windows aside; --only runs a part of it.`;
}

function onlyShares({ needs }: Check): boolean {
  return needs.keys.every(({ use }) => use === 'share');
}

/** What can be carried out with these resources, and what can't. */
function sortOut(checks: readonly Check[], resources: Resources) {
  const applicable: Check[] = [];
  const skipped: LeftOut[] = [];
  for (const check of checks) {
    const reason = missingFor(check.needs, resources);
    if (reason === null) {
      applicable.push(check);
    } else {
      skipped.push({ check, reason });
    }
  }
  return { applicable, skipped };
}

/** Says why checks were left out, but not of what another check had no time for. */
function noteLeftOut(judgements: Judgements, leftOut: readonly LeftOut[], cutOff: ReadonlySet<Check>): void {
  const noTime = new Set([...cutOff].flatMap(({ judges }) => judges));
  for (const { check, reason } of leftOut) {
    for (const id of check.judges) {
      if (!noTime.has(id)) {
        judgements.skip(check.id, id, reason);
      }
    }
  }
}
