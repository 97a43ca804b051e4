import type { Fault } from '../faults/fault.ts';
import { lookFirst } from '../faults/limit-under-concurrency.ts';
import { changeLimiter, forgetMinute } from '../alterations/decisions.ts';
import type { KeyRecord } from '../service/key-store.ts';
import { alterUnderLoad } from './under-load.ts';

const RACE_MILLISECONDS = 5;
const REMEMBERED_KEYS = 60;

export const LIMIT_LOAD_FAULTS: readonly Fault[] = [
  {
    id: 'race-when-busy',
    title:
      'With more than forty requests of a key in flight, each is counted five milliseconds after its limit was checked',
    breaks: 'limit-under-concurrency',
    alter: alterUnderLoad((load) =>
      lookFirst(({ limiter, clock }) => ({
        look: (key) =>
          load.isCrowdedBy(key) && limiter.look(key, clock.now()).accepted
            ? { verdict: 'count', milliseconds: RACE_MILLISECONDS }
            : undefined,
      })),
    ),
  },
  {
    id: 'keys-forgotten-when-many-are-active',
    title:
      'While more than sixty keys have requests in flight, the minute of the key that was silent longest starts again',
    breaks: 'minute-limit-free',
    alter: alterUnderLoad((load) =>
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
    ),
  },
  {
    id: 'retry-after-short-when-busy',
    title: 'With more than forty requests of a key in flight, Retry-After is a second too short',
    breaks: 'retry-after-honoured',
    alter: alterUnderLoad((load) => ({
      parts: ({ retryAfter }) => ({
        retryAfter: (seconds, now) => retryAfter(load.isBusy() ? Math.max(0, seconds - 1) : seconds, now),
      }),
    })),
  },
];
