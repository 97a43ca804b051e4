import { findRequirement, type RequirementId } from '../contract/requirements.ts';
import type { Check } from './check.ts';
import { ControlError, NotServed } from './control-client.ts';
import { isOrdinary, judgeDropped } from './dropped-request.ts';
import type { Judgements } from './judgements.ts';
import { NoRoomLeft } from './key-leases.ts';
import { openLab, type LaboratoryParts } from './laboratory.ts';
import { Undecided, type Lab } from './lab.ts';
import type { Key } from './keys.ts';
import { MONITORS } from './monitors/index.ts';
import { NoResponse } from './no-response.ts';
import { updateInventory } from './operations.ts';
import type { Pet } from './pets.ts';
import { showsQuantity } from './restoring.ts';
import type { Store } from './store.ts';
import { UnusableState } from './target/journal/index.ts';
import type { SurveyRecord } from './survey.ts';
import { WaitTooLong } from './timekeeper.ts';
import { BudgetError, evidence, type Wire } from './wire.ts';

/** How one check went; its verdict lies in what it judged. */
export interface CheckSummary {
  readonly check: Check;
  readonly outcome: 'done' | 'inconclusive';
  readonly durationSeconds: number;
  /** Requests with the check's keys. */
  readonly requests: number;
}

/** A check's summary, and what the run goes by. */
interface CheckCourse extends CheckSummary {
  /** What a survey found out. */
  readonly record: SurveyRecord | null;
  /** Why it was not carried out to its end. */
  readonly problem: string | null;
  /** It had no time or no requests left, so that nothing else explains what stays open. */
  readonly isCutOff: boolean;
}

/** Leases what a check needs, runs it, puts its pets back and gives everything back. Never throws. */
export async function performCheck(
  check: Check,
  parts: LaboratoryParts,
  store: Store,
  onStart: () => void,
): Promise<CheckCourse> {
  const started = performance.now();
  const summaryOf = (record: SurveyRecord | null, error: unknown, requests: number): CheckCourse => ({
    check,
    outcome: error === null ? 'done' : 'inconclusive',
    durationSeconds: (performance.now() - started) / 1000,
    requests,
    record,
    problem: error === null ? null : messageOf(error),
    isCutOff:
      error !== null &&
      (parts.wire.signal.aborted || error instanceof NoRoomLeft || error instanceof BudgetError),
  });
  let keys: readonly (Key | null)[] = [];
  let pets: readonly Pet[] = [];
  try {
    keys = await parts.leases.lease(check.needs.keys);
    pets = check.needs.pets === undefined ? [] : await parts.petLeases.lease(check.needs.pets);
  } catch (error) {
    releaseAll(parts, keys);
    if (error instanceof NoRoomLeft) {
      for (const id of check.judges) {
        parts.wire.judgements.skip(check.id, id, error.message);
      }
    } else {
      await explainError(check, parts, error, [], []);
    }
    return summaryOf(null, error, 0);
  }
  onStart();
  const sent = (): number => keys.reduce((sum, key) => sum + (key?.usage.sentAt.length ?? 0), 0);
  const before = sent();
  const { lab, touched, close } = openLab(parts, check, keys, pets);
  let record: SurveyRecord | null = null;
  let problem: unknown = null;
  try {
    record = (await check.run(lab, parts.records)) ?? null;
  } catch (error) {
    problem = error;
    await explainError(check, parts, error, keys, pets);
    if (error instanceof NoResponse) {
      await parts.wire.presence.ask(parts.wire);
    }
  } finally {
    await putBack(lab, touched(), store);
    await close();
    parts.petLeases.release(pets);
  }
  return summaryOf(record, problem, sent() - before);
}

function releaseAll(parts: LaboratoryParts, keys: readonly (Key | null)[]): void {
  for (const key of keys) {
    if (key !== null) {
      parts.leases.release(key);
    }
  }
}

/** Restores what the check changed with its own key where that has room; else the store owes it. */
async function putBack(lab: Lab, pets: readonly Pet[], store: Store): Promise<void> {
  for (const pet of pets) {
    store.owe([pet]);
    const key = lab.keys.find((candidate) => candidate !== null && candidate.usage.retryAt <= lab.now());
    if (key !== undefined && key !== null) {
      try {
        const exchange = await lab.send(updateInventory(pet.petId, pet.item.quantity), { key });
        if (showsQuantity(exchange, pet.item)) {
          store.settle([pet]);
        }
      } catch {
        // The store still owes it.
      }
    }
  }
}

/** A fault of the suite or of the network is inconclusive; only a request that alone gets no answer is a failure. */
async function explainError(
  check: Check,
  parts: LaboratoryParts,
  error: unknown,
  keys: readonly (Key | null)[],
  pets: readonly Pet[],
): Promise<void> {
  const { wire, transport } = parts;
  const { judgements, signal } = wire;
  if (signal.aborted) {
    leaveOpen(check, parts.wire);
    return;
  }
  const primary = check.judges.find((id) => findRequirement(id)?.level === 'must');
  if (
    error instanceof NoResponse &&
    primary !== undefined &&
    isOrdinary(error, pets) &&
    (await judgeDropped({ wire, transport, by: check.id, key: keys.find(isKey) }, primary, error).catch(
      () => false,
    ))
  ) {
    return;
  }
  const message = wire.redactor.redact(messageOf(error));
  const expected = [Undecided, NoResponse, BudgetError, WaitTooLong, ControlError, UnusableState].some(
    (kind) => error instanceof kind,
  );
  const finding =
    error instanceof Undecided
      ? evidence(parts.wire, message, error.exchange)
      : { message: expected ? message : `The check ${check.id} itself failed: ${message}` };
  for (const id of check.judges) {
    if (error instanceof NotServed) {
      judgements.skip(check.id, id, message);
    } else if (mayStayOpen(check, id, judgements)) {
      judgements.inconclusive(check.id, id, finding);
    }
  }
}

/** What a check would have judged stays open where the end of the run cut it off or came before it. */
export function leaveOpen(check: Check, { judgements, presence }: Wire): void {
  const message = presence.isGone()
    ? 'The target stopped answering before this was judged.'
    : `The run was interrupted before ${check.id} was over.`;
  for (const id of check.judges) {
    if (findRequirement(id)?.level === 'observe') {
      judgements.skip(check.id, id, message);
    } else if (mayStayOpen(check, id, judgements)) {
      judgements.inconclusive(check.id, id, { message });
    }
  }
}

function mayStayOpen(check: Check, id: RequirementId, judgements: Judgements): boolean {
  const bornOutBy = [check.id, ...MONITORS.map((monitor) => monitor.id)];
  return (
    !bornOutBy.some((by) => judgements.hasPassed(by, id)) &&
    !judgements.hasFailed(id) &&
    findRequirement(id)?.level !== 'observe'
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isKey(key: Key | null): key is Key {
  return key !== null;
}
