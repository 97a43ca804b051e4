import { messageOf } from '../../contract/error-text.ts';
import { findRequirement } from '../../contract/requirements/index.ts';
import { type Check, type CheckContext, Undecided } from '../stimuli/index.ts';
import {
  ControlError,
  NotServed,
  NoRoomLeft,
  NoResponse,
  updateInventory,
  type Pet,
  showsQuantity,
  BudgetError,
  evidence,
  openTrailLog,
  type TargetClient,
} from '../target/index.ts';
import { isOrdinary, judgeDropped } from './dropped-request.ts';
import {
  type Judgements,
  type Key,
  MONITORS,
  judgeProvisionally,
  type ProvisionalJudgements,
} from '../oracle/index.ts';
import { withClient, type CheckEnvironment } from './check-environment.ts';
import { EndedEarly, isNoFaultOfSuite } from './failures.ts';
import { openCheckContext, type LeasedCheck } from './check-context.ts';

/** How one check went; its verdict lies in what it judged. */
export interface CheckSummary {
  readonly check: Check;
  readonly outcome: 'done' | 'inconclusive';
  readonly durationSeconds: number;
  /** Requests with the check's keys. */
  readonly requests: number;
  /** Why it was not carried out to its end. */
  readonly problem: string | null;
}

/** A check's summary, and what the run needs to know of it. */
interface PerformedCheck extends CheckSummary {
  /** It had no time or no requests left, so that nothing else explains what stays open. */
  readonly isCutOff: boolean;
}

// A measurement that lost responses is made again, up to so often.
const MOST_RUNS = 3;

/**
 * Leases what a check needs, runs it, puts its pets back and gives everything back. Never throws. If responses
 * were lost, and something failed, stayed open or was observed, nothing of that is recorded and the check runs again
 * on fresh keys, if there are any.
 */
export async function performCheck(
  check: Check,
  environment: CheckEnvironment,
  onStart: () => void,
): Promise<PerformedCheck> {
  const started = performance.now();
  let requests = 0;
  let spoiled: CheckRun | null = null;
  for (let count = 1; ; count += 1) {
    const log = environment.client.log?.openBeside() ?? openTrailLog();
    const own = withClient(environment, { log });
    const run: CheckRun = await runOnce(check, own, count === 1 ? onStart : () => {});
    requests += run.requests;
    const isCutShort = run.error instanceof BudgetError || run.error instanceof ControlError;
    if (count === MOST_RUNS || isCutShort || !isSpoiled(run, environment)) {
      // What is cut short shows less than a whole run that lost some responses.
      const result = isCutShort && spoiled !== null ? spoiled : run;
      await settle(check, own, result, { keys: [], pets: [] });
      return summarise(check, environment, result, { started, requests });
    }
    spoiled = run;
  }
}

/** One run of a check; unless it was settled, what it says is not recorded yet. */
interface CheckRun {
  readonly keys: readonly (Key | null)[];
  /** What it threw, or `null`. */
  readonly error: unknown;
  readonly requests: number;
  readonly said: ProvisionalJudgements;
}

async function runOnce(check: Check, environment: CheckEnvironment, onStart: () => void): Promise<CheckRun> {
  const said = judgeProvisionally(environment.client.judgements);
  let keys: readonly (Key | null)[] = [];
  let pets: readonly Pet[] = [];
  try {
    keys = await environment.leases.lease(check.needs.keys);
    const { pets: most, fewestPets, sharesPet } = check.needs;
    pets = most === undefined ? [] : await environment.petLeases.lease(most, fewestPets, sharesPet);
  } catch (error) {
    keys.filter((key) => key !== null).forEach((key) => environment.leases.release(key));
    return { keys, error, requests: 0, said };
  }
  onStart();
  const { client } = environment;
  let requests = 0;
  const spend = (label: string | null): void => {
    client.spend(label);
    requests += 1;
  };
  const { context, close } = openCheckContext(withClient(environment, { spend }), {
    check,
    keys,
    pets,
    judgements: said.record,
  });
  let error: unknown = null;
  try {
    await check.run(context);
  } catch (thrown) {
    error = thrown;
    if (error instanceof NoResponse) {
      // It is looked into while the keys and pets are still leased.
      await settle(check, environment, { error, said }, { keys, pets });
      await environment.client.liveness.ask(environment.client);
    }
  } finally {
    await putBack(context, environment);
    await close();
    environment.petLeases.release(pets);
  }
  return { keys, error, requests, said };
}

// On a connection that loses many responses another run would not be spared.
const FAIR_CHANCE = 0.3;

