import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { openBacklog, type Backlog } from './backlog.ts';
import type { FromJudge, JudgedTraffic, JudgingOrder, PassedStep, ToJudge } from './passed-steps.ts';

/** Judges what passed on a thread of its own, so that traffic does not wait for it. */
export interface TrafficJudge extends Pick<Backlog, 'follow' | 'miss'> {
  /** @returns whether there was room, and somebody to judge it */
  readonly add: Backlog['add'];
  /** What was judged until a moment ago, or until the thread was lost. */
  readonly judged: () => JudgedTraffic;
  /** Why the thread was lost, or `null`. */
  readonly loss: () => string | null;
  /** Has the rest judged and ends the thread. @returns the keys that were met, with their labels */
  readonly end: () => Promise<JudgingOrder['secrets']>;
}

/** The module of the thread stands beside this one, as source or compiled. */
const SCRIPT = new URL(`traffic-judge-thread${extname(import.meta.url)}`, import.meta.url);

/** @throws {Error} if the thread cannot start */
export async function startTrafficJudge(order: JudgingOrder, script: URL = SCRIPT): Promise<TrafficJudge> {
  const thread = new Worker(script, { workerData: order });
  const ready = Promise.withResolvers<JudgedTraffic>();
  const ended = Promise.withResolvers<JudgingOrder['secrets']>();
  let judged: JudgedTraffic | null = null;
  let loss: string | null = null;
  const send = (message: ToJudge, moved: ArrayBuffer[] = []): void => thread.postMessage(message, moved);
  const backlog = openBacklog((steps) => send({ kind: 'steps', steps }, steps.flatMap(bodyOf)));
  thread.on('message', (message: FromJudge) => {
    switch (message.kind) {
      case 'ready':
        ready.resolve(message.judged);
        break;
      case 'done':
        backlog.done();
        break;
      case 'judged':
        ({ judged } = message);
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
    add: (step, bytes) => loss === null && backlog.add(step, bytes),
    follow: (step, bytes) => (loss === null ? backlog.follow(step, bytes) : undefined),
    miss: (at, begun, over) => (loss === null ? backlog.miss(at, begun, over) : undefined),
    judged: () => judged ?? first,
    loss: () => loss,
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
