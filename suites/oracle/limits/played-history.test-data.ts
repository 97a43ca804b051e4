import * as fc from 'fast-check';

import { seededRandom } from '../../../contract/seeded-random.ts';
import { rateLimitFields, sampleExchange } from '../exchange.test-data.ts';
import type { HistoryEvent } from '../history.ts';
import {
  createLimiter,
  limiterOfKey,
  writeWait,
  type LimiterDecision,
  type PermittedLimiter,
} from './permitted-limiters.test-data.ts';

/** What a client does next with its key. */
type Step =
  | {
      readonly kind: 'send';
      readonly requests: number;
      /** Requests under way at once. */
      readonly lanes: number;
      /** Milliseconds that an exchange takes at most. */
      readonly latency: number;
      /** Milliseconds between two requests on a lane. */
      readonly gap: number;
      /** Whether nothing more is sent once one is refused. */
      readonly stops: boolean;
      /** Shares of the requests. */
      readonly bad: number;
      readonly lost: number;
      /** Of the good ones; a spelling that is accepted as well. */
      readonly spelled: number;
    }
  | { readonly kind: 'pause'; readonly seconds: number }
  /** Waits for what the last refusal said. */
  | { readonly kind: 'wait'; readonly beyond: number };

export interface PlayedClient {
  readonly usedToday: number;
  readonly steps: readonly Step[];
}

export type Limiter = (seconds: number, isGood: boolean) => LimiterDecision;

type Send = Extract<Step, { readonly kind: 'send' }>;

/** Sends so many requests, one by one until one is refused. */
export const sendStep = (requests: number, changes: Partial<Omit<Send, 'kind'>> = {}): Send => ({
  kind: 'send',
  requests,
  lanes: 1,
  latency: 2,
  gap: 0,
  stops: true,
  bad: 0,
  lost: 0,
  spelled: 0,
  ...changes,
});

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** What happens at its time; whatever was due first at a moment comes first. */
function createTimers() {
  let timers: Timer[] = [];
  let order = 0;
  return {
    add: (at: number, run: () => void): void => {
      order += 1;
      timers.push({ at, order, run });
    },
    runAll: (): void => {
      while (timers.length > 0) {
        const next = timers.reduce((a, b) => (b.at < a.at || (b.at === a.at && b.order < a.order) ? b : a));
        timers = timers.filter((timer) => timer !== next);
        next.run();
      }
    },
  };
}

