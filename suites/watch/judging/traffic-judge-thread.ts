import { parentPort, workerData } from 'node:worker_threads';

import { judgePassed } from './judge-passed.ts';
import type { FromJudge, JudgingOrder, ToJudge } from './passed-steps.ts';

// Whoever follows the watch looks once a second.
const TELL_MILLISECONDS = 500;

function run(order: JudgingOrder): void {
  const judge = judgePassed(order);
  let telling: NodeJS.Timeout | undefined;
  parentPort?.on('message', (message: ToJudge) => {
    switch (message.kind) {
      case 'steps':
        message.steps.forEach(judge.take);
        tell({ kind: 'done' });
        telling ??= setTimeout(() => {
          telling = undefined;
          tell({ kind: 'judged', judged: judge.judged() });
        }, TELL_MILLISECONDS);
        break;
      case 'end':
        clearTimeout(telling);
        tell({ kind: 'ended', judged: judge.judged(), secrets: judge.secrets() });
        break;
    }
  });
  tell({ kind: 'ready', judged: judge.judged() });
}

function tell(message: FromJudge): void {
  parentPort?.postMessage(message);
}

run(workerData);
