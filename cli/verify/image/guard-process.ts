import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

import { ALL_REMOVED } from './container-guard.ts';
import { openEngine } from './engine.ts';

// The engine may still be about to make a container when the one who asked for it dies.
const SECOND_LOOK_MILLISECONDS = 3_000;

const [, , run = ''] = process.argv;
if ((await text(process.stdin)) !== ALL_REMOVED) {
  const engine = await openEngine();
  await engine.remove(run);
  await delay(SECOND_LOOK_MILLISECONDS);
  await engine.remove(run);
}
