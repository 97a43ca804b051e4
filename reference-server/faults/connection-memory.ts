import type { Alteration } from '../alterations/alteration.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Connection } from '../service/messages.ts';
import type { LimitState } from '../service/rate-limiter.ts';
import { changeAuthentication } from '../alterations/authentication-changes.ts';
import type { Fault } from './fault.ts';
import { answerUpdatesLater } from './slow-updates.ts';

/** What one request leaves behind for another that should know nothing of it. */
export const CONNECTION_MEMORY_FAULTS: readonly Fault[] = [
  {
    id: 'connection-stays-signed-in-without-key',
    title: 'After a valid key a connection needs none',
    breaks: 'missing-key',
    excludes: ['connections'],
    alter: rememberKey((reason) => reason === 'missing'),
  },
  {
    id: 'connection-stays-signed-in-with-any-key',
    title: 'After a valid key a connection accepts any key',
    breaks: 'unknown-key',
    excludes: ['connections'],
    alter: rememberKey((reason) => reason === 'invalid'),
  },
  {
    id: 'key-of-last-request',
    title: 'A request without a key is taken for one of the key that was served last',
    breaks: 'missing-key',
    alter: changeAuthentication(() => {
      let last: KeyRecord | undefined;
      return (_request, key) => {
        last = key === 'missing' || key === 'invalid' ? last : key;
        return key === 'missing' ? (last ?? key) : key;
      };
    }),
  },
  {
    id: 'first-key-of-connection-counts',
    title: 'All requests on a connection count on its first key',
    breaks: 'keys-independent-at-limit',
    excludes: ['connections'],
    alter: changeAuthentication(() => {
      const first = new WeakMap<Connection, KeyRecord>();
      return ({ connection }, key) => {
        if (key === 'missing' || key === 'invalid') {
          return key;
        }
        const counted = first.get(connection) ?? key;
        first.set(connection, counted);
        return counted;
      };
    }),
  },
  {
    id: 'headers-of-newest-request',
    title: 'The headers of a response to an update are those of the newest request',
    breaks: 'limit-of-plan',
    // Then no newer request is there.
    excludes: ['one-request-at-a-time'],
    alter: {
      answers: answerUpdatesLater,
      parts: ({ describe, describeWithoutKey, render }) => {
        let newest: LimitState | undefined;
        return {
          describe: (decision) => (newest = describe(decision)),
          describeWithoutKey: (now) => (newest = describeWithoutKey(now)),
          render: (answer, limit, now) => render(answer, newest ?? limit, now),
        };
      },
    },
  },
];

/** Takes requests without a valid key for requests of the key that the connection carried last. */
function rememberKey(isForgiven: (reason: 'missing' | 'invalid') => boolean): Alteration {
  return changeAuthentication(() => {
    const last = new WeakMap<Connection, KeyRecord>();
    return (request, key) => {
      if (key !== 'missing' && key !== 'invalid') {
        last.set(request.connection, key);
        return key;
      }
      return isForgiven(key) ? (last.get(request.connection) ?? key) : key;
    };
  });
}