/** Whether lost responses may explain what was said or stayed open, and fresh keys can tell. */
function isSpoiled({ keys, error, requests, said }: CheckRun, { client }: CheckEnvironment): boolean {
  const used = keys.filter((key) => key !== null);
  const chanceOfNone = (1 - client.losses.recovered / Math.max(1, client.losses.requests)) ** requests;
  const hasLost = used.some(({ usage }) => usage.lostResponses > 0);
  const isOpen = error === null ? said.isDoubtful() : error instanceof Undecided;
  const canBeRepeated = client.time.virtual && used.every(({ issued }) => issued) && !client.signal.aborted;
  return hasLost && isOpen && canBeRepeated && chanceOfNone > FAIR_CHANCE;
}

/** Records what a run said and what it left open, once. */
async function settle(
  check: Check,
  environment: CheckEnvironment,
  { error, said }: Pick<CheckRun, 'error' | 'said'>,
  leased: Pick<LeasedCheck, 'keys' | 'pets'>,
): Promise<void> {
  if (said.commit() && error !== null) {
    await (error instanceof NoRoomLeft
      ? skipAll(check, environment.client.judgements, error.message)
      : explainError(check, environment, error, leased));
  }
}

function skipAll({ id, judges }: Check, judgements: Judgements, reason: string): void {
  for (const requirement of judges) {
    judgements.skip(id, requirement, reason);
  }
}

function summarise(
  check: Check,
  environment: CheckEnvironment,
  { error }: CheckRun,
  { started, requests }: { readonly started: number; readonly requests: number },
): PerformedCheck {
  return {
    check,
    outcome: error === null ? 'done' : 'inconclusive',
    durationSeconds: (performance.now() - started) / 1000,
    requests,
    problem: error === null ? null : messageOf(error),
    isCutOff:
      error !== null &&
      (environment.client.signal.aborted || error instanceof NoRoomLeft || error instanceof BudgetError),
  };
}

/** Restores what the check alone had and changed, with its own key if that has room; else the inventory does at the end. */
async function putBack(
  context: CheckContext,
  { inventory, petLeases }: Pick<CheckEnvironment, 'inventory' | 'petLeases'>,
): Promise<void> {
  for (const pet of inventory.owed(context.pets.filter((one) => !petLeases.isShared(one)))) {
    const key = context.keys.find(
      (candidate) => candidate !== null && candidate.usage.retryAt <= context.now(),
    );
    if (key !== undefined && key !== null) {
      try {
        const exchange = await context.send(updateInventory(pet.petId, pet.item.quantity), { key });
        if (showsQuantity(exchange, pet.item)) {
          inventory.noteRestored([pet]);
        }
      } catch {
        // The inventory is restored at the end.
      }
    }
  }
}

/** A fault of the suite or of the network is inconclusive; only a request that alone gets no answer is a failure. */
async function explainError(
  check: Check,
  environment: CheckEnvironment,
  error: unknown,
  { keys, pets }: Pick<LeasedCheck, 'keys' | 'pets'>,
): Promise<void> {
  const { client, connect } = environment;
  const { judgements, signal } = client;
  if (signal.aborted) {
    leaveUnfinished(check, client);
    return;
  }
  if (error instanceof NoResponse && isOrdinary(error, pets)) {
    await judgeDropped({ client, connect, key: keys.find((key) => key !== null) }, error).catch(() => false);
  }
  const message = client.redactor.redact(messageOf(error));
  const finding = evidence(
    environment.client,
    isNoFaultOfSuite(error) ? message : `The check ${check.id} itself failed: ${message}`,
    error instanceof Undecided ? error.exchange : undefined,
  );
  for (const id of check.judges) {
    if (error instanceof NotServed) {
      judgements.skip(check.id, id, message);
    } else if (findRequirement(id)?.level !== 'observe') {
      judgements.leaveOpen(check.id, id, finding, [check.id, ...MONITOR_IDS]);
    }
  }
}

// What a monitor judges is borne out by exchanges of other checks, too.
const MONITOR_IDS = MONITORS.map(({ id }) => id);

/** What a check would have judged stays open if the end of the run cut it off or came before it. */
export function leaveUnfinished(check: Check, { judgements, liveness, signal }: TargetClient): void {
  const message = liveness.isGone()
    ? 'The target gave no more answers in time before this was judged.'
    : signal.reason instanceof EndedEarly
      ? signal.reason.message
      : `The run was interrupted before ${check.id} was over.`;
  for (const id of check.judges) {
    if (findRequirement(id)?.level === 'observe') {
      judgements.skip(check.id, id, message);
    } else {
      judgements.leaveOpen(check.id, id, { message }, [check.id, ...MONITOR_IDS]);
    }
  }
}
