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

/** Aborts `end` once a requirement that the run ends at has failed. What a check says counts when it is recorded. */
export function endAtFailure(
  judgements: Judgements,
  bail: (id: RequirementId) => boolean,
  end: AbortController,
): Judgements {
  return {
    ...judgements,
    fail: (by, id, finding) => {
      judgements.fail(by, id, finding);
      if (bail(id)) {
        end.abort(new EndedEarly(id));
      }
    },
  };
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
  return { ...client, signal, time: { ...time, sleep } };
}
