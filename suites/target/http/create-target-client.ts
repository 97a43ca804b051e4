import { collectJudgements, followServerClock, MONITORS } from '../../oracle/index.ts';
import { keepTime } from '../control/timekeeper.ts';
import { createRedactor } from '../redaction/redaction.ts';
import { noLosses } from './no-response.ts';
import { UNTRACKED_LIVENESS } from './liveness.ts';
import { openTurnstile } from './turnstile.ts';
import type { TargetClient } from './target-client.ts';

/** Where a target's operations are. */
export interface TargetAddress {
  /** `http://HOST:PORT` */
  readonly origin: string;
  /** Path before the operations, such as `/v1`; empty where there is none. */
  readonly basePath: string;
}

/** @param target base URL of the service, with or without a slash at its end */
export function addressOf(target: string): TargetAddress {
  const { origin, pathname } = new URL(target);
  return { origin, basePath: pathname.replace(/\/$/, '') };
}

type Parts = Omit<TargetClient, keyof TargetAddress | 'extraHeaders'>;

/** A client that nothing has passed through yet; by default in real time, watched by all monitors, counting nothing. */
export function createTargetClient(
  { origin, basePath, headers }: TargetAddress & { readonly headers: TargetClient['extraHeaders'] },
  parts: Pick<Parts, 'signal'> & Partial<Parts>,
): TargetClient {
  const { clock = followServerClock(), signal } = parts;
  return {
    origin,
    basePath,
    extraHeaders: headers,
    time: keepTime(null, clock, signal),
    clock,
    redactor: createRedactor(),
    judgements: collectJudgements(),
    monitors: MONITORS,
    losses: noLosses(),
    liveness: UNTRACKED_LIVENESS,
    sender: null,
    keys: new Map(),
    curl: { control: null, options: [] },
    longBodies: openTurnstile(),
    spend: () => {},
    ...parts,
  };
}
