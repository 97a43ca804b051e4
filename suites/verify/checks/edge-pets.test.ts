import { edgePets } from './edge-pets.ts';
import { testChecks } from './judge-scripted.test-data.ts';

testChecks(
  [edgePets],
  [
    [
      'update-exact-pet',
      'a petId beyond 32 bits is unknown',
      ({ find }) => ({ find: (id) => (Number(id) < 2 ** 31 ? find(id) : undefined) }),
    ],
    [
      'update-persists',
      'a petId beyond 53 bits is not stored',
      ({ update }) => ({
        update: (item, quantity) => (item.petId < 2n ** 53n ? update(item, quantity) : { ...item, quantity }),
      }),
    ],
    [
      'item-pet-id',
      'a petId is a double in the answer',
      ({ update }) => ({
        update: (item, quantity) => ({ ...update(item, quantity), petId: BigInt(Number(item.petId)) }),
      }),
    ],
    [
      'list-complete',
      'the largest petId is not listed',
      ({ list }) => ({ list: () => list().filter(({ petId }) => petId < 2n ** 62n) }),
    ],
  ],
);