/** Plays clients, each with a key of its own, against a limiter; moments are milliseconds of the client. */
export function play(
  model: PermittedLimiter,
  clients: readonly PlayedClient[],
  seed: number,
  accept: (event: HistoryEvent) => void,
  limiterOf: (usedToday: number, key: number) => Limiter = (usedToday, key) =>
    createLimiter(limiterOfKey(model, key), usedToday),
): void {
  const timers = createTimers();
  const random = seededRandom(seed);
  let ids = 0;
  clients.forEach(({ steps, ...client }, index) => {
    const usedToday = Math.min(client.usedToday, model.limits.perDay);
    const label = `free#${index + 1}`;
    const decide = limiterOf(usedToday, index);
    let waitUntil = 0;
    accept({
      type: 'key-known',
      key: {
        label,
        plan: 'free',
        limits: model.limits,
        isExclusive: true,
        usedToday,
        issuedAt: index * 100,
      },
    });

    function ask(at: number, step: Send, then: (at: number, ok: boolean) => void): void {
      ids += 1;
      const id = ids;
      const isGood = random() >= step.bad;
      const isSpelled = isGood && step.spelled > 0 && random() < step.spelled;
      const isLost = random() < step.lost;
      const receivedAt = at + step.latency * random();
      const decidedAt = at + (receivedAt - at) * random();
      const sample = sampleExchange({});
      const operation = isSpelled ? null : sample.request.operation;
      const path = isSpelled ? '/inventory/' : isGood ? '/inventory' : '/inventory/404';
      const request = { ...sample.request, operation, path };
      accept({ type: 'request-sent', id, request, credential: { kind: 'valid', key: label }, at });
      let decision: LimiterDecision | undefined;
      if (!isLost || random() < 0.5) {
        timers.add(decidedAt, () => {
          decision = decide(decidedAt / 1000, isGood);
        });
      }
      timers.add(receivedAt, () => {
        if (isLost || decision === undefined) {
          accept({ type: 'response-lost', id, at: receivedAt });
          then(receivedAt, true);
          return;
        }
        const { outcome, wait, limit, reset, now } = decision;
        const remaining = model.describesLate
          ? decision.remainingLater(receivedAt / 1000)
          : decision.remaining;
        const status =
          outcome === 'granted'
            ? isGood
              ? 200
              : 404
            : outcome === 'limited'
              ? 429
              : (model.ban?.status ?? 429);
        const told = wait === null ? [] : [['Retry-After', writeWait(model.retryAfter, wait, now)] as const];
        const date = ['Date', new Date(Math.floor(now) * 1000).toUTCString()] as const;
        const exchange = sampleExchange({
          key: label,
          status,
          sentAt: at,
          receivedAt,
          startedAt: new Date((at / 1000 + model.skew) * 1000),
          headers: [...rateLimitFields(limit, remaining, reset), ...told, date],
        });
        if (wait !== null) {
          // Until its clock has certainly passed it: a date is meant by that clock, which is known to a second.
          const written = model.retryAfter === 'date' ? NaN : Number(writeWait(model.retryAfter, wait, now));
          const seconds = Number.isNaN(written) ? Math.ceil(wait) + 2 : written;
          waitUntil = Math.max(waitUntil, receivedAt + seconds * 1000);
        }
        accept({
          type: 'response-received',
          id,
          exchange: { ...exchange, request: { ...exchange.request, operation } },
        });
        then(receivedAt, outcome === 'granted');
      });
    }

    function perform(number: number, at: number): void {
      const step = steps[number];
      if (step === undefined) {
        return;
      }
      if (step.kind === 'pause') {
        timers.add(at + step.seconds * 1000, () => perform(number + 1, at + step.seconds * 1000));
        return;
      }
      if (step.kind === 'wait') {
        const until = Math.max(at, waitUntil + step.beyond);
        waitUntil = 0;
        timers.add(until, () => perform(number + 1, until));
        return;
      }
      let sent = 0;
      let underWay = 0;
      let isStopped = false;
      const next = (from: number): void => {
        if (sent === step.requests || isStopped) {
          if (underWay === 0) {
            underWay = -1;
            perform(number + 1, from);
          }
          return;
        }
        sent += 1;
        underWay += 1;
        ask(from, step, (receivedAt, ok) => {
          underWay -= 1;
          isStopped ||= step.stops && !ok;
          timers.add(receivedAt + step.gap, () => {
            next(receivedAt + step.gap);
          });
        });
      };
      for (let lane = 0; lane < Math.min(step.lanes, step.requests); lane += 1) {
        next(at);
      }
    }
    timers.add(index * 100, () => perform(0, index * 100));
  });
  timers.runAll();
}

const anySend: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('send'),
  requests: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 90 })),
  lanes: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 20 })),
  latency: fc.constantFrom(0, 1, 20, 150, 3_000),
  gap: fc.constantFrom(0, 0, 1, 100, 1_000, 7_000),
  stops: fc.boolean(),
  bad: fc.constantFrom(0, 0, 0.1, 0.5),
  lost: fc.constantFrom(0, 0, 0, 0, 0.1),
  spelled: fc.constantFrom(0, 0, 0.1, 0.5),
});

const anyPause: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('pause'),
  seconds: fc.oneof(
    fc.constantFrom(
      0.5,
      10,
      30,
      58,
      59,
      59.5,
      60,
      60.5,
      61,
      62,
      63,
      90,
      119,
      120,
      121,
      125,
      3_600,
      86_398,
      86_400,
      86_403,
      172_805,
    ),
    fc.double({ min: 0, max: 130, noNaN: true }),
  ),
});

const anyWait: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('wait'),
  beyond: fc.constantFrom(0, 10, 1_000),
});

export const anyClients: fc.Arbitrary<readonly PlayedClient[]> = fc.array(
  fc.record({
    usedToday: fc.constantFrom(0, 0, 0, 3, 30),
    steps: fc.array(
      fc.oneof({ weight: 3, arbitrary: anySend }, anyPause, { weight: 2, arbitrary: anyWait }),
      {
        minLength: 1,
        maxLength: 14,
      },
    ),
  }),
  { minLength: 1, maxLength: 2 },
);
