import { parentPort } from 'node:worker_threads';

import { FAULTS } from '../../reference-server/faults/index.ts';
import { VARIANTS } from '../../reference-server/variants/index.ts';
import { judgeTrial } from './judge-trial.ts';
import type { TrialNames } from './trial.ts';
import type { TrialAnswer, TrialOrder } from './pool.ts';

const never = new AbortController();

parentPort?.on('message', ({ number, names }: TrialOrder) => {
  void answer(number, names).then((reply) => parentPort?.postMessage(reply));
});

async function answer(number: number, { variants, fault }: TrialNames): Promise<TrialAnswer> {
  try {
    const trial = {
      variants: VARIANTS.filter(({ id }) => variants.includes(id)),
      fault: FAULTS.find(({ id }) => id === fault) ?? null,
    };
    return { number, result: await judgeTrial(trial, never.signal) };
  } catch (error) {
    return { number, problem: error instanceof Error ? error.message : String(error) };
  }
}
