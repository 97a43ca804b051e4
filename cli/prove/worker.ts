import { parentPort } from 'node:worker_threads';

import { FAULTS } from '../../reference-server/faults/index.ts';
import { VARIANTS } from '../../reference-server/variants/index.ts';
import { judgeTrial } from './judge-trial.ts';
import type { TrialAnswer, TrialOrder } from './pool.ts';

const never = new AbortController();

parentPort?.on('message', ({ number, names, profile }: TrialOrder) => {
  void answer({ number, names, profile }).then((reply) => parentPort?.postMessage(reply));
});

async function answer({ number, names, profile }: TrialOrder): Promise<TrialAnswer> {
  const { variants, fault } = names;
  try {
    const trial = {
      variants: VARIANTS.filter(({ id }) => variants.includes(id)),
      fault: FAULTS.find(({ id }) => id === fault) ?? null,
    };
    return { number, result: await judgeTrial(trial, profile, never.signal) };
  } catch (error) {
    return { number, problem: error instanceof Error ? error.message : String(error) };
  }
}
