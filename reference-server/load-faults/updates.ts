import { setTimeout as sleep } from 'node:timers/promises';

import type { Answer } from '../service/answer.ts';
import { type Fault, breaking } from '../faults/fault.ts';
import { changeStore, forgetOnReplace } from '../alterations/inventory.ts';
import { alterUnderLoad } from './under-load.ts';

const BUFFERED_MILLISECONDS = 250;
const CACHED_MILLISECONDS = 200;
const MIXED_MILLISECONDS = 5;

export const UPDATE_LOAD_FAULTS: readonly Fault[] = [
  ...breaking('update-persists', {
    'update-lost-when-busy': {
      title:
        'With more than forty requests of a key in flight, an update is written again a quarter of a second later, over newer ones',
      alter: alterUnderLoad((load) =>
        changeStore((store) => {
          let buffered = new Set<bigint>();
          return {
            ...forgetOnReplace(store, () => {
              buffered = new Set();
            }),
            setQuantity: (petId, quantity) => {
              const updated = store.setQuantity(petId, quantity);
              const buffer = buffered;
              if (updated !== undefined && load.isBusy() && !buffer.has(petId)) {
                buffer.add(petId);
                setTimeout(() => {
                  if (buffer === buffered) {
                    buffer.delete(petId);
                    store.setQuantity(petId, quantity);
                  }
                }, BUFFERED_MILLISECONDS);
              }
              return updated;
            },
          };
        }),
      ),
    },
    'list-stale-when-busy': {
      title:
        'With more than forty requests of a key in flight, the list is updated only every 200 milliseconds',
      alter: alterUnderLoad((load) => ({
        answers: ({ listInventory }) => {
          let cached: { readonly answer: Answer; readonly at: number } | undefined;
          return {
            listInventory: async (request, segment) => {
              if (!load.isBusy()) {
                return listInventory(request, segment);
              }
              const now = performance.now();
              if (cached === undefined || now >= cached.at + CACHED_MILLISECONDS) {
                cached = { answer: await listInventory(request, segment), at: now };
              }
              return cached.answer;
            },
          };
        },
      })),
    },
  }),
  ...breaking('update-succeeds', {
    'update-answers-mixed-when-busy': {
      title:
        'With more than forty requests of a key in flight, updates that overlap are all answered with the pet of the last one',
      alter: alterUnderLoad((load) => ({
        answers: ({ updateInventory }) => {
          let last: Answer | undefined;
          return {
            updateInventory: async (request, segment) => {
              const answer = await updateInventory(request, segment);
              if (answer.status !== 200 || !load.isBusy()) {
                return answer;
              }
              last = answer;
              await sleep(MIXED_MILLISECONDS);
              return last;
            },
          };
        },
      })),
    },
  }),
];
