import { testChecks } from './judge-scripted.test-data.ts';
import { listCheck, wholeStore } from './listing.ts';
import { rewriting, withText } from './target-changes.test-data.ts';

testChecks(
  [listCheck, wholeStore],
  [
    [
      'list-succeeds',
      'it is answered 500',
      rewriting(
        () => true,
        () => ({ status: 500 }),
      ),
    ],
    [
      'list-succeeds',
      'it is answered 400 with a field that clients usually send',
      rewriting(
        (_reply, { headers }) => headers.some(([name]) => name === 'Cache-Control'),
        () => ({ status: 400 }),
      ),
    ],
    [
      'valid-key-accepted',
      'it is answered 401 with Authorization in small letters',
      rewriting(
        (_reply, { headers }) => headers.some(([name]) => name === 'authorization'),
        () => ({ status: 401 }),
      ),
    ],
    [
      'valid-key-accepted',
      'it is answered 401 with Authorization in capitals',
      rewriting(
        (_reply, { headers }) => headers.some(([name]) => name === 'AUTHORIZATION'),
        () => ({ status: 401 }),
      ),
    ],
    [
      'list-succeeds',
      'it is answered 500 to a client that closes the connection',
      rewriting(
        (_reply, { headers }) => headers.some(([name]) => name === 'Connection'),
        () => ({ status: 500 }),
      ),
    ],
    ['list-complete', 'the last pet is missing', ({ list }) => ({ list: () => list().slice(0, -1) })],
    [
      'list-one-entry-per-pet',
      'the first is there twice',
      ({ list }) => ({ list: () => [...list(), ...list().slice(0, 1)] }),
    ],
    ['item-pet-id', 'it is a string', withText(/"petId":(\d+)/g, '"petId":"$1"')],
    ['item-quantity', 'it is a fraction', withText(/"quantity":(\d+)/g, '"quantity":$1.5')],
    ['item-status', 'it is in capitals', withText(/"available"/g, '"AVAILABLE"')],
  ],
);
