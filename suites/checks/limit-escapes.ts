import { MINUTE_SECONDS } from '../../contract/plans.ts';
import { countAccepted } from '../burst.ts';
import type { Check } from '../check.ts';
import { isAccepted, rateLimitOf, type Exchange } from '../exchange.ts';
import { planningLimits, type Key } from '../keys.ts';
import type { Lab } from '../lab.ts';
import { listInventory, listOrders, getPet, updateInventory, updateWithBody } from '../operations.ts';
import { judgeUnlessUnanswered } from '../unanswered.ts';
import { cheapest, FREE_LIMIT, freeKeys, smallKeys, useUp } from '../use-up.ts';

const FORMS = 14;

/** Each operation and each accepted spelling is the first request beyond the limit once. */
export const limitOverForms: Check = {
  id: 'limit-over-forms',
  title: 'No operation and no spelling of a path escapes a limit that is reached',
  judges: ['limit-over-spellings', 'refusal-is-429'],
  needs: {
    profile: 'full',
    control: ['keys'],
    keys: smallKeys(FORMS, 2),
    pets: 1,
  },
  run: async (lab) => {
    const pet = lab.pet();
    const plainHeaders = updateInventory(pet.petId, 0).headers.length;
    const forms = [
      listInventory(),
      updateInventory(pet.petId, Number(pet.item.quantity) + 1),
      getPet(pet.petId),
      listOrders(),
      ...lab.facts.acceptedForms
        .map(({ build }) => build(pet))
        .filter(({ operation, headers }) => operation === null || headers.length > plainHeaders),
    ];
    for (const [index, message] of forms.slice(0, FORMS).entries()) {
      const key = lab.keys[index];
      if (key !== undefined && key !== null) {
        await useUp(lab, key);
        let exchange = await lab.send(message, { key });
        if (exchange.response.status !== 429 && (await hasRoomAgain(lab, key))) {
          // The window ended in between; it can't have ended twice.
          await useUpRest(lab, key);
          exchange = await lab.send(message, { key });
        }
        const { status } = exchange.response;
        const what = `${message.method} ${message.path}`;
        lab.judge(
          'limit-over-spellings',
          !isAccepted(exchange),
          `${what} was granted (${status}) to ${key.label} when its limit was reached.`,
          exchange,
        );
        await judgeSpelledKey(lab, key, CREDENTIAL_SPELLINGS[index]);
        if (message.operation !== null && !isAccepted(exchange)) {
          judgeUnlessUnanswered(
            lab,
            key.usage.unanswered,
            'refusal-is-429',
            status === 429,
            `${what} beyond the limit was answered ${status}, not 429.`,
            exchange,
          );
        }
      }
    }
  },
};

/** Another spelling of the key, where the target accepts it, is the same key. */
const CREDENTIAL_SPELLINGS = [
  { name: 'bearer in small letters', before: 'bearer ' },
  { name: 'two spaces', before: 'Bearer  ' },
] as const;

async function judgeSpelledKey(
  lab: Lab,
  key: Key,
  spelling: (typeof CREDENTIAL_SPELLINGS)[number] | undefined,
): Promise<void> {
  if (spelling === undefined) {
    return;
  }
  const credentials = {
    authorization: [spelling.before + key.secret],
    labels: [`[${key.label}: ${spelling.name}]`],
    spends: key,
  };
  const exchange = await lab.send(cheapest(lab), credentials);
  // Where a window ended in between, the plain spelling is granted, too.
  lab.judge(
    'limit-over-spellings',
    !isAccepted(exchange) || (await hasRoomAgain(lab, key)),
    `A request with the key spelled otherwise (${spelling.name}) was granted (${exchange.response.status}) to ${key.label} when its limit was reached.`,
    exchange,
  );
}

/** Whether a request that is certainly counted is granted. */
async function hasRoomAgain(lab: Lab, key: Key): Promise<boolean> {
  return isAccepted(await lab.send(cheapest(lab), { key }));
}

/** Uses up what is left of a window that began unnoticed, without being refused. */
async function useUpRest(lab: Lab, key: Key): Promise<void> {
  const probe = await lab.send(cheapest(lab), { key });
  const rateLimit = rateLimitOf(probe);
  const isMinute = rateLimit?.limit === planningLimits(key).perMinute;
  if (isAccepted(probe) && isMinute && rateLimit.remaining > 0) {
    await lab.sendAll(
      Array.from({ length: rateLimit.remaining }, () => cheapest(lab)),
      key,
      16,
    );
  }
}

/** A request that is refused for its content does not give the key a fresh window. */
export const limitSurvivesRefusals: Check = {
  id: 'limit-survives-refusals',
  title: 'A refused request does not renew the limit',
  judges: ['minute-limit-free'],
  needs: { profile: 'full', control: ['keys', 'clock'], keys: freeKeys(3, 2 * FREE_LIMIT + 12), pets: 1 },
  run: async (lab) => {
    const pet = lab.pet();
    const refused = [
      updateWithBody(pet.petId, '{}'),
      updateWithBody(pet.petId, '{"quantity":'),
      updateInventory(404_404_404n, 1),
    ];
    for (const [index, message] of refused.entries()) {
      const key = lab.keys[index];
      if (key !== undefined && key !== null) {
        const most = planningLimits(key).perMinute;
        const opening = Array.from({ length: most - 2 }, () => cheapest(lab));
        const first = await lab.sendAll(opening, key, 16);
        const refusal = await lab.send(message, { key });
        const last = [];
        for (let sent = 0; sent < 4; sent += 1) {
          last.push(await lab.send(cheapest(lab), { key }));
        }
        const granted = countAccepted(first) + countAccepted(last);
        if (granted > most && hasMoved([...first, ...last])) {
          await lab.sleep(2 * MINUTE_SECONDS + 13, 'another phase of the window');
          const again = await lab.sendAll(opening, key, 16);
          await lab.send(message, { key });
          const more = [
            await lab.send(cheapest(lab), { key }),
            await lab.send(cheapest(lab), { key }),
            await lab.send(cheapest(lab), { key }),
          ];
          // Where Reset moves with every series, it is the refusal that moves it.
          const isRenewed = countAccepted(again) + countAccepted(more) > most;
          const byItself = hasMoved(again);
          if (!isRenewed || !byItself) {
            lab.judge('minute-limit-free', !isRenewed, describeRenewal(key, refusal), more.at(-1));
          }
        } else {
          lab.judge('minute-limit-free', granted <= most, describeRenewal(key, refusal), last.at(-1));
        }
      }
    }
  },
};

/** Whether a window ended within a series, as X-RateLimit-Reset shows it. */
function hasMoved(exchanges: readonly Exchange[]): boolean {
  const resets = exchanges.filter(isAccepted).flatMap((exchange) => rateLimitOf(exchange)?.reset ?? []);
  return Math.max(...resets) - Math.min(...resets) > MINUTE_SECONDS / 2;
}

function describeRenewal(key: Key, { request, response }: Exchange): string {
  return `${key.label} was granted more than its minute's limit, with one ${request.method} in between that was answered ${response.status}.`;
}
