import { setTimeout as delay } from 'node:timers/promises';
import type { RequirementId } from '../../contract/requirements/index.ts';
import type { Judgements } from '../oracle/index.ts';
import type { TargetClient } from '../target/index.ts';

/** Aborts a run at a failure. Its message is said of what stays open. */
export class EndedEarly extends Error {
  override readonly name = 'EndedEarly';

  constructor(id: RequirementId) {
    super(`The run ended when ${id} had failed, before this was judged to the end.`);
  }
}

/** Ends the checks of a run at a failure. */
export interface EarlyEnd {
  /** Aborts once a requirement has failed that the run ends at. */
  readonly signal: AbortSignal;
  /** What a check says counts when it is recorded there. */
  readonly follow: (judgements: Judgements) => Judgements;
  /** The checks are about to begin. What failed before is enough, but the target had to be opened. */
  readonly checksBegin: () => void;
}

export function endAtFailure(bail: (id: RequirementId) => boolean): EarlyEnd {
  const end = new AbortController();
  let failed: RequirementId | null = null;
  let hasBegun = false;
  const endIfFailed = (): void => {
    if (failed !== null && hasBegun) {
      end.abort(new EndedEarly(failed));
    }
  };
  return {
    signal: end.signal,
    follow: (judgements) => ({
      ...judgements,
      fail: (by, id, finding) => {
        judgements.fail(by, id, finding);
        failed ??= bail(id) ? id : null;
        endIfFailed();
      },
    }),
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
