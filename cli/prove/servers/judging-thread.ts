import { parentPort } from 'node:worker_threads';

import { messageOf } from '../../../contract/error-text.ts';
import { FAULTS, VARIANTS } from '../../../reference-server/index.ts';
import { judgeTrial } from './judge-trial.ts';
import type { TrialAnswer, TrialOrder } from './judging-threads.ts';

const never = new AbortController();

parentPort?.on('message', (order: TrialOrder) => {
  void answer(order).then((reply) => parentPort?.postMessage(reply));
});

async function answer({ number, names, extent }: TrialOrder): Promise<TrialAnswer> {
  const { variants, fault } = names;
  try {
    const trial = {
      variants: VARIANTS.filter(({ id }) => variants.includes(id)),
      fault: FAULTS.find(({ id }) => id === fault) ?? null,
    };
    return { number, result: await judgeTrial(trial, extent, never.signal) };
  } catch (error) {
    return { number, problem: messageOf(error) };
  }
}
