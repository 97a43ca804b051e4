import type { LoadParameters } from '../../contract/load-parameters.ts';
import type { LoadMeasurement } from '../../contract/load-result.ts';
import { ceilingOf, keysForLoad, mixOf } from '../measuring/load-mix.ts';
import { measure, type Measured } from '../measuring/measure.ts';
import type { LoadScenario } from '../scenario.ts';
import { OUT_OF_REACH, runLoops } from '../engine/closed-model.ts';
import { toExchange } from '../judging/exchange-of-response.ts';
import { noteRefusal } from '../judging/key-history.ts';
import { measureRounds, resultOf } from './steady.ts';
import type { ConnectionBehaviour, LoadRequest } from '../engine/load-request.ts';
import { contentLengthOf } from '../engine/quick-headers.ts';
import type { LoadSession } from '../session.ts';

const WARM_UP_MILLISECONDS = 500;
const NEAR_CEILING = 0.9;
const MOST_OF_THE_TIME = 0.5;
// One that shares its processors with others seems to wait at times, when it is only not being run.
const BUSY_SHARE = 0.75;

/** As much as the target takes: each connection sends again when it is answered. */
export const throughput: LoadScenario = {
  id: 'throughput',
  title: 'As many requests as the target can answer',
  isUsual: true,
  divisible: true,
  uses: ['duration', 'connections', 'threads', 'writes', 'rounds', 'maxRate'],
  defaults: { duration: 10, connections: 100, maxRate: 100_000 },
  thresholds: ['errors<0.1%'],
  announce: ({ duration, maxRate, rounds, connections }) =>
    Math.ceil(rounds * (duration * maxRate + connections)) + PROBES,
  run: async (context) => {
    const { session, parameters } = context;
    const { duration, connections, writes } = parameters;
    const maxRate = ceilingOf(session, parameters.maxRate);
    const freshMix = async () =>
      mixOf(session, (await keysForLoad(session, Math.ceil(maxRate * 60))).cycle, writes);
    const behaviour = await probeConnection(session, await freshMix(), context.spend);
    let { keepsAlive } = behaviour;
    const measureOnce = async (): Promise<Measured> => {
      const one = await measure(
        context,
        {
          model: 'closed',
          connections,
          seconds: duration,
          maxRate,
          source: 'mix',
          mix: await freshMix(),
          behaviour: { ...behaviour, keepsAlive },
        },
        { warmUpMilliseconds: WARM_UP_MILLISECONDS },
      );
      const limitedBy = limitOf(one, maxRate);
      return limitedBy === undefined ? one : { ...one, measurement: { ...one.measurement, limitedBy } };
    };
    const measured = await measureRounds(context, duration, async () => {
      const first = await measureOnce();
      // Some close a connection only after many requests, as nginx does after a thousand; others break down.
      const isCutShort = first.closesConnections && keepsAlive;
      keepsAlive &&= !isCutShort;
      return isCutShort ? measureOnce() : first;
    });
    const notes = [
      ...(keepsAlive
        ? []
        : [
            'Connections to the target did not last, so a slower generator sent the load, which opens new ones.',
          ]),
      ...new Set(
        measured
          .filter(({ measurement }) => measurement.answered > 0)
          .map((one) => limitText(one, { ...parameters, maxRate })),
      ),
    ];
    return resultOf(measured, notes);
  },
};

type Pace = Pick<Measured, 'busyShare' | 'waitedShare'> & {
  readonly measurement: Pick<LoadMeasurement, 'achievedRate'>;
};

/** What limited the rate, if it was not the target. */
function limitOf({ measurement, busyShare, waitedShare }: Pace, maxRate: number) {
  if (measurement.achievedRate >= NEAR_CEILING * maxRate || waitedShare > MOST_OF_THE_TIME) {
    return 'ceiling';
  }
  return busyShare < BUSY_SHARE ? undefined : 'generator';
}

/** Which limit the rate met. */
export function limitText(
  pace: Pace,
  { maxRate, threads }: Pick<LoadParameters, 'maxRate' | 'threads'>,
): string {
  const limit = limitOf(pace, maxRate);
  if (limit === 'ceiling' && pace.measurement.achievedRate >= NEAR_CEILING * maxRate) {
    return `The ceiling of ${maxRate}/s limited the rate, not the target; --max-rate raises it, as far as the limits of the keys go that the profile spares.`;
  }
  if (limit === 'ceiling') {
    return `The ceiling of ${maxRate}/s limited the rate most of the time; the rest is missing because the target or the generator stood still now and then, for longer than is made up for.`;
  }
  if (limit === undefined) {
    return 'The target limited the rate: the generator waited for it.';
  }
  const advice =
    maxRate < OUT_OF_REACH * threads
      ? `With a --max-rate of ${OUT_OF_REACH * threads} or more, a faster one sends the load.`
      : '--threads shares the load among several; give them a machine of their own.';
  return `The generator was busy, or had no processor, most of the time, so it may have limited the rate, not the target. ${advice}`;
}

// A slow target is asked fewer times.
const ENOUGH_MILLISECONDS = 1_000;
// So slow no target is that is loaded.
const LONGEST_SECONDS = 3_600;

/** Requests that it takes, at most. */
export const PROBES = 10;

/**
 * Sends a few requests, one after the other, and sees what becomes of the connection.
 * @param spend counts a request
 */
export async function probeConnection(
  { target, client }: Pick<LoadSession, 'target' | 'client'>,
  requests: readonly LoadRequest[],
  spend: () => void,
): Promise<ConnectionBehaviour> {
  const enoughAt = performance.now() + ENOUGH_MILLISECONDS;
  let sent = 0;
  let answered = 0;
  let sendsContentLength = true;
  let isUsedUp = false;
  // A mix may be a single request; it takes several to see whether a connection is kept.
  const next = (): LoadRequest | null => {
    if (isUsedUp || sent === PROBES || (answered > 1 && performance.now() > enoughAt)) {
      return null;
    }
    sent += 1;
    return requests[(sent - 1) % requests.length] ?? null;
  };
  const { connectionsOpened } = await runLoops(
    target,
    { connections: 1, seconds: LONGEST_SECONDS, maxRate: Number.POSITIVE_INFINITY, nextOf: () => next },
    {
      onDue: () => spend(),
      onLeaving: () => 0,
      onSent: () => {},
      onRepeat: () => false,
      onResponse: (response) => {
        const { rawHeaders, status, request } = response;
        answered += 1;
        if (status === 429 && request.key?.isSpared === true) {
          isUsedUp = true;
          noteRefusal(request.key, toExchange(client, response), client);
        }
        sendsContentLength &&= contentLengthOf(rawHeaders) !== undefined;
      },
      onLoss: () => {},
      wantsBody: () => false,
    },
    new AbortController().signal,
  );
  return { keepsAlive: answered > 1 && connectionsOpened === 1, sendsContentLength };
}
