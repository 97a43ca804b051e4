import type { Fault } from '../faults/fault.ts';
import { changeLimiter, refuse } from '../alterations/decisions.ts';
import type { KeyRecord } from '../service/key-store.ts';
import { everyNth } from '../alterations/requests.ts';
import { alterUnderLoad } from './under-load.ts';

export const KEY_LOAD_FAULTS: readonly Fault[] = [
  {
    id: 'charged-to-another-key-when-busy',
    title: 'With more than forty requests of a key in flight, a request also counts against the previous key',
    breaks: 'keys-independent-at-limit',
    alter: alterUnderLoad((load) =>
      changeLimiter((limiter) => {
        let before: KeyRecord | undefined;
        return {
          decide: (key, now, request) => {
            const decision = limiter.decide(key, now, request);
            const other = before === key ? undefined : before;
            before = key;
            if (other !== undefined && load.isBusy() && limiter.look(other, now).accepted) {
              limiter.decide(other, now, request);
            }
            return decision;
          },
        };
      }),
    ),
  },
  {
    id: 'hammered-key-halts-others',
    title: 'While a key at its limit has more than forty requests in flight, every other key is refused',
    breaks: 'keys-independent-at-limit',
    alter: alterUnderLoad((load) =>
      changeLimiter((limiter) => ({
        decide: (key, now, request) => {
          const isHalted = [...load.crowding].some(
            (other) => other !== key && !limiter.look(other, now).accepted,
          );
          return isHalted ? refuse(limiter.look(key, now), 1) : limiter.decide(key, now, request);
        },
      })),
    ),
  },
  {
    id: 'valid-key-refused-when-busy',
    title:
      'With more than forty requests of a key in flight, one request in a hundred with a valid key is answered 401',
    breaks: 'valid-key-accepted',
    alter: alterUnderLoad((load) => ({
      parts: ({ authenticate }) => {
        const isTurn = everyNth(100);
        return {
          authenticate: (request, keys) => {
            const key = authenticate(request, keys);
            return typeof key === 'object' && load.isBusy() && isTurn() ? 'invalid' : key;
          },
        };
      },
    })),
  },
  {
    id: 'unknown-key-accepted-when-many-are-tried',
    title:
      'With more than forty requests without a valid key in flight, one in ten with an unknown key is accepted as the last valid one',
    breaks: 'unknown-key',
    alter: alterUnderLoad((load) => ({
      parts: ({ authenticate }) => {
        const isTurn = everyNth(10);
        let last: KeyRecord | undefined;
        return {
          authenticate: (request, keys) => {
            const key = authenticate(request, keys);
            last = typeof key === 'object' ? key : last;
            return key === 'invalid' && load.isCrowdedBy(undefined) && isTurn() ? (last ?? key) : key;
          },
        };
      },
    })),
  },
];
