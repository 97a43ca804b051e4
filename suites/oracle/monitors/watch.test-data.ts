import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { ObservedValue } from '../judgements/judgements.ts';
import { newUsage, type Key } from '../keys.ts';
import type { Circumstances, Monitor } from '../monitor.ts';
import { followServerClock } from '../server-clock.ts';
import { sampleExchange, type ExchangeSample } from '../exchange.test-data.ts';

export interface Watched {
  /** What was judged, each requirement once, and whether it held. */
  readonly judged: Readonly<Partial<Record<RequirementId, boolean>>>;
  readonly messages: readonly string[];
  /** What explains it as well. */
  readonly mayBreak: readonly RequirementId[];
  /** Requirement, with the facet behind a dot, and value. */
  readonly observed: readonly (readonly [name: string, value: ObservedValue])[];
}

/** A Free key that the target issued for the test. */
export function freeKey(changes: Partial<Key> = {}): Key {
  return {
    label: 'free#1',
    secret: 'k1',
    plan: 'free',
    limits: { perMinute: 60, perDay: 1_000 },
    issued: true,
    usedToday: 0,
    usage: newUsage(),
    ...changes,
  };
}

/** Has a monitor watch one exchange; unless told otherwise without a key, and with nothing known of the time. */
export function watch(
  monitor: Monitor,
  sample: ExchangeSample,
  circumstances: Partial<Circumstances> = {},
): Watched {
  const judged: Partial<Record<RequirementId, boolean>> = {};
  const messages: string[] = [];
  const mayBreak: RequirementId[] = [];
  const observed: [string, ObservedValue][] = [];
  const key = circumstances.key ?? null;
  monitor.watch(
    sampleExchange({ key: key?.label ?? null, ...sample }),
    {
      judge: (id, holds, message, others = () => []) => {
        if (id in judged) {
          throw new Error(`${monitor.id} judges ${id} twice in one response, so that its counts are false`);
        }
        judged[id] = holds;
        if (!holds) {
          messages.push(message());
          others().forEach((other) => {
            mayBreak.push(other.id);
          });
        }
        return holds;
      },
      observe: (id, value, facet) => {
        observed.push([facet === undefined ? id : `${id}.${facet}`, value]);
      },
    },
    { key, mayBeBanned: false, mayOtherBeBanned: () => false, clock: followServerClock(), ...circumstances },
  );
  return { judged, messages, mayBreak, observed };
}
