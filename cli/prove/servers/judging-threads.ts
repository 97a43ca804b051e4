import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import type { TrialResult } from '../../../reports/index.ts';
import type { Extent } from './judge-trial.ts';
import { trialNames, type Trial, type TrialNames } from './trials.ts';
import { isJsonObject, parseJson } from '../../../contract/json/index.ts';

export interface TrialOrder {
  readonly number: number;
  readonly names: TrialNames;
  readonly extent: Extent;
}

export type TrialAnswer =
  | { readonly number: number; readonly result: TrialResult }
  | { readonly number: number; readonly problem: string };

/** Judges trials on several threads. */
export interface TrialPool {
  /** @throws if the suite itself failed, or the pool was closed */
  readonly judge: (trial: Trial) => Promise<TrialResult>;
  readonly close: () => Promise<void>;
}

interface Waiting {
  readonly trial: Trial;
  readonly resolve: (result: TrialResult) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  /** `null` until it gets its first trial. */
  worker: Worker | null;
  /** How many trials that keep the processor busy it takes at once. */
  readonly mostBusy: number;
  /** Trials under way that keep the processor busy. */
  busy: number;
  /** Trials under way that mostly wait. */
  idle: number;
}

// Each exchange leaves much behind that is dropped soon; with room for it, the collector has less to do.
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 192 };
// A slow server leaves the processor free while it waits, so many can be judged at once.
const SLOW_TRIALS_PER_THREAD = 12;
// All connections of its checks stay open meanwhile, at both ends; without a file to open, servers would seem faulty.
const FILES_OF_A_SLOW_TRIAL = 400;
const SHARE_OF_FILES = 0.5;

// A run in real time keeps a processor busy for about so long at its beginning, and comes too late for its second window if
// others do at the same time.
const BUSY_BEGINNING_MILLISECONDS = 15_000;

/**
 * @param jobs how many trials keep processors busy at once
 * @param stateDirectory the folder for the journals of runs
 */
export function openTrialPool(jobs: number, extent: Extent, stateDirectory: string): TrialPool {
  const env = { ...process.env, STOCKCHECK_STATE_DIR: stateDirectory };
  const queue: Waiting[] = [];
  const underWay = new Map<number, Waiting>();
  let last = 0;
  // A thread takes seconds to become as fast as it gets, and trials side by side on it fill each other's waits.
  const threads = Math.min(jobs, availableParallelism());
  const slowTrials = (openFilesLimit() * SHARE_OF_FILES) / FILES_OF_A_SLOW_TRIAL;
  const slowPerThread = Math.max(1, Math.min(SLOW_TRIALS_PER_THREAD, Math.floor(slowTrials / (threads + 1))));
  // A slow trial takes longest, and longer still beside a busy one; so the first of them have a thread to themselves.
  const pool = [0, ...shares(jobs, threads)].map((mostBusy): Thread => ({
    worker: null,
    mostBusy,
    busy: 0,
    idle: 0,
  }));

  const isIdle = (trial: Trial): boolean => extent.realTimeKeys !== null || isSlow(trial);
  const apart = extent.realTimeKeys !== null ? BUSY_BEGINNING_MILLISECONDS / availableParallelism() : 0;
  const pace = paceStarts(apart, assign);

  function startWorker(thread: Thread): Worker {
    const worker = new Worker(workerUrl(), { env, resourceLimits: RESOURCE_LIMITS });
    worker.on('message', (answer: TrialAnswer) => settle(thread, answer));
    worker.on('error', (error: Error) => fail(error));
    return worker;
  }

  function settle(thread: Thread, answer: TrialAnswer): void {
    const waiting = underWay.get(answer.number);
    underWay.delete(answer.number);
    if (waiting === undefined) {
      return;
    }
    thread[isIdle(waiting.trial) ? 'idle' : 'busy'] -= 1;
    if ('result' in answer) {
      waiting.resolve(answer.result);
    } else {
      waiting.reject(new Error(answer.problem));
    }
    assign();
  }

  function fail(error: Error): void {
    for (const { reject } of [...underWay.values(), ...queue.splice(0)]) {
      reject(error);
    }
    underWay.clear();
  }

  function assign(): void {
    for (const thread of pool) {
      const at = queue.findIndex(({ trial }) =>
        isIdle(trial) ? thread.idle < slowPerThread : thread.busy < thread.mostBusy,
      );
      const [waiting] = at === -1 || !pace.mayStart() ? [] : queue.splice(at, 1);
      if (waiting !== undefined) {
        thread[isIdle(waiting.trial) ? 'idle' : 'busy'] += 1;
        last += 1;
        underWay.set(last, waiting);
        const order: TrialOrder = { number: last, names: trialNames(waiting.trial), extent };
        thread.worker ??= startWorker(thread);
        thread.worker.postMessage(order);
      }
    }
  }

  return {
    judge: (trial) =>
      new Promise((resolve, reject) => {
        queue.push({ trial, resolve, reject });
        assign();
      }),
    close: async () => {
      pace.end();
      fail(new Error('The trials were stopped.'));
      await Promise.all(pool.map(async ({ worker }) => worker?.terminate()));
    },
  };
}

/** Has starts keep so many milliseconds apart. @param again is called when one that had to wait may be tried again */
function paceStarts(apart: number, again: () => void) {
  let nextStart = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    /** Whether one more may begin now. */
    mayStart: (): boolean => {
      const now = performance.now();
      if (now >= nextStart) {
        nextStart = now + apart;
        return true;
      }
      clearTimeout(timer);
      timer = setTimeout(again, nextStart - now);
      return false;
    },
    end: (): void => clearTimeout(timer),
  };
}

/** Divides a number into so many whole parts, as evenly as can be. */
function shares(total: number, parts: number): readonly number[] {
  return Array.from({ length: parts }, (_, part) => Math.floor((total + part) / parts));
}

function isSlow({ variants }: Trial): boolean {
  return variants.some(({ isSlow = false }) => isSlow);
}

/** The module of a thread stands beside this one, as source or compiled. */
function workerUrl(): URL {
  return new URL(`./judging-thread${extname(import.meta.filename)}`, import.meta.url);
}

// What a process may open if nobody has raised the limit.
const COMMON_LIMIT = 1_024;

/** How many files and connections this process may have open at once (Node raises the soft limit to the hard one). */
export function openFilesLimit(): number {
  const report = parseJson(JSON.stringify(process.report.getReport()));
  const limits = isJsonObject(report) ? report['userLimits'] : undefined;
  const files = isJsonObject(limits) ? limits['open_files'] : undefined;
  const soft = isJsonObject(files) ? files['soft'] : undefined;
  return typeof soft === 'number' ? soft : soft === 'unlimited' ? Number.POSITIVE_INFINITY : COMMON_LIMIT;
}
