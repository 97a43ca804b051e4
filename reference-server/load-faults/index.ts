import { setTimeout as sleep } from 'node:timers/promises';

import { type Fault, breaking } from '../faults/fault.ts';
import type { Alteration, Row } from '../alterations/alteration.ts';
import { changeAuthentication, refuseAlso } from '../alterations/authentication.ts';
import {
  changeDecisions,
  chargeKeyBefore,
  changeDecisionsByKey,
  changeLimiter,
  forgetMinute,
  refuse,
} from '../alterations/decisions.ts';
import { everyNth } from '../alterations/requests.ts';
import { answerInstead } from '../alterations/answers.ts';
import { changeWhere, withBody } from '../alterations/responses.ts';
import { lookFirst } from '../faults/limit-under-concurrency.ts';
import { withoutHeader } from '../service/messages.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Decision } from '../service/rate-limiter.ts';
import { alterUnderLoad, type CrowdMeter } from './under-load.ts';
import type { Answer } from '../service/answer.ts';
import { changeStore, forgetOnReplace } from '../alterations/inventory.ts';

const isThird = everyNth(3);
const isTenth = everyNth(10);
const isTwentieth = everyNth(20);
const isHundredth = everyNth(100);
const isHundredAndFiftieth = everyNth(150);

const RACE_MILLISECONDS = 5;
const REMEMBERED_KEYS = 60;
const BUFFERED_MILLISECONDS = 250;
const CACHED_MILLISECONDS = 200;
const MIXED_MILLISECONDS = 5;

/** The faults that break one requirement under load, by their ids. */
function breakingUnderLoad(
  breaks: Fault['breaks'],
  faults: Readonly<Record<string, readonly [title: string, start: (load: CrowdMeter) => Alteration]>>,
): readonly Fault[] {
  const rows = Object.entries(faults).map(([id, [title, start]]): [string, Row<object>] => [
    id,
    [title, alterUnderLoad(start)],
  ]);
  return breaking(breaks, Object.fromEntries(rows));
}

/**
 * Violations that show only under load, one each: while more requests of one key are under way, or of more keys, than
 * the ordinary checks send. With fewer, the server answers as it should, only later.
 */
