import { setTimeout as delay } from 'node:timers/promises';
import { requirement, type RequirementId } from '../../contract/requirements/index.ts';
import type { Finding, Level } from '../../contract/verdict.ts';
import type { Judgements } from '../oracle/index.ts';
import { Undecided } from '../stimuli/index.ts';
import {
  BudgetError,
  ControlError,
  NoResponse,
  UnusableState,
  WaitTooLong,
  type TargetClient,
} from '../target/index.ts';

/** The judgements, of which each failure is told as well once it is recorded. */
export function tellingFailures(
  judgements: Judgements,
  tell: (id: RequirementId, finding: Finding) => void,
): Judgements {
  return {
    ...judgements,
    fail: (by, id, finding) => {
      judgements.fail(by, id, finding);
      tell(id, finding);
    },
  };
}

/** A requirement that has failed, as soon as that is known. */
export interface SeenFailure {
  readonly id: RequirementId;
  readonly level: Level;
  /** Of the first finding. */
  readonly message: string;
}

/** Reports the first failure of each requirement that it is told of. */
export function reportOnce(
  report: (failure: SeenFailure) => void,
): (id: RequirementId, finding: Finding) => void {
  const reported = new Set<RequirementId>();
  return (id, { message }) => {
    if (!reported.has(id)) {
      reported.add(id);
      report({ id, level: requirement(id).level, message });
    }
  };
}

/** Aborts a run at a failure. What it breaks is settled later. Its message is said of what stays open. */
export class EndedEarly extends Error {
  override readonly name = 'EndedEarly';

  constructor() {
    super('The run ended at a failure, before this was judged to the end.');
  }
}

/** Ends the checks of a run at a failure. */
export interface EarlyEnd {
  /** Aborts once a requirement has failed that the run ends at. */
  readonly signal: AbortSignal;
  readonly noteFailure: () => void;
  /** The checks are about to begin. What failed before is enough, but the target had to be opened. */
  readonly checksBegin: () => void;
}

/** @param isEnough whether what has failed, as it is explained by then, ends the run */
export function endAtFailure(isEnough: () => boolean): EarlyEnd {
  const end = new AbortController();
  let hasFailed = false;
  let hasBegun = false;
  const endIfFailed = (): void => {
    if (hasFailed && hasBegun) {
      end.abort(new EndedEarly());
    }
  };
  return {
    signal: end.signal,
    noteFailure: () => {
      hasFailed ||= isEnough();
      endIfFailed();
    },
    checksBegin: () => {
      hasBegun = true;
      endIfFailed();
    },
  };
}

/** What ends the run does not end this wait. */
function park(): ReturnType<TargetClient['time']['park']> {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { parked: promise, resume: resolve };
}

/** Whether something was thrown because of the target, the network or what is left to send. */
export function isNoFaultOfSuite(error: unknown): boolean {
  return [Undecided, NoResponse, BudgetError, WaitTooLong, ControlError, UnusableState].some(
    (kind) => error instanceof kind,
  );
}

/** A client for what is still asked after a run has ended early, until `signal` interrupts that too. */
export function afterEarlyEnd(client: TargetClient, signal: AbortSignal): TargetClient {
  const { time } = client;
  const sleep = async (seconds: number): Promise<void> => {
    // The control clock is not moved any more.
    if (!time.virtual) {
      await delay(seconds * 1000, undefined, { signal });
    }
  };
  return { ...client, signal, time: { ...time, sleep, park } };
}
