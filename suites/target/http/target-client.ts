import { setTimeout as delay } from 'node:timers/promises';
import {
  collectJudgements,
  followServerClock,
  MONITORS,
  type Judgements,
  type Key,
  type Monitor,
  type RequestMessage,
  type ServerClock,
} from '../../oracle/index.ts';
import { keepTime, type Timekeeper } from '../control/timekeeper.ts';
import { createRedactor, type Redactor, type CurlSurroundings } from '../redaction/redaction.ts';
import { beginHistory, type TargetHistory, type Tell } from '../history.ts';
import type { TrailLog } from '../trail/trail-log.ts';
import { openConnections, type ConnectionPool, type TransportOptions } from './http-transport.ts';
import { createMutex, type Mutex } from './received-body.ts';
import { createRightOfWay, type RightOfWay } from './right-of-way.ts';
import { ATTEMPTS, noLosses, type Ending, type Losses } from './no-response.ts';

/** Tells a target that answers nothing any more from one that lets a single request hang. */
export interface Liveness {
  /** To be called when a try of a request leaves; what it returns, when that got a response or was given up. */
  readonly sent: (number: number, message: RequestMessage) => (isAnswered: boolean) => void;
  /** To be called when a request got no response: finds out whether anything does, and ends the run if not. */
  readonly ask: (client: TargetClient) => Promise<void>;
  /**
   * To be called between two tries that were refused or closed: waits until something plain is answered, since an
   * interruption in which all requests fail alike accuses none. Returns whether it was.
   */
  readonly outlast: (client: TargetClient, ending: Ending) => Promise<boolean>;
  /** To be called once the run is over: waits longer until something plain is answered. Returns whether it was. */
  readonly comesBack: (client: TargetClient) => Promise<boolean>;
  /** Whether it was found to answer nothing any more. */
  readonly isGone: () => boolean;
  /** How often a request is sent until it gets a response; 0 for not at all, since that was tried once after all. */
  readonly attempts: () => number;
}

/** What every exchange of a run passes through. */
export interface TargetClient {
  readonly origin: string;
  readonly basePath: string;
  /** Header fields that the user wants on every request. */
  readonly extraHeaders: readonly (readonly [string, string])[];
  readonly time: Timekeeper;
  readonly clock: ServerClock;
  readonly redactor: Redactor;
  readonly judgements: Judgements;
  readonly monitors: readonly Monitor[];
  /** Takes part in each exchange, so that the oracle judges it with all that came before. */
  readonly history: TargetHistory;
  readonly signal: AbortSignal;
  readonly losses: Losses;
  readonly liveness: Liveness;
  /** The check that sends, with what it sent so far; `null` if no check does. */
  readonly sender: { readonly check: string } | null;
  /** What whoever sends did so far, so that a finding can be repeated; `null` if nobody keeps it. */
  readonly log: TrailLog | null;
  /** Keys that were revoked before the run. */
  readonly revokedKeys: readonly string[];
  /** The keys that were sent, by label. */
  readonly keys: Map<string, Key>;
  readonly curl: CurlSurroundings;
  /** Long bodies are received and read one after the other, so that they are not in memory together. */
  readonly longBodies: Mutex;
  readonly rightOfWay: RightOfWay;
  /** Counts a request that is about to leave. @throws {BudgetError} if it was not announced. */
  readonly spend: (label: string | null) => void;
  /** Takes how many milliseconds a response took to a request that no other was under way with. */
  readonly noteResponseTime: (milliseconds: number) => void;
}

/** The check would have sent more than was announced. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
}

/** Where a target's operations are. */
export interface TargetAddress {
  /** `http://HOST:PORT` */
  readonly origin: string;
  /** Path before the operations, such as `/v1`; empty if there is none. */
  readonly basePath: string;
}

/** @param target base URL of the service, with or without a slash at its end */
export function addressOf(target: string): TargetAddress {
  const { origin, pathname } = new URL(target);
  return { origin, basePath: pathname.replace(/\/$/, '') };
}

type Parts = Omit<TargetClient, keyof TargetAddress | 'extraHeaders'>;

// A service that something starts again is back by then.
const RESTART_MILLISECONDS = 700;

/** Waits if the target took a request and then refuses connections: it may be starting again. */
export function restIfGone(ending: Ending): Promise<false> {
  return delay(ending === 'gone' ? RESTART_MILLISECONDS : 0, false);
}

/** Tells the history what whoever sends does, and keeps it for the trail of a finding. @returns what it shows */
export function tellHistory({ history, log }: TargetClient, event: Parameters<Tell>[0]): ReturnType<Tell> {
  log?.tell(event);
  return history.tell(event);
}

/** Tracks nothing: each request is given up by itself. */
export const UNTRACKED_LIVENESS: Liveness = {
  sent: () => () => {},
  ask: async () => {},
  outlast: (_client, ending) => restIfGone(ending),
  comesBack: () => Promise.resolve(false),
  isGone: () => false,
  attempts: () => ATTEMPTS,
};

/** A client that nothing has passed through yet; by default in real time, watched by all monitors, counting nothing, and never aborted. */
export function createTargetClient(
  { origin, basePath, headers = [] }: TargetAddress & { readonly headers?: TargetClient['extraHeaders'] },
  parts: Partial<Parts> = {},
): TargetClient {
  const { clock = followServerClock(), signal = new AbortController().signal } = parts;
  return {
    origin,
    basePath,
    extraHeaders: headers,
    time: keepTime(null, clock, signal),
    clock,
    redactor: createRedactor(),
    judgements: collectJudgements(),
    monitors: MONITORS,
    history: beginHistory(clock),
    signal,
    losses: noLosses(),
    liveness: UNTRACKED_LIVENESS,
    sender: null,
    log: null,
    revokedKeys: [],
    keys: new Map(),
    curl: { control: null, options: [] },
    longBodies: createMutex(),
    rightOfWay: createRightOfWay(),
    spend: () => {},
    noteResponseTime: () => {},
    ...parts,
  };
}

/** Opens connections to the target whose names no other connections of its client have. */
export function connectTo(
  { origin, losses }: Pick<TargetClient, 'origin' | 'losses'>,
  connections: number,
  transport: TransportOptions,
): ConnectionPool {
  return openConnections(origin, connections, transport, losses.reuse);
}
