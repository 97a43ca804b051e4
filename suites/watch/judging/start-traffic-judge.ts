import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import type { TrafficFindings } from '../judge-recordings.ts';
import type { BaseAddress } from '../traffic/base-address.ts';
import type { PlanKey } from '../traffic/callers.ts';
import { openBacklog, type Backlog, type PassedStep } from './backlog.ts';

/** What the thread that judges is started with. */
export interface JudgingOrder {
  readonly base: BaseAddress;
  readonly keys: readonly PlanKey[];
  readonly isExclusive: boolean;
  /** What is hidden from the start, with the labels that stand for it. */
  readonly secrets: readonly (readonly [secret: string, label: string])[];
}

/** What was judged so far. */
export type JudgedTraffic = Omit<TrafficFindings, 'others'>;

/** Messages to the thread. */
export type ToJudge =
  | { readonly kind: 'steps'; readonly steps: readonly PassedStep[] }
  /** Nothing comes any more. */
  | { readonly kind: 'end' };

/** Messages from the thread. */
export type FromJudge =
  /** The steps of the oldest message are judged. */
  | { readonly kind: 'done' }
  /** It comes first before any step. */
  | { readonly kind: 'judged'; readonly judged: JudgedTraffic }
  /** All is judged; keys that were met have to be hidden from now on, too. */
  | { readonly kind: 'ended'; readonly judged: JudgedTraffic; readonly secrets: JudgingOrder['secrets'] };

export type TrafficJudge = Awaited<ReturnType<typeof startTrafficJudge>>;

/** The module of the thread stands beside this one, as source or compiled. */
const SCRIPT = new URL(`traffic-judge-thread${extname(import.meta.url)}`, import.meta.url);

/** Judges what passes on a thread of its own, so that traffic does not wait for it. @throws {Error} if it cannot start */
export async function startTrafficJudge(order: JudgingOrder, script: URL = SCRIPT) {
  const thread = new Worker(script, { workerData: order });
  const ready = Promise.withResolvers<JudgedTraffic>();
  const ended = Promise.withResolvers<JudgingOrder['secrets']>();
  let judged: JudgedTraffic | null = null;
  let loss: string | null = null;
  const send = (message: ToJudge, moved: ArrayBuffer[] = []): void => thread.postMessage(message, moved);
  const backlog = openBacklog((steps) => send({ kind: 'steps', steps }, steps.flatMap(bodyOf)));
  thread.on('message', (message: FromJudge) => {
    switch (message.kind) {
      case 'done':
        backlog.done();
        break;
      case 'judged':
        ({ judged } = message);
        ready.resolve(judged);
        break;
      case 'ended':
        ({ judged } = message);
        ended.resolve(message.secrets);
        break;
    }
  });
  const lose = (reason: Error): void => {
    loss ??= reason.message;
    ready.reject(reason);
    ended.resolve([]);
  };
  thread.on('error', (error) => lose(error instanceof Error ? error : new Error(String(error))));
  thread.on('exit', () => lose(new Error('its thread ended')));
  const first = await ready.promise;
  return {
    /** @returns whether there was room, and somebody to judge it */
    add: (...step: Parameters<Backlog['add']>) => loss === null && backlog.add(...step),
    follow: (...step: Parameters<Backlog['follow']>) => (loss === null ? backlog.follow(...step) : undefined),
    miss: (...missed: Parameters<Backlog['miss']>) => (loss === null ? backlog.miss(...missed) : undefined),
    /** What was judged until a moment ago, or until the thread was lost. */
    judged: () => judged ?? first,
    /** Why the thread was lost, or `null`. */
    loss: () => loss,
    /** Has the rest judged and ends the thread. @returns the keys that were met, with their labels */
    end: async () => {
      backlog.flush();
      send({ kind: 'end' });
      const secrets = await ended.promise;
      // What ends now was asked to.
      thread.removeAllListeners('exit');
      await thread.terminate();
      return secrets;
    },
  };
}

/** The memory of a body, which is given away rather than copied. */
function bodyOf(step: PassedStep): readonly ArrayBuffer[] {
  const body =
    step.step === 'began' ? step.request.body : step.step === 'ended' ? step.response?.body : undefined;
  return body === undefined ? [] : [body.buffer];
}
