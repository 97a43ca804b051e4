import type { Check, KeyNeed } from '../check.ts';
import { isAccepted, rateLimitOf } from '../exchange.ts';
import type { Key } from '../keys.ts';
import { Undecided, type Lab } from '../lab.ts';
import { listInventory } from '../operations.ts';
import { cheapest, FREE_LIMIT, useUp } from '../use-up.ts';

const WITNESS_REQUESTS = 6;

/** A key at its limit changes nothing for others, of its own plan or another. */
export const keysAtLimit: Check = {
  id: 'keys-at-limit',
  title: 'A key at its limit leaves other keys untouched',
  judges: ['keys-independent-at-limit'],
  needs: {
    profile: 'full',
    control: ['keys'],
    keys: [
      { plan: 'free', use: 'exhaust', requests: FREE_LIMIT + 24 },
      ...(['free', 'pro', 'business', 'enterprise'] as const).map((plan): KeyNeed => ({
        plan,
        use: 'share',
        requests: WITNESS_REQUESTS,
      })),
    ],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (lab) => {
    const [exhausted, ...witnesses] = lab.keys.filter((key) => key !== null);
    if (exhausted === undefined) {
      throw new Undecided('There is no key to exhaust.');
    }
    // Keys that were there before the run may share a counter with new ones.
    witnesses.push(...lab.facts.idleKeys);
    const before = await Promise.all(witnesses.map((witness) => lab.send(listInventory(), { key: witness })));
    await useUp(lab, exhausted);
    await lab.send(cheapest(lab), { key: exhausted });
    for (const [index, witness] of witnesses.entries()) {
      // A configured key may have been at its limit before; then it bears no witness.
      const served = before[index];
      if (served === undefined || !isAccepted(served)) {
        continue;
      }
      await judgeUntouched(
        lab,
        'keys-independent-at-limit',
        witness,
        served,
        `${exhausted.label} was at its limit`,
      );
    }
  },
};

/** Judges that a key is served as before, and that its remaining requests fell by one only. */
export async function judgeUntouched(
  lab: Lab,
  id: 'keys-independent-at-limit' | 'keys-independent-in-ban',
  witness: Key,
  before: Awaited<ReturnType<Lab['send']>> | undefined,
  circumstance: string,
): Promise<void> {
  const after = await lab.send(listInventory(), { key: witness });
  const served = lab.judge(
    id,
    isAccepted(after),
    `${witness.label} was answered ${after.response.status} while ${circumstance}.`,
    after,
  );
  const was = before === undefined ? undefined : rateLimitOf(before);
  const is = rateLimitOf(after);
  if (served && was !== undefined && is !== undefined && was.limit === is.limit) {
    lab.judge(
      id,
      is.remaining >= was.remaining - 1,
      `${witness.label} had ${was.remaining} requests remaining and, one request later, ${is.remaining}, while ${circumstance}.`,
      after,
    );
  }
}
