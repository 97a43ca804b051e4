import { BAN_STATUSES } from '../../../contract/bans.ts';
import { CONTINUED_REQUESTS, provoke, reachLimit } from '../provoking/ban-provocation.ts';
import { seeItEnd, waitOut } from '../provoking/ban-end.ts';
import { RETURN_JUDGES } from '../provoking/come-back.ts';
import { burstRequests } from '../provoking/burst.ts';
import {
  isAccepted,
  type Exchange,
  planningLimits,
  TWO_WINDOWS_SECONDS,
  type Key,
} from '../../oracle/index.ts';
import { Undecided, type Lab } from '../lab.ts';
import { listInventory } from '../../target/index.ts';
import { checkAfter } from '../survey.ts';
import { judgeUnlessUnanswered } from '../provoking/unanswered.ts';
import { judgeUntouched } from './independence.ts';
import { acceptedForms } from './observations.ts';

const WHILE_BANNED = 6;
const WITNESS_REQUESTS = 6;

/** Goes on after a 429 until the key is banned, or until it is clear that this target does not ban. */
export const banCheck = checkAfter({
  id: 'ban',
  after: acceptedForms,
  title: 'A ban comes after continued requests only, hits one key only, and ends',
  judges: [
    'ban-ends',
    'ban-answer',
    'ban-only-after-continued',
    'limit-renews',
    'keys-independent-in-ban',
    'keys-independent-at-limit',
    'refusal-is-429',
    'refused-changes-nothing',
    'ban-threshold',
    'ban-length',
    'ban-status',
    'body-of-ban',
  ],
  alsoJudges: [...RETURN_JUDGES, 'remaining-falls'],
  needs: {
    profile: 'full',
    keys: [
      {
        plan: 'any',
        use: 'ban',
        requests: (limits) => 4 * burstRequests(limits) + CONTINUED_REQUESTS + WHILE_BANNED + 12,
      },
      { plan: 'any', use: 'share', requests: WITNESS_REQUESTS },
      { plan: 'pro', use: 'share', requests: WITNESS_REQUESTS, optional: true },
    ],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (lab, forms) => {
    const [banned, ...others] = lab.keys;
    if (banned === undefined || banned === null) {
      throw new Undecided('There is no key to ban.');
    }
    const candidates = others.filter((key) => key !== null && key !== undefined);
    const before = await Promise.all(candidates.map((key) => lab.send(listInventory(), { key })));
    // A key that was refused before bears no witness.
    const witnesses = candidates.filter((_key, index) =>
      before.some((served, at) => at === index && isAccepted(served)),
    );
    const refusal = await reachLimit(lab, banned, forms);
    if (refusal === null) {
      throw new Undecided(`${banned.label} was never refused, so no ban can follow.`, before[0]);
    }
    let between = refusal.response.status === 429 ? await askWitnesses(lab, witnesses, banned) : [];
    if (
      banned.usage.accepted + banned.usage.unanswered < planningLimits(banned).perMinute ||
      !BAN_STATUSES.has(refusal.response.status)
    ) {
      throw new Undecided(
        `${banned.label} was answered ${refusal.response.status} before it had reached its limit.`,
        refusal,
      );
    }
    if (refusal.response.status !== 429) {
      judgeUnlessUnanswered(
        lab,
        banned.usage.unanswered,
        'ban-only-after-continued',
        false,
        `${banned.label} was answered ${refusal.response.status} at once when it went beyond its limit, without a 429 before.`,
        refusal,
      );
      return;
    }
    let sign = await provoke(lab, banned, refusal);
    if (sign === 'window ended' && lab.virtualTime) {
      // It was too slow for a ban to begin.
      await lab.sleep(TWO_WINDOWS_SECONDS, `a fresh window of ${banned.label}`);
      const again = await reachLimit(lab, banned, forms);
      if (again?.response.status === 429) {
        between = await askWitnesses(lab, witnesses, banned);
        sign = await provoke(lab, banned, again);
      }
    }
    // Over the connection that the others use as well; a ban need not look different from a limit.
    await lab.send(listInventory(), { key: banned });
    for (const [index, witness] of witnesses.entries()) {
      await judgeUntouched(
        lab,
        'keys-independent-in-ban',
        witness,
        between[index],
        `${banned.label} went on after 429`,
      );
      lab.release(witness);
    }
    await (typeof sign === 'string' ? waitOut(lab, banned) : seeItEnd(lab, banned, sign));
  },
});

/** Has each witness served while another key is at its limit. */
async function askWitnesses(
  lab: Lab,
  witnesses: readonly Key[],
  exhausted: Key,
): Promise<readonly (Exchange | undefined)[]> {
  const served: (Exchange | undefined)[] = [];
  for (const witness of witnesses) {
    const [exchange] = await lab.sendAll([listInventory()], witness, 1);
    served.push(exchange);
    lab.judge(
      'keys-independent-at-limit',
      exchange === undefined || isAccepted(exchange),
      `${witness.label} was answered ${exchange?.response.status} while ${exhausted.label} was at its limit.`,
      exchange,
    );
  }
  return served;
}