export const LOAD_FAULTS: readonly Fault[] = [
  ...breakingUnderLoad('list-succeeds', {
    'server-error-when-busy': [
      'With more than forty requests of a key in flight, one response in a hundred and fifty is a 500',
      (load) =>
        changeWhere(
          (_response, _request, parts) => load.isBusy() && isHundredAndFiftieth(parts),
          (response, parts) => withBody({ ...response, status: 500 }, answerInstead(500, parts).body),
        ),
    ],
  }),
  ...breakingUnderLoad('limit-of-plan', {
    'headers-of-another-key-when-busy': [
      'With more than forty requests of a key in flight, responses carry the headers of the previous key',
      (load) =>
        changeDecisions(() => {
          let before: Decision | undefined;
          return (decision) => {
            const { minute, day } = load.isBusy() ? (before ?? decision) : decision;
            before = decision;
            return { ...decision, minute, day };
          };
        }),
    ],
  }),
  ...breakingUnderLoad('remaining-falls', {
    'remaining-repeats-when-busy': [
      'With more than forty requests of a key in flight, X-RateLimit-Remaining stays the same on every third response',
      (load) =>
        changeDecisionsByKey(
          () => ({ reset: 0, lost: 0 }),
          (decision, { key }, header) => {
            const { accepted, minute } = decision;
            header.lost = header.reset === minute.resetUnixSeconds ? header.lost : 0;
            header.lost += accepted && load.isCrowdedBy(key) && isThird(load) ? 1 : 0;
            header.reset = minute.resetUnixSeconds;
            return accepted
              ? { ...decision, minute: { ...minute, remaining: minute.remaining + header.lost } }
              : decision;
          },
        ),
    ],
  }),
  ...breakingUnderLoad('header-remaining', {
    'remaining-missing-when-busy': [
      'With more than forty requests of a key in flight, one response in twenty lacks X-RateLimit-Remaining',
      (load) =>
        changeWhere(
          (_response, _request, parts) => load.isBusy() && isTwentieth(parts),
          (response) => withoutHeader(response, 'X-RateLimit-Remaining'),
        ),
    ],
  }),
  ...breakingUnderLoad('keys-independent-at-limit', {
    'charged-to-another-key-when-busy': [
      'With more than forty requests of a key in flight, a request also counts against the previous key',
      (load) => chargeKeyBefore(() => load.isBusy()),
    ],
    'hammered-key-halts-others': [
      'While a key at its limit has more than forty requests in flight, every other key is refused',
      (load) =>
        changeLimiter((limiter) => ({
          decide: (key, now, request) => {
            const isHalted = [...load.crowding].some(
              (other) => other !== key && !limiter.look(other, now).accepted,
            );
            return isHalted ? refuse(limiter.look(key, now), 1) : limiter.decide(key, now, request);
          },
        })),
    ],
  }),
  ...breakingUnderLoad('valid-key-accepted', {
    'valid-key-refused-when-busy': [
      'With more than forty requests of a key in flight, one request in a hundred with a valid key is answered 401',
      (load) => refuseAlso((_request, _key, parts) => load.isBusy() && isHundredth(parts)),
    ],
  }),
  ...breakingUnderLoad('unknown-key', {
    'unknown-key-accepted-when-many-are-tried': [
      'With more than forty requests without a valid key in flight, one in ten with an unknown key is accepted as the last valid one',
      (load) => {
        let last: KeyRecord | undefined;
        return changeAuthentication((_request, key, parts) => {
          last = typeof key === 'object' ? key : last;
          return key === 'invalid' && load.isCrowdedBy(undefined) && isTenth(parts) ? (last ?? key) : key;
        });
      },
    ],
  }),
  ...breakingUnderLoad('limit-under-concurrency', {
    'race-when-busy': [
      'With more than forty requests of a key in flight, each is counted five milliseconds after its limit was checked',
      (load) =>
        lookFirst(({ limiter, clock }) => ({
          look: (key) =>
            load.isCrowdedBy(key) && limiter.look(key, clock.now()).accepted
              ? { verdict: 'count', milliseconds: RACE_MILLISECONDS }
              : undefined,
        })),
    ],
  }),
  ...breakingUnderLoad('minute-limit-free', {
    'keys-forgotten-when-many-are-active': [
      'While more than sixty keys have requests in flight, the minute of the key that was silent longest starts again',
      (load) =>
        changeLimiter((limiter) => {
          const remembered = new Set<KeyRecord>();
          return {
            decide: (key, now, request) => {
              remembered.delete(key);
              remembered.add(key);
              const [oldest] = remembered;
              if (
                oldest !== undefined &&
                remembered.size > REMEMBERED_KEYS &&
                load.activeKeys() > REMEMBERED_KEYS
              ) {
                remembered.delete(oldest);
                forgetMinute(limiter, oldest, now);
              }
              return limiter.decide(key, now, request);
            },
          };
        }),
    ],
  }),
  ...breakingUnderLoad('retry-after-honoured', {
    'retry-after-short-when-busy': [
      'With more than forty requests of a key in flight, Retry-After is a second too short',
      (load) => ({
        parts: ({ retryAfter }) => ({
          retryAfter: (seconds, now) => retryAfter(load.isBusy() ? Math.max(0, seconds - 1) : seconds, now),
        }),
      }),
    ],
  }),
  ...breakingUnderLoad('update-persists', {
    'update-lost-when-busy': [
      'With more than forty requests of a key in flight, an update is written again a quarter of a second later, over newer ones',
      (load) =>
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
    ],
    'list-stale-when-busy': [
      'With more than forty requests of a key in flight, the list is updated only every 200 milliseconds',
      (load) => ({
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
      }),
    ],
  }),
  ...breakingUnderLoad('update-succeeds', {
    'update-answers-mixed-when-busy': [
      'With more than forty requests of a key in flight, updates that overlap are all answered with the pet of the last one',
      (load) => ({
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
      }),
    ],
  }),
];
