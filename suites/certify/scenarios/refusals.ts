import { storeForChecks } from '../../../fixtures/corpora/index.ts';
import { A_REFUSAL, limitedFor, refusedWith, scenarioGroup, type ClientScenario } from './scenario.ts';

const { list, update } = scenarioGroup({
  inventory: storeForChecks(),
  // Bounds are not shown, so that a service may refuse it.
  update: { operation: 'updateInventory', petId: 70n, quantity: 5_000 },
  shows: A_REFUSAL,
});
const known = { operation: 'updateInventory', petId: 70n, quantity: 5 } as const;
const unknown = { ...known, petId: 404_404_404n };

/** 400, 401 and 404, which no retry mends. */
export const REFUSALS: readonly ClientScenario[] = [
  list('list-revoked-key', 'List with a key that was revoked: 401', { revokedKey: true }),
  update('update-revoked-key', 'Update with a key that was revoked: 401', { task: known, revokedKey: true }),
  update('update-unknown-pet', 'Update a pet that does not exist: 404', { task: unknown }),
  update('update-refused-quantity', 'Update to a quantity that the service does not accept: 400', {
    script: () =>
      refusedWith(
        'Quantity.NotTaken',
        // As a service may quote what it was sent, and go on for so long that each buffer of 64 to 16,384 bytes, if a power of two, cuts a character.
        `The shelf "A\\7" is too small:  <b>5,000 & more</b> do not fit on it.\nAsk for fewer, or for another shelf. See "Shelf &amp; racks": it is 100 % full, %s {x} {{x}} \${x} +%41. ${'猫'.repeat(7_000)}`,
      ),
  }),
  update(
    'update-refused-beyond-ascii',
    'An Error object with more than ASCII, in chunks that cut characters',
    {
      traits: ['chunked'],
      script: () => refusedWith('quantity_not_taken', 'Für „Größe 5“ ist im Café kein Platz: 猫 🐈. '),
    },
  ),
  update('unknown-pet-further-members', 'An Error object with members that the client does not know', {
    task: unknown,
    traits: ['extra-members'],
  }),
  update('limited-then-refused', 'A 429, and 400 after the wait', {
    // Long, as a message may be that quotes much; all of it fits into Latin-1, in which some languages then write.
    answers: [
      limitedFor(1),
      refusedWith('quantity_refused', `Das Tier im Café wurde gezählt${', noch einmal gezählt'.repeat(50)}.`),
    ],
    shows: [...A_REFUSAL, 'client-waits', 'client-avoids-ban', 'client-retries-limited'],
    seconds: 2,
  }),
];
