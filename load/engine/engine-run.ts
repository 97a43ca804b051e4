import type { TargetClient } from '../../suites/target/index.ts';
import { runClosedModel } from './closed-model.ts';
import { countFor, type Load, type Share } from './load-model.ts';
import {
  INTERRUPTED,
  isOwnCause,
  SPARED,
  type EngineEnd,
  type LoadListener,
  type LoadLoss,
  type LoadRequest,
  type LoadResponse,
  type LoadTarget,
} from './load-request.ts';
import { runOpenModel } from './open-model.ts';
import { createRecorder } from '../figures/recorder.ts';
import { noOutcomes, noteLoss, noteOutcome, type OutcomeCounts } from '../judging/circuit-breaker.ts';
import type { KeyHistory } from '../judging/key-history.ts';
import { monitorResponses } from '../judging/response-monitor.ts';

export interface EngineOptions {
  readonly target: LoadTarget;
  readonly client: TargetClient;
  readonly share: Share;
  /** Moment of `performance.now()` from which the load counts. */
  readonly startsAt: number;
  /** Milliseconds at the beginning that are not measured. */
  readonly warmUpMilliseconds: number;
  /** Whether other generators send parts of the same load. */
  readonly isPart?: boolean;
  /** Takes how all requests ended so far, after each of them. */
  readonly onOutcome?: (outcomes: OutcomeCounts) => void;
  /** Counts requests, or takes back one that never left. Returns `false` once all announced requests are sent. */
  readonly spend: (requests?: number) => boolean;
  readonly signal: AbortSignal;
  /** The target's clock may be moved meanwhile. */
  readonly movesClock?: boolean;
  /** Takes the requests of each key. */
  readonly history: KeyHistory;
  /** Whether the body of every response is wanted, not only of a sample. */
  readonly keepsBodies?: boolean;
  /** Takes a request that leaves, and the number that tells it from all others. */
  readonly onLeaving?: (request: LoadRequest, departure: number, sentAt: number) => void;
  readonly onResponse?: (response: LoadResponse) => void;
  readonly onLoss?: (loss: LoadLoss) => void;
}

type Engine = ReturnType<typeof startEngine>;

/** What a generator has measured of its share, as JSON carries it. */
export type EngineRun = Awaited<Engine['ended']>;

/** How far an engine is. */
export type EngineProgress = ReturnType<Engine['progress']>;

/** Starts an engine, and records and monitors its requests. */
export function startEngine(load: Load, options: EngineOptions) {
  const { target, client, share, startsAt, signal, isPart = false } = options;
  const measuredFrom = startsAt + options.warmUpMilliseconds;
  const recorder = createRecorder({ startsAt: measuredFrom, model: load.model, isPart });
  const monitor = monitorResponses(client, options.movesClock === true, options.history);
  const outcomes = noOutcomes();
  const ceiling = countUpTo(options.spend);
  const spared = followSpared();
  let lostSinceAnswer = 0;
  const combined = AbortSignal.any([signal, ceiling.signal, spared.signal]);
  const listener: LoadListener = {
    onDue: (dueAt, lag) => {
      ceiling.spend();
      recorder.due(dueAt, lag);
    },
    onLeaving: (request, sentAt) => {
      const departure = monitor.leaving(request, sentAt);
      options.onLeaving?.(request, departure, sentAt);
      return departure;
    },
    onSent: recorder.sent,
    onRepeat: (loss) => {
      if (combined.aborted) {
        return false;
      }
      ceiling.spend();
      recorder.repeat(loss);
      monitor.loss(loss);
      options.onLoss?.(loss);
      return true;
    },
    onResponse: (response) => {
      spared.look(response);
      lostSinceAnswer = 0;
      recorder.response(response);
      monitor.response(response);
      noteOutcome(outcomes, response.status);
      options.onOutcome?.(outcomes);
      options.onResponse?.(response);
    },
    onLoss: (loss) => {
      recorder.loss(loss);
      monitor.loss(loss);
      if (loss.sentAt === null) {
        options.spend(-1);
      }
      lostSinceAnswer += loss.cause === INTERRUPTED || isOwnCause(loss.cause) ? 0 : 1;
      noteLoss(outcomes, loss.cause);
      options.onOutcome?.(outcomes);
      options.onLoss?.(loss);
    },
    wantsBody: () => options.keepsBodies === true || monitor.wantsBody(),
  };
  const run = async () => {
    const utilization = performance.eventLoopUtilization();
    const end: EngineEnd =
      load.model === 'open'
        ? await runOpenModel(target, { load, share, startsAt }, listener, combined)
        : await runClosedModel(target, { load, share, startsAt }, listener, combined);
    return {
      recording: recorder.recording(),
      /** Of what was measured, until nothing was due any more. */
      milliseconds: end.endedAt - measuredFrom,
      end,
      /** The share of the time in which this thread did not wait for anything. */
      busyShare: performance.eventLoopUtilization(utilization).utilization,
      isCeilingReached: ceiling.signal.aborted,
      /** The key that is to be spared and was answered 429, which ended it; `null` if none was. */
      usedUp: spared.usedUp(),
      /** Whether at the end of a closed loop no connection was answered any more. */
      isSilenced: load.model === 'closed' && lostSinceAnswer >= countFor(load.connections, share),
      monitored: monitor.counts(),
    };
  };
  return {
    /** How its requests ended so far, and the last second that is over. */
    progress: () => ({ outcomes: { ...outcomes }, latest: recorder.latest() }),
    ended: run(),
  };
}

/** Gives a signal at the first 429 with a key that is to be spared. */
function followSpared() {
  const met = new AbortController();
  let usedUp: string | null = null;
  return {
    look: ({ status, request: { key } }: LoadResponse): void => {
      if (status === 429 && key?.isSpared === true) {
        usedUp ??= key.label;
        met.abort(SPARED);
      }
    },
    signal: met.signal,
    /** The label of that key, or `null`. */
    usedUp: (): string | null => usedUp,
  };
}

/** Counts requests, and gives a signal, which ends a load, when as many were sent as were announced. */
function countUpTo(spend: EngineOptions['spend']) {
  const reached = new AbortController();
  return {
    spend: (): void => {
      if (!spend()) {
        reached.abort();
      }
    },
    signal: reached.signal,
  };
}
