import { BAN_STATUSES } from '../../contract/bans.ts';
import { listInventory, listOrders, updateInventory } from '../../suites/target/index.ts';
import { seededRandom } from '../../contract/seeded-random.ts';
import { measure } from '../measuring/measure.ts';
import { pick } from '../engine/load-model.ts';
import { unknownKey } from '../measuring/load-mix.ts';
import type { LoadScenario } from '../scenario.ts';
import { accuseResponse } from '../judging/exchange-of-response.ts';
import { resultOf } from './steady.ts';

const KEYS = 97;

/** A storm of keys that were never issued: none is let in, and none brings the target down. */
export const badKeys: LoadScenario = {
  id: 'bad-keys',
  title: 'A storm of unknown keys: every request is refused',
  uses: ['duration', 'connections', 'maxRate', 'seed'],
  defaults: { duration: 3, connections: 64 },
  thresholds: ['errors<0.1%'],
  announce: ({ duration, maxRate }) => Math.ceil(duration * maxRate),
  run: async (context) => {
    const { session, parameters } = context;
    const { duration, connections, maxRate, seed } = parameters;
    const random = seededRandom(seed);
    // What it holds already, should a target that is wrong let the update in.
    const [pet] = session.config.profile === 'safe' ? [] : session.inventory.pets;
    const messages = [
      listInventory(),
      ...(pet === undefined ? [] : [updateInventory(pet.petId, pet.item.quantity)]),
      listOrders(),
    ];
    const requests = Array.from({ length: KEYS }, (_, index) =>
      unknownKey(pick(messages, index), [
        `Bearer never-issued-${Math.floor(random() * 2 ** 32).toString(36)}`,
      ]),
    );
    let sent = 0;
    let refused = 0;
    context.listener.onPhase('sending unknown keys', duration);
    const measured = await measure(
      context,
      {
        model: 'closed',
        connections,
        seconds: duration,
        maxRate,
        source: 'made',
        next: () => {
          sent += 1;
          return pick(requests, sent);
        },
      },
      {
        warmUpMilliseconds: 0,
        expectsRefusals: true,
        onResponse: (response) => {
          // A service may slow down strangers; what it must not do is let them in.
          if (BAN_STATUSES.has(response.status)) {
            refused += 1;
          } else if (response.status < 500) {
            const message = `A key that was never issued was answered ${response.status}.`;
            accuseResponse(session.client, 'unknown-key', message, response);
          }
        },
      },
    );
    if (refused > 0) {
      session.judgements.pass('load', 'unknown-key');
    }
    return resultOf([measured]);
  },
};
