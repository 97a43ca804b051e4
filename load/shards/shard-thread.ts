import { parentPort } from 'node:worker_threads';

import { messageOf } from '../../contract/error-text.ts';
import type { FromCarrier, ToCarrier } from './carrier.ts';
import { prepareShard, type PreparedShard } from './shard-run.ts';

const PROGRESS_MILLISECONDS = 200;

let prepared: PreparedShard | undefined;
let stop = new AbortController();

function tell(message: FromCarrier): void {
  parentPort?.postMessage(message);
}

function tellProgress(shard: PreparedShard, isEnd: boolean): void {
  const progress = shard.progress();
  if (progress !== null) {
    tell({ kind: 'progress', progress });
  }
  const part = shard.journal(isEnd);
  if (part !== null) {
    const message: FromCarrier = { kind: 'journal', part };
    parentPort?.postMessage(message, [part.entries.buffer]);
  }
}

async function begin(shard: PreparedShard, startsAt: number): Promise<void> {
  const ticker = setInterval(() => tellProgress(shard, false), PROGRESS_MILLISECONDS);
  try {
    const outcome = await shard.begin(startsAt, stop.signal);
    tellProgress(shard, true);
    tell({ kind: 'done', outcome });
  } catch (error) {
    tell({ kind: 'failed', message: messageOf(error) });
  } finally {
    clearInterval(ticker);
  }
}

parentPort?.on('message', (message: ToCarrier) => {
  switch (message.kind) {
    case 'prepare':
      stop = new AbortController();
      prepared = prepareShard(message.plan, message.share, message.offset);
      tell({ kind: 'ready' });
      break;
    case 'begin':
      if (prepared !== undefined) {
        void begin(prepared, message.startsAt);
      }
      break;
    case 'judged':
      prepared?.judged(message.bytes);
      break;
    case 'stop':
      stop.abort();
      break;
  }
});
